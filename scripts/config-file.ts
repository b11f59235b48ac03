import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { bindingNames } from '../src/config/names.ts'
import { type ParseOptions, parseConfig } from '../src/config/parse.ts'
import type { Config, Problem } from '../src/config/types.ts'
import { StartProblem } from './start-problem.ts'

/** A config file, read and checked. */
export interface ConfigFile {
  readonly text: string
  /** Missing when it is bad. */
  readonly config?: Config
  /** What it names with `${NAME}` and the environment has; nothing else of the environment. Secrets. */
  readonly env: Readonly<Record<string, string>>
  /** What is wrong or worth a warning, each as `FILE:LINE:COLUMN: severity: path: message`. */
  readonly problems: readonly string[]
}

/** Reads a config with the values of `environment` for the names it uses. Throws a StartProblem when there is no file. */
export function readConfigFile(
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
  options: ParseOptions = {},
): ConfigFile {
  const text = readText(file)
  const env: Record<string, string> = {}
  for (const name of bindingNames(text)) {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined
    if (value !== undefined) env[name] = value
  }
  const { config, problems } = parseConfig(text, env, options)
  return { text, config, env, problems: problems.map((problem) => lineOf(file, problem)) }
}

/** The variables of a `.dev.vars` file, as wrangler reads it; none when there is no such file. */
export function readDevVars(file: string): Record<string, string | undefined> {
  return existsSync(file) ? parseEnv(readText(file)) : {}
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new StartProblem(`${file} can't be read: ${(cause as Error).message}`, { cause })
  }
}

function lineOf(file: string, { severity, line, column, path, message }: Problem): string {
  const place = line > 0 ? `${file}:${line}:${column}` : file
  return `${place}: ${severity}: ${path === '' ? '' : `${path}: `}${message}`
}
