import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { describeConfig } from '../src/config/describe.ts'
import { bindingNames } from '../src/config/names.ts'
import { parseConfig } from '../src/config/parse.ts'

/** Where `checkConfig` writes. */
export interface Output {
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
}

/** How `checkConfig` finds what `${NAME}` stands for. */
export interface BindingSource {
  /** Comes before what `devVars` says. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** A file of NAME=value lines; it need not exist. */
  readonly devVars: string
  /** Take every binding to be there, whatever it holds. */
  readonly ignoreBindings: boolean
}

/**
 * Checks a config file. A good one: prints what it means to stdout, warnings to stderr, and resolves to 0. A bad
 * one: prints every problem to stderr as `FILE:LINE:COLUMN: error: path: message`, and resolves to 1.
 */
export async function checkConfig(
  file: string,
  { env, devVars, ignoreBindings }: BindingSource,
  { stdout, stderr }: Output,
): Promise<number> {
  const text = await readText(file)
  if (typeof text !== 'string') {
    stderr.write(`${file}: error: can not be read (${text.code})\n`)
    return 1
  }
  const more = await readText(devVars)
  if (typeof more !== 'string' && more.code !== 'ENOENT') {
    stderr.write(`${devVars}: error: can not be read (${more.code})\n`)
    return 1
  }
  const bindings = { ...(typeof more === 'string' ? parseEnv(more) : {}), ...env }
  const { config, problems } = parseConfig(text, bindings, { ignoreBindings })
  for (const { severity, line, column, path, message } of problems) {
    const place = line === 0 ? file : `${file}:${line}:${column}`
    stderr.write(`${place}: ${severity}: ${path === '' ? '' : `${path}: `}${message}\n`)
  }
  if (config !== undefined) {
    stdout.write(describeConfig(config))
    return 0
  }
  if (!ignoreBindings && bindingNames(text).some((name) => bindings[name] === undefined)) {
    stderr.write(`Bindings are looked for in the environment, then in ${devVars}. `)
    stderr.write('--ignore-bindings checks the rest without them.\n')
  }
  return 1
}

/** The text of a file, or the code of what went wrong with it. */
async function readText(file: string): Promise<string | { code: unknown }> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { code: error.code }
    throw error
  }
}
