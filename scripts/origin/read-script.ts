import { isMap } from 'yaml'
import { error, type Value } from '../../src/config/config-file.ts'
import { parseDuration } from '../../src/config/duration.ts'
import {
  type Fields,
  readDuration,
  readFields,
  readInteger,
  readItems,
  readSize,
  readText,
  readWord,
} from '../../src/config/read.ts'
import { parseYamlText, type Root } from '../../src/config/yaml-text.ts'
import { type Action, type Range, RESETS, type Script, type Step, type When } from './script.ts'
import { PROTOCOLS } from './write-kind.ts'

const ACTIONS = [
  'latency',
  'slow_read',
  'slow_answer',
  'status',
  'too_large',
  'login_page',
  'reset',
] as const
const CONDITIONS = ['protocol', 'after', 'for', 'first', 'every', 'share'] as const
/** Keys that say more about an action. */
const DETAILS = { retry_after: 'status', of: 'too_large' } as const

const DAY = 86_400_000
const FOUR_GB = 2 ** 32 - 1
const MAX_STEPS = 100
const ROOT: Root = {
  is: isMap,
  wrong: 'a script must be a mapping with the keys seed and steps',
  missing: 'the script is empty: it needs steps',
}
const STEP_ROOT: Root = {
  is: isMap,
  wrong: 'a step must be keys and values such as status: 503, every: 10',
  missing: 'a step needs an action such as status: 503',
}

/** What was read, or what is wrong with it, each as `NAME:LINE:COLUMN: error: path: message`. */
export type ScriptRead = { readonly script: Script } | { readonly problems: readonly string[] }

/** Reads a script file, YAML or JSON. `name` is how problems call it. */
export function readScript(text: string, name: string): ScriptRead {
  return read(text, name, ROOT, (root) => {
    const fields = readFields(root, ['seed', 'steps'])
    const seed = readInteger(fields?.get('seed'), 1, { min: 0 })
    const list = fields?.get('steps')
    if (fields !== undefined && list === undefined) error(root, 'the script has no steps')
    const items = list === undefined ? [] : (readItems(list, 'a list of steps') ?? [])
    if (items.length > MAX_STEPS) error(root, `a script has at most ${MAX_STEPS} steps`)
    return { seed, steps: items.slice(0, MAX_STEPS).flatMap((item) => readStep(item) ?? []) }
  })
}

/** Reads one step as it is given on the command line: `status: 503, every: 10`. */
export function readStepText(text: string): ScriptRead {
  const braced = text.trimStart().startsWith('{')
  const build = (root: Value): Script => {
    const step = readStep(root)
    return { seed: 1, steps: step === undefined ? [] : [step] }
  }
  // On lines of their own, so that columns are those of what was given.
  return braced
    ? read(text, '--step', STEP_ROOT, build)
    : read(`{\n${text}\n}`, '--step', STEP_ROOT, build, 1)
}

function read(
  text: string,
  name: string,
  wanted: Root,
  build: (root: Value) => Script,
  linesBefore = 0,
): ScriptRead {
  const { file, root } = parseYamlText(text, { get: () => undefined, pretended: false }, wanted)
  const script = root === undefined ? undefined : build(root)
  if (script !== undefined && file.problems.length === 0) return { script }
  return {
    problems: file.problems.map(({ line, column, path, message }) => {
      const place = line > linesBefore ? `${name}:${line - linesBefore}:${column}` : name
      return `${place}: error: ${path === '' ? '' : `${path}: `}${message}`
    }),
  }
}

function readStep(at: Value): Step | undefined {
  const fields = readFields(at, [...ACTIONS, ...CONDITIONS, ...Object.keys(DETAILS)])
  if (fields === undefined) return undefined
  const given = ACTIONS.filter((action) => fields.has(action))
  if (given.length !== 1) {
    const found = given.length === 0 ? 'none' : given.join(' and ')
    return error(at, `wanted one of ${ACTIONS.join(', ')}; there is ${found}`)
  }
  for (const [key, action] of Object.entries(DETAILS))
    if (fields.has(key) && given[0] !== action)
      error(fields.get(key)!, `this goes with ${action} only`)
  return { action: readAction(given[0]!, fields), when: readWhen(fields) }
}

function readAction(kind: (typeof ACTIONS)[number], fields: Fields): Action {
  const value = fields.get(kind)!
  switch (kind) {
    case 'latency':
      return { kind, wait: readRange(value) }
    case 'slow_answer':
      return { kind, over: readRange(value) }
    case 'slow_read':
      return { kind, bytesPerSecond: readSize(value, 1, { range: ' a second' }) }
    case 'status': {
      const status = readInteger(value, 503, { min: 200, max: 599 })
      const after = fields.get('retry_after')
      if (after === undefined) return { kind, status }
      return { kind, status, retryAfter: readDuration(after, 0, { max: DAY }) }
    }
    case 'too_large': {
      const over = readSize(value, 1, { min: 0, max: FOUR_GB })
      return { kind, over, of: readWord(fields.get('of'), ['body', 'decoded'], 'body') }
    }
    case 'reset':
      return { kind, at: readWord(value, RESETS, 'before_reading') }
    case 'login_page':
      readWord(value, ['true'], 'true')
      return { kind }
  }
}

function readWhen(fields: Fields): When {
  const when: { -readonly [K in keyof When]: When[K] } = {}
  const given = (key: (typeof CONDITIONS)[number], put: (value: Value) => void) => {
    const value = fields.get(key)
    if (value !== undefined) put(value)
  }
  given('protocol', (value) => {
    when.protocol = readWord(value, PROTOCOLS, 'remotewrite1')
  })
  given('after', (value) => {
    when.after = readDuration(value, 0)
  })
  given('for', (value) => {
    when.for = readDuration(value, 0)
  })
  given('first', (value) => {
    when.first = readInteger(value, 1)
  })
  given('every', (value) => {
    when.every = readInteger(value, 1)
  })
  given('share', (value) => {
    when.share = readShare(value)
  })
  return when
}

/** `50ms`, or `50ms-200ms`: each as likely as the others. */
function readRange(value: Value): Range {
  const none = { from: 0, to: 0 }
  const wanted = 'a time such as 50ms, or two such as 50ms-200ms'
  const text = readText(value, wanted)
  if (text === undefined) return none
  const [from, to = from] = text.split('-').map((part) => parseDuration(part.trim()))
  const parts = text.split('-').length
  if (from !== undefined && to !== undefined && parts <= 2 && from <= to && to <= DAY)
    return { from, to }
  return (
    error(value, `wanted ${wanted}, up to a day, found ${JSON.stringify(text.slice(0, 40))}`) ??
    none
  )
}

/** `10%` or `0.1`. */
function readShare(value: Value): number {
  const wanted = 'a share such as 10% or 0.1'
  const text = readText(value, wanted)
  if (text === undefined) return 0
  const match = /^(\d{1,3}(?:\.\d{1,9})?)(%?)$/.exec(text)
  const share = match === null ? Number.NaN : Number(match[1]) / (match[2] === '%' ? 100 : 1)
  if (share >= 0 && share <= 1) return share
  return error(value, `wanted ${wanted}, found ${JSON.stringify(text.slice(0, 40))}`) ?? 0
}
