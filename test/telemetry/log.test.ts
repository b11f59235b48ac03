import { describe, expect, it } from 'vitest'
import type {
  ItemCounts,
  OriginAccounting,
  RequestAccounting,
} from '../../src/telemetry/accounting.ts'
import { createLog } from '../../src/telemetry/log.ts'

const none: ItemCounts = { samples: 0, histograms: 0, exemplars: 0, metadata: 0 }
const some: ItemCounts = { ...none, samples: 7 }

function setUp() {
  const raw: string[] = []
  const clock = { now: Date.UTC(2026, 10, 30, 12) }
  const sink = (level: string) => (line: string) => {
    raw.push(line)
    expect(JSON.parse(line).level).toBe(level)
  }
  const log = createLog(
    { info: sink('info'), warn: sink('warn'), error: sink('error') },
    () => clock.now,
  )
  return { log, clock, raw, lines: () => raw.map((line) => JSON.parse(line)) }
}

describe('events', () => {
  it('are JSON with time, level and name', () => {
    const { log, lines } = setUp()
    log.info('config_loaded', { source: 'kv', count: 3 })
    log.warn('origin_busy', { origin: 'mimir', status: 429, retryAfter: 5 })
    log.error('config_rejected', { message: 'line 3: no such key' })
    const time = '2026-11-30T12:00:00.000Z'
    expect(lines()).toEqual([
      { time, level: 'info', event: 'config_loaded', source: 'kv', count: 3 },
      { time, level: 'warn', event: 'origin_busy', origin: 'mimir', status: 429, retryAfter: 5 },
      { time, level: 'error', event: 'config_rejected', message: 'line 3: no such key' },
    ])
  })

  it('say nothing that is not on the list', () => {
    const { log, raw } = setUp()
    const origin = { origin: 'mimir', url: 'https://u:secret@h/', authorization: 'secret' }
    log.warn('origin_misconfigured', origin)
    log.warn('odd', { message: { toString: () => 'secret' } as unknown as string })
    expect(raw.join()).toContain('mimir')
    expect(raw.join()).not.toContain('secret')
  })

  it('are bounded, printable and masked', () => {
    const { log, raw, lines } = setUp()
    log.warn('a', { message: `to https://u:secret@h/\n\u202e${'x'.repeat(100_000)}` })
    expect(lines()[0].message).toMatch(/^to https:\/\/\*\*\*@h\/ x+…$/)
    expect(raw[0]!.length).toBeLessThan(700)
    expect(raw[0]).not.toContain('\n')
  })

  it('are throttled by event and reason', () => {
    const { log, clock, lines } = setUp()
    for (let i = 0; i < 25; i++) log.warn('a', { reason: 'x' })
    log.warn('a', { reason: 'y' })
    expect(lines().length).toBe(11)
    clock.now += 60_000
    log.warn('a', { reason: 'x' })
    log.warn('a', { reason: 'x' })
    expect(
      lines()
        .slice(-2)
        .map(({ suppressed }) => suppressed),
    ).toEqual([15, undefined])
  })
})

describe('unexpected errors', () => {
  it('are logged with their stack', () => {
    const { log, lines } = setUp()
    log.unexpected(new TypeError('Invalid URL: https://u:secret@h/'))
    const [line] = lines()
    expect(line).toMatchObject({
      level: 'error',
      event: 'unexpected',
      message: 'TypeError: Invalid URL: https://***@h/',
    })
    expect(line.stack).toContain('log.test.ts')
    expect(line.stack).not.toContain('secret')
  })

  it.each([
    ['a string', 'a string'],
    [undefined, 'a thrown undefined'],
    [Object.create(null), 'a thrown object'],
  ])('may be no errors at all: %s', (thrown, message) => {
    const { log, lines } = setUp()
    log.unexpected(thrown)
    expect(lines()).toMatchObject([{ event: 'unexpected', message }])
  })
})

describe('accounting lines', () => {
  const origin = (more: Partial<OriginAccounting> = {}): OriginAccounting => ({
    origin: 'mimir',
    delivered: some,
    dropped: none,
    rejected: none,
    superseded: none,
    failed: none,
    ...more,
  })
  const request = (more: Partial<RequestAccounting> = {}): RequestAccounting => ({
    status: 204,
    reason: 'written',
    tenant: 'prod',
    received: some,
    dropped: none,
    rejected: none,
    origins: [origin()],
    ...more,
  })

  const well: [string, RequestAccounting][] = [
    ['all delivered', request()],
    ['some dropped by a rule', request({ dropped: some, origins: [origin({ dropped: some })] })],
    ['some superseded', request({ origins: [origin({ superseded: some })] })],
    ['nothing to tell', { status: 204, reason: 'written', tenant: '' }],
  ]
  it.each(well)('none when all is well: %s', (_, accounting) => {
    const { log, raw } = setUp()
    log.request(accounting)
    expect(raw).toEqual([])
  })

  const unwell: [string, RequestAccounting][] = [
    ['refused', { status: 415, reason: 'unsupported_encoding', tenant: 'prod' }],
    ['some rejected', request({ status: 400, rejected: some })],
    ['rejected but told 204', request({ rejected: some })],
    ['an origin rejected some', request({ origins: [origin(), origin({ rejected: some })] })],
    ['an ignored origin failed', request({ origins: [origin({ failed: some })] })],
  ]
  it.each(unwell)('one when not: %s', (_, accounting) => {
    const { log, raw } = setUp()
    log.request(accounting)
    expect(raw.length).toBe(1)
  })

  it('hold the sums and no zeros', () => {
    const { log, lines } = setUp()
    log.request(
      request({
        status: 503,
        reason: 'origin_busy',
        message: 'origin mimir answered 429',
        compressedBytes: 10,
        decodedBytes: 20,
        origins: [origin({ delivered: none, failed: some, status: 429, message: 'slow\ndown' })],
      }),
    )
    expect(lines()).toEqual([
      {
        time: '2026-11-30T12:00:00.000Z',
        level: 'warn',
        event: 'request',
        message: 'origin mimir answered 429',
        reason: 'origin_busy',
        tenant: 'prod',
        status: 503,
        compressedBytes: 10,
        decodedBytes: 20,
        received: { samples: 7 },
        origins: [{ origin: 'mimir', failed: { samples: 7 }, status: 429, message: 'slow down' }],
      },
    ])
  })

  it('are throttled by reason', () => {
    const { log, raw } = setUp()
    for (let i = 0; i < 25; i++) log.request(request({ status: 400, reason: 'corrupt' }))
    log.request(request({ status: 413, reason: 'body_too_large' }))
    expect(raw.length).toBe(11)
  })
})
