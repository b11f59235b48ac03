import type { Problem } from './types.ts'

/** The text of a config that is known when the Worker starts. */
export interface ConfigText {
  readonly text: string
  readonly source: 'variables' | 'bundled'
  /** What is wrong with the variables themselves; then the text must not be used. */
  readonly problems: readonly Problem[]
}

/** A Worker has at most 128 variables. */
const MAX_PARTS = 128

/**
 * The text in the variables `SLUICE_CONFIG`, `SLUICE_CONFIG_2`, … joined with nothing between, since one variable
 * holds 5 KB; without them the bundled text. An empty variable counts as not set. One after a gap is an error: the
 * config would end half way.
 */
export function configText(env: Readonly<Record<string, unknown>>, bundled: string): ConfigText {
  const parts: string[] = []
  const problems: Problem[] = []
  const note = (message: string) => {
    problems.push({ severity: 'error', line: 0, column: 0, path: '', message })
  }
  let missing: string | undefined
  for (let i = 1; i <= MAX_PARTS; i++) {
    const name = partName(i)
    const part = env[name]
    if (part === undefined || part === '') missing ??= name
    else if (typeof part !== 'string') note(`the variable ${name} is not a string`)
    else if (missing === undefined) parts.push(part)
    else note(`the variable ${name} is set, but ${missing} is not`)
  }
  if (parts.length === 0 && problems.length === 0) {
    return { text: bundled, source: 'bundled', problems }
  }
  return { text: parts.join(''), source: 'variables', problems }
}

function partName(number: number): string {
  return number === 1 ? 'SLUICE_CONFIG' : `SLUICE_CONFIG_${number}`
}
