import { RE2JS, RE2JSException } from 're2js'
import { closestWord } from './closest-word.ts'
import type { RelabelAction, RelabelConfig } from './types.ts'

/** Which label names are valid: any UTF-8 (Prometheus' default since 3.0), or `[a-zA-Z_][a-zA-Z0-9_]*`. */
export type NameScheme = 'utf8' | 'legacy'

/** What is wrong with one rule. `path` is relative to the rule: '' | 'regex' | 'source_labels[1]'. */
export interface RelabelProblem {
  readonly path: string
  readonly message: string
}

const actions: readonly RelabelAction[] = [
  'replace',
  'keep',
  'drop',
  'keepequal',
  'dropequal',
  'hashmod',
  'labelmap',
  'labeldrop',
  'labelkeep',
  'lowercase',
  'uppercase',
]
const defaults = {
  separator: ';',
  regex: '(.*)',
  target_label: '',
  replacement: '$1',
  action: 'replace',
}
const needTarget = 'replace hashmod lowercase uppercase keepequal dropequal'.split(' ')
const keys: readonly string[] = ['source_labels', 'modulus', ...Object.keys(defaults)]

/**
 * Reads one relabel config, a plain value out of YAML or JSON, by Prometheus' defaults and rules of validation. Returns
 * every problem of the rule at once. Scalars where text is due become text, as Prometheus' YAML decoder does it; null is
 * empty text. A modulus may be a number, a bigint or, above 2^53, a string of digits.
 */
export function parseRelabelConfig(
  raw: unknown,
  scheme: NameScheme = 'utf8',
): { config: RelabelConfig } | { problems: readonly RelabelProblem[] } {
  if (raw === null || raw === undefined) {
    return { problems: [{ path: '', message: 'empty relabel rule' }] }
  }
  if (typeof raw !== 'object' || Array.isArray(raw)) {
    return { problems: [{ path: '', message: `a relabel rule is a mapping, not ${kind(raw)}` }] }
  }
  const fields = new Map(Object.entries(raw).filter(([, value]) => value !== undefined))
  const problems: RelabelProblem[] = []
  const broken = new Set<string>()

  const text = (key: keyof typeof defaults): string => {
    if (!fields.has(key)) return defaults[key]
    const value = scalarText(fields.get(key))
    if (value !== null) return value
    broken.add(key)
    return defaults[key]
  }
  const action = text('action').toLowerCase() as RelabelAction
  const say = (key: string, message: string) => {
    const [, name] = /^([\w-]{1,64})(?:\[\d+\])?$/.exec(key) ?? []
    const path = name !== undefined && fields.has(name) ? key : ''
    problems.push({ path, message: `${actions.includes(action) ? action : 'relabel'}: ${message}` })
  }

  if (!actions.includes(action)) {
    const given = quoted(scalarText(fields.get('action')))
    say('action', `unknown action ${given}, must be one of ${actions.join(', ')}`)
  }
  for (const key of fields.keys()) {
    if (keys.includes(key)) continue
    const meant = closestWord(key, keys)
    say(
      key,
      `unknown key ${key.slice(0, LONGEST_QUOTE)}${meant === undefined ? '' : `: did you mean ${meant}?`}`,
    )
  }

  const config: RelabelConfig = {
    sourceLabels: readSourceLabels(fields.get('source_labels'), say),
    separator: text('separator'),
    regex: text('regex'),
    modulus: readModulus(fields.get('modulus'), say),
    targetLabel: text('target_label'),
    replacement: text('replacement'),
    action,
    ...(scheme === 'legacy' ? { nameScheme: scheme } : {}),
  }
  for (const key of broken) say(key, `${key} must be text, not ${kind(fields.get(key))}`)
  if (!broken.has('regex')) {
    const wrong = regexProblem(config.regex)
    if (wrong !== null) say('regex', wrong)
  }
  if (!broken.has('action')) {
    checkAction(config, fields, (key, message) => {
      if (!broken.has(key)) say(key, message)
    })
  }
  return problems.length > 0 ? { problems } : { config }
}

/** True when `name` may name a label: never empty, and no lone surrogate (it has no UTF-8). */
export function isLabelName(name: string, scheme: NameScheme): boolean {
  if (scheme === 'legacy') return /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)
  return name !== '' && name.isWellFormed()
}

/** The program of a relabel regex, anchored as Prometheus does it. Throws RE2JSException when it is no RE2 syntax. */
export function compileRelabelRegex(regex: string): RE2JS {
  return RE2JS.compile(`^(?s:${regex})$`)
}

type Say = (key: string, message: string) => void

function readSourceLabels(raw: unknown, say: Say): readonly string[] {
  if (raw === null || raw === undefined) return []
  if (!Array.isArray(raw)) {
    say('source_labels', `source_labels must be a list of label names, not ${kind(raw)}`)
    return []
  }
  return raw.map((item, i) => {
    // Prometheus' decoder never shows a null to the check of names, so that it is the label '', which nobody has.
    if (item === null) return ''
    const name = scalarText(item)
    if (name === null) say(`source_labels[${i}]`, `a label name must be text, not ${kind(item)}`)
    else if (!isLabelName(name, 'utf8')) {
      say(`source_labels[${i}]`, `${quoted(name)} is not a valid label name`)
    }
    return name ?? ''
  })
}

function readModulus(raw: unknown, say: Say): bigint {
  if (raw === null || raw === undefined) return 0n
  const whole = typeof raw === 'bigint' || Number.isSafeInteger(raw)
  const digits = typeof raw === 'string' && /^[0-9]+$/.test(raw) && Number(raw) > 2 ** 53
  const modulus = whole || digits ? BigInt(raw as bigint | number | string) : -1n
  if (modulus >= 0n && modulus < 1n << 64n) return modulus
  const given = typeof raw === 'string' ? quoted(raw) : kind(raw).slice(0, LONGEST_QUOTE)
  say('modulus', `modulus must be a whole number from 0 to 2^64-1, not ${given}`)
  return 1n
}

/** What Prometheus checks per action, after decoding. */
function checkAction(
  { action, targetLabel, replacement, separator, modulus, nameScheme }: RelabelConfig,
  fields: ReadonlyMap<string, unknown>,
  say: Say,
): void {
  const scheme = nameScheme ?? 'utf8'
  if (action === 'hashmod' && modulus === 0n) say('modulus', 'needs a modulus other than 0')
  if (needTarget.includes(action)) {
    const template = action === 'replace' && targetLabel.includes('$')
    if (targetLabel === '') say('target_label', 'needs a target_label')
    else if (!(template ? isNameTemplate : isLabelName)(targetLabel, scheme)) {
      say('target_label', `${quoted(targetLabel)} is not a valid target_label`)
    }
  }
  if (action === 'labelmap' && !isNameTemplate(replacement, scheme)) {
    say('replacement', `${quoted(replacement)} is not a valid replacement: it names labels`)
  }

  const aboutNames = action === 'labeldrop' || action === 'labelkeep'
  const equality = action === 'keepequal' || action === 'dropequal'
  const refuse = (key: string, given: boolean) => {
    const only = aboutNames ? 'regex' : equality ? 'source_labels and target_label' : null
    if (given) say(key, `${key} can't be set${only === null ? '' : `, only ${only}`}`)
  }
  if (aboutNames || equality) {
    refuse('separator', separator !== defaults.separator)
    refuse('modulus', modulus !== 0n)
  }
  if (aboutNames || equality || action === 'lowercase' || action === 'uppercase') {
    refuse('replacement', replacement !== defaults.replacement)
  }
  if (equality) refuse('regex', fields.has('regex'))
  if (aboutNames) {
    refuse('source_labels', (fields.get('source_labels') ?? null) !== null)
    refuse('target_label', targetLabel !== '')
  }
}

/** A label name with references to groups in it. UTF-8 names may hold `$` anyway. */
function isNameTemplate(text: string, scheme: NameScheme): boolean {
  if (scheme === 'utf8') return isLabelName(text, scheme)
  // Prometheus' relabelTargetLegacy, written so that there is only one way to match.
  return /^(?:[a-zA-Z_]|\$(?:\{\w+\}|\w))(?:\w|\$(?:\{\w+\}|\w))*$/.test(text)
}

/** Why a regex can't be used, or null. */
function regexProblem(regex: string): string | null {
  if (regex === defaults.regex) return null
  try {
    compileRelabelRegex(regex)
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    // What it quotes up to the end would show the anchors, which nobody wrote.
    const why = error.message.replace(/^error parsing regexp: /, '').replace(/: `.*\)\$`$/s, '')
    return `regex ${quoted(regex)} is not RE2 syntax: ${why.slice(0, LONGEST_QUOTE)}`
  }
  // re2js also knows binary properties of Unicode (\p{Emoji}), Go's RE2 only categories and scripts.
  const classes = /\\Q.*?\\E|\\[pP]\{\^?(\w+)\}|\\./gs
  for (const [, name] of regex.matchAll(classes)) {
    if (name !== undefined && !isCategoryOrScript(name)) {
      return `regex ${quoted(regex)} is not RE2 syntax: no Unicode class ${name.slice(0, LONGEST_QUOTE)}`
    }
  }
  return null
}

function isCategoryOrScript(name: string): boolean {
  if (name === 'Any' || name === 'Ascii' || name === 'Assigned' || name === 'Lc') return true
  return ['General_Category', 'Script'].some((property) => {
    try {
      return new RegExp(`\\p{${property}=${name}}`, 'u') !== null
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      return false
    }
  })
}

/** The text of a scalar; null when it is none, or has no UTF-8. */
function scalarText(value: unknown): string | null {
  if (value === null) return ''
  if (typeof value === 'string') return value.isWellFormed() ? value : null
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
    return String(value)
  }
  return null
}

/** UTF-16 units of what a message quotes: a regex may be as long as the file. */
const LONGEST_QUOTE = 200

function quoted(text: string | null): string {
  if (text === null || text.length <= LONGEST_QUOTE) return JSON.stringify(text)
  return JSON.stringify(`${text.slice(0, LONGEST_QUOTE)}…`)
}

function kind(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'a mapping'
  if (typeof value === 'string') return value.isWellFormed() ? 'text' : 'broken Unicode'
  return String(value)
}
