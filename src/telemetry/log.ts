import { type ItemCounts, isWell, type RequestAccounting } from './accounting.ts'
import { maskCredentials, printable } from './printable.ts'
import { createThrottle } from './throttle.ts'

/** Where lines go: each a string, one JSON object. `console` is one. */
export interface LogSink {
  info(line: string): void
  warn(line: string): void
  error(line: string): void
}

/**
 * All that an event may say about itself. Nothing else is written, so an object that happens to
 * hold a secret can be passed without harm. Strings are masked, made printable and cut.
 */
export interface LogFields {
  readonly message?: string
  readonly reason?: string
  readonly origin?: string
  readonly tenant?: string
  readonly status?: number
  /** Where a config came from. */
  readonly source?: string
  readonly count?: number
  /** Seconds. */
  readonly retryAfter?: number
}

/**
 * Structured logs. `event` is a fixed name, such as `config_rejected`. At most 10 lines a minute of
 * an event and reason are written; the next one written says in `suppressed` how many were not.
 */
export interface Log {
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
  /** The accounting line of a write request that was not wholly well; nothing for one that was. */
  request(accounting: RequestAccounting): void
  /** An error that nobody foresaw, with its stack. */
  unexpected(error: unknown): void
}

type Level = keyof LogSink

const FIELD_NAMES = [
  'message',
  'reason',
  'origin',
  'tenant',
  'status',
  'source',
  'count',
  'retryAfter',
] as const satisfies readonly (keyof LogFields)[]

const LINES_PER_MINUTE = 10
const MAX_STRING = 500
const MAX_STACK = 2000

/** A log that writes to `sink`. `now` is in milliseconds since 1970. */
export function createLog(sink: LogSink = console, now: () => number = Date.now): Log {
  const throttle = createThrottle(LINES_PER_MINUTE, now)

  function write(level: Level, event: string, reason: string, body: object): void {
    const suppressed = throttle.take(`${event} ${reason}`)
    if (suppressed === null) return
    const ms = now()
    // While a Worker starts there is no time.
    const time = ms > 0 ? { time: new Date(ms).toISOString() } : {}
    const line = { ...time, level, event, ...body, ...(suppressed > 0 && { suppressed }) }
    sink[level](JSON.stringify(line))
  }

  const at =
    (level: Level) =>
    (event: string, fields: LogFields = {}): void =>
      write(level, event, fields.reason ?? '', allowed(fields))

  return {
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    request(accounting) {
      if (isWell(accounting)) return
      write('warn', 'request', accounting.reason, accountingLine(accounting))
    },
    unexpected(error) {
      if (!(error instanceof Error)) {
        const message = typeof error === 'string' ? error : `a thrown ${typeof error}`
        write('error', 'unexpected', '', { message: text(message) })
        return
      }
      write('error', 'unexpected', error.name, {
        message: text(`${error.name}: ${error.message}`),
        stack: text(error.stack ?? '', MAX_STACK),
      })
    },
  }
}

function accountingLine(accounting: RequestAccounting): object {
  return {
    ...allowed(accounting),
    compressedBytes: accounting.compressedBytes,
    decodedBytes: accounting.decodedBytes,
    received: notZero(accounting.received),
    dropped: notZero(accounting.dropped),
    rejected: notZero(accounting.rejected),
    rejectedPoints: accounting.rejectedPoints || undefined,
    origins: accounting.origins?.map((origin) => ({
      ...allowed(origin),
      delivered: notZero(origin.delivered),
      dropped: notZero(origin.dropped),
      rejected: notZero(origin.rejected),
      superseded: notZero(origin.superseded),
      failed: notZero(origin.failed),
    })),
  }
}

function allowed(fields: LogFields): Record<string, string | number> {
  const picked: Record<string, string | number> = {}
  for (const name of FIELD_NAMES) {
    const value = fields[name]
    if (typeof value === 'string') picked[name] = text(value)
    else if (typeof value === 'number') picked[name] = value
  }
  return picked
}

function text(value: string, limit = MAX_STRING): string {
  return printable(maskCredentials(value), limit)
}

/** The kinds that there are any of; undefined, which JSON leaves out, when there are none. */
function notZero(counts: ItemCounts | undefined): Partial<ItemCounts> | undefined {
  if (counts === undefined) return undefined
  const some = Object.entries(counts).filter(([, count]) => count !== 0)
  return some.length === 0 ? undefined : Object.fromEntries(some)
}
