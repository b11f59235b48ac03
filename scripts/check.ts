import { Command } from 'commander'

const program = new Command('npm run -s check --')
  .description(
    'Checks Sluice configs, tries relabel rules and translations. Exit status 1 when something is wrong.',
  )
  .showHelpAfterError()

program
  .command('config')
  .description('say everything that is wrong with a config, or print what it means, secrets masked')
  .argument('<file>', 'the config, YAML')
  .option('--ignore-bindings', `check without what \${NAME} stands for`)
  .addHelpText('after', `\n\${NAME} is looked for in the environment, then in ./.dev.vars.`)
  .action(async (file: string, options: { ignoreBindings?: boolean }) => {
    const ignoreBindings = options.ignoreBindings ?? false
    const bindings = { env: process.env, devVars: '.dev.vars', ignoreBindings }
    const { checkConfig } = await import('./check-config.ts')
    process.exitCode = await checkConfig(file, bindings, process)
  })

program
  .command('relabel')
  .description(
    'read label sets from stdin, one JSON object a line, and print what the rules make of each',
  )
  .argument('<rules>', 'a list of relabel configs, YAML')
  .option('--explain', 'print every step')
  .action(async (rules: string, options: { explain?: boolean }) => {
    const { checkRelabel } = await import('./check-relabel.ts')
    process.exitCode = await checkRelabel(rules, { explain: options.explain ?? false }, process)
  })

program
  .command('translate')
  .description(
    'read one OTLP document from stdin and print the series that become of it, with what is rejected on stderr',
  )
  .option('--config <file>', 'a config; without it, the defaults of Prometheus')
  .option('--proto', 'the document is protobuf, not JSON')
  .addHelpText(
    'after',
    `
Each line is a point: name{label="value",…} value timestamp_ms, and exemplars of it after #.

Of the config its otlp block, sluice.relabel_configs, external labels and limits hold. The series are
as they are before the rules of any origin (write_relabel_configs): try those with relabel. Where an
origin wants remote write 2.0 that is what is shown: native histograms with custom buckets stay as they
are, else they are classic series. A document may be of any time: limits.future does not hold.
\${NAME} is looked for in the environment, then in ./.dev.vars; where one is missing each stands for
its own name.`,
  )
  .action(async ({ config, proto = false }: { config?: string; proto?: boolean }) => {
    const [{ checkTranslate }, { loadKernelModule }] = await Promise.all([
      import('./check-translate.ts'),
      import('./kernel-module.ts'),
    ])
    const options = { proto, ...(config !== undefined && { config }) }
    process.exitCode = await checkTranslate(options, loadKernelModule, process)
  })

if (process.argv.length > 2) await program.parseAsync()
else program.outputHelp()
