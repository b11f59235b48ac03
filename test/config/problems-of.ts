import { type ParseOptions, parseConfig } from '../../src/config/parse.ts'
import type { Config, OriginConfig } from '../../src/config/types.ts'

type Bindings = Readonly<Record<string, unknown>>

/** The problems of a config, each as `LINE:COLUMN severity path: message`. */
export function problemsOf(text: string, bindings: Bindings = {}, options: ParseOptions = {}) {
  return parseConfig(text, bindings, options).problems.map(
    ({ severity, line, column, path, message }) =>
      `${line}:${column} ${severity} ${path}: ${message}`,
  )
}

/** A config that is good but for what an origin says besides its url. Line 3 is the first of `keys`. */
export function withOrigin(keys: string): string {
  const indented = keys.replaceAll('\n', '\n    ')
  return `remote_write:\n  - url: https://origin.example/write\n    ${indented}\nsluice: { auth: none }\n`
}

/** A config that is good but for what `sluice` says besides `auth`. Line 3 is the first of `keys`. */
export function withSluice(keys: string): string {
  const indented = keys.replaceAll('\n', '\n  ')
  return `remote_write: [{ url: https://origin.example/write }]\nsluice:\n  ${indented}\n`
}

/** The config of a text that must be good. */
export function configOf(
  text: string,
  bindings: Bindings = {},
  options: ParseOptions = {},
): Config {
  const { config, problems } = parseConfig(text, bindings, options)
  if (config === undefined) throw new Error(JSON.stringify(problems, null, 2))
  return config
}

/** The one origin of a config that must be good. */
export function originOf(keys: string, bindings: Bindings = {}): OriginConfig {
  return configOf(withOrigin(keys), bindings).origins[0]!
}
