import { Command } from 'commander'

const program = new Command('npm run -s check --')
  .description(
    'Checks Sluice configs and tries relabel rules. Exit status 1 when something is wrong.',
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

if (process.argv.length > 2) await program.parseAsync()
else program.outputHelp()
