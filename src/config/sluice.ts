import { type ReadAuth, readAuth } from './auth.ts'
import { error, type Value } from './config-file.ts'
import { type Fields, readDuration, readFields, readInteger, readSize } from './read.ts'
import type { NameScheme } from './relabel-config.ts'
import { readRules } from './rules.ts'
import type { Config, Limits } from './types.ts'

const KEYS = ['auth', 'relabel_configs', 'deadline', 'limits']
const LIMIT_KEYS = [
  'body',
  'decoded',
  'series',
  'labels',
  'label_name',
  'label_value',
  'future',
  'subrequests',
]
const KILOBYTE = 1 << 10
const MEGABYTE = 1 << 20

/** Reads `sluice`, our own keys; `file` is where its absence is noted. */
export function readSluice(
  file: Value,
  value: Value | undefined,
  {
    scheme,
    openWithoutAuth,
    origins,
  }: { scheme: NameScheme; openWithoutAuth: boolean; origins: number },
): Pick<Config, 'ingressRules' | 'deadline' | 'limits'> & ReadAuth {
  const read = value && readFields(value, KEYS)
  const fields: Fields = read ?? new Map()
  // Where `sluice` itself is wrong, that is the one thing to say.
  const unreadable = value !== undefined && read === undefined
  return {
    ...(unreadable
      ? { auth: undefined, withoutTenant: [] }
      : readAuth(value ?? file, fields.get('auth'), openWithoutAuth)),
    ingressRules: readRules(fields.get('relabel_configs'), scheme),
    deadline: readDuration(fields.get('deadline'), 8000, {
      min: 1,
      max: 300_000,
      range: ', more than 0 and at most 5m',
    }),
    limits: readLimits(fields.get('limits'), origins),
  }
}

function readLimits(value: Value | undefined, origins: number): Limits {
  const fields: Fields = (value && readFields(value, LIMIT_KEYS)) ?? new Map()
  const upTo = (max: number, text: string) => ({ max, range: `, from 1B to ${text}` })
  const limits = {
    body: readSize(fields.get('body'), 8 * MEGABYTE, upTo(32 * MEGABYTE, '32MB')),
    decoded: readSize(fields.get('decoded'), 16 * MEGABYTE, upTo(32 * MEGABYTE, '32MB')),
    series: readInteger(fields.get('series'), 100_000, { max: 1_000_000 }),
    labels: readInteger(fields.get('labels'), 64, { max: 127 }),
    labelName: readSize(fields.get('label_name'), KILOBYTE, upTo(64 * KILOBYTE - 1, '65535B')),
    labelValue: readSize(fields.get('label_value'), 16 * KILOBYTE, upTo(MEGABYTE, '1MB')),
    future: readDuration(fields.get('future'), 600_000, { min: 1, range: ', more than 0' }),
    subrequests: readInteger(fields.get('subrequests'), 50, { max: 10_000 }),
  }
  if (limits.body + limits.decoded > 40 * MEGABYTE) {
    error(
      value!,
      'body and decoded together must be at most 40MB: an isolate has 128MB for everything',
    )
  }
  if (limits.subrequests < origins) {
    error(
      fields.get('subrequests')!,
      `fewer than the ${origins} origins: no request could reach them all`,
    )
  }
  return limits
}
