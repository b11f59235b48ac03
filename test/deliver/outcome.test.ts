import { expect, test } from 'vitest'
import { classify, type Outcome } from '../../src/deliver/outcome.ts'
import { NO_COUNTS, type Sent } from '../../src/deliver/payload.ts'
import { COMMON_PROTOCOL } from '../../src/deliver/protocol.ts'
import { samples, V2, writtenHeaders, ZSTD } from './fixtures.ts'
import { virtualTime } from './virtual-time.ts'

const NOW = Date.UTC(2026, 9, 21, 7, 28, 0)

const ONE: Sent = { protocol: COMMON_PROTOCOL, counts: samples(5) }
/** Five samples, three histograms, two exemplars and a metadata entry. */
const TWO: Sent = {
  protocol: V2,
  counts: { samples: 5, histograms: 3, exemplars: 2, metadata: 1 },
}

function judge(
  status: number,
  body: BodyInit | null = null,
  headers = {},
  secrets: string[] = [],
  sent = ONE,
) {
  const time = virtualTime()
  // Only a status that a Response may have can be given to its constructor.
  const response = new Response(body, { headers })
  Object.defineProperty(response, 'status', { value: status })
  const patience = { ms: 1000, sleep: time.sleep }
  return time.run(classify(response, sent, { name: 'mimir', secrets }, NOW, patience))
}

async function messageOf(outcome: Promise<Outcome>): Promise<string> {
  const settled = await outcome
  return settled.kind === 'delivered' ? '' : settled.message
}

test.each([
  ['delivered', [200, 201, 202, 204, 206, 299]],
  ['misconfigured', [300, 301, 302, 303, 304, 307, 308, 401, 403, 404]],
  ['too-large', [413]],
  ['rejected', [400, 402, 405, 406, 409, 410, 411, 415, 422, 431, 451, 499]],
  ['busy', [408, 425, 429, 500, 501, 502, 503, 504, 520, 599]],
  ['busy', [0, 100, 101, 103, 199, 600, 999]],
])('%s: %j', async (kind, statuses) => {
  for (const status of statuses) expect(await judge(status)).toMatchObject({ kind, status })
})

test('2xx to 1.0 is delivered, whatever headers of remote write 2 say or do not', async () => {
  for (const protocol of [COMMON_PROTOCOL, ZSTD]) {
    for (const headers of [{}, writtenHeaders({ samples: 0 })]) {
      const outcome = judge(200, 'whatever', headers, [], { ...ONE, protocol })
      expect(await outcome).toEqual({ kind: 'delivered', status: 200 })
    }
  }
})

const ALL = { samples: 5, histograms: 3, exemplars: 2 }

/** What becomes of `TWO`. */
function judgeV2(status: number, written: Parameters<typeof writtenHeaders>[0], body?: string) {
  return judge(status, body ?? null, writtenHeaders(written), [], TWO)
}

test('2xx to 2.0 is delivered when all is written, or more', async () => {
  expect(await judgeV2(204, ALL)).toEqual({ kind: 'delivered', status: 204 })
  const more = { samples: 6, histograms: 300, exemplars: '9223372036854775807' }
  expect(await judgeV2(200, more)).toEqual({ kind: 'delivered', status: 200 })
})

test('2xx to 2.0 with less written is rejected in part, with the numbers', async () => {
  expect(await judgeV2(204, { ...ALL, samples: 3, exemplars: 0 })).toEqual({
    kind: 'rejected',
    status: 204,
    written: { samples: 3, histograms: 3, exemplars: 0, metadata: 1 },
    message: 'origin mimir answered 204, but wrote only 3 of 5 samples and 0 of 2 exemplars',
  })
  // Nothing at all is an answer too.
  expect(await judgeV2(200, { samples: 0, histograms: 0, exemplars: 0 })).toMatchObject({
    kind: 'rejected',
    written: { ...NO_COUNTS, metadata: 1 },
  })
})

test('2xx to 2.0 without a Written header is from one who did not read it', async () => {
  const refused = {
    kind: 'rejected',
    status: 204,
    unread: true,
    message:
      'origin mimir answered 204, but does not say what it wrote: it may not know remote write 2.0',
  }
  expect(await judgeV2(204, {})).toEqual(refused)
  expect(await judgeV2(204, { samples: '', histograms: '  ' })).toEqual(refused)
})

test('2xx to 2.0 that carries no points needs no Written header', async () => {
  const counts = { ...NO_COUNTS, metadata: 3 }
  const sent = { protocol: V2, counts }
  const plain = { kind: 'delivered', status: 204 }
  expect(await judge(204, null, {}, [], sent)).toEqual(plain)
  expect(await judge(204, null, writtenHeaders({ samples: 0 }), [], sent)).toEqual(plain)
})

test('4xx to 2.0 is rejected but for what is written', async () => {
  for (const status of [400, 409, 415, 422]) {
    expect(await judgeV2(status, { samples: 3, histograms: 3 }, 'too old\nmore')).toEqual({
      kind: 'rejected',
      status,
      written: { samples: 3, histograms: 3, exemplars: 0, metadata: 1 },
      message: `origin mimir answered ${status}, wrote only 3 of 5 samples and 0 of 2 exemplars: too old`,
    })
  }
  const claims = await judgeV2(400, ALL, 'too old')
  expect(claims).toMatchObject({ kind: 'rejected', written: TWO.counts })
  expect(claims).toMatchObject({ message: 'origin mimir answered 400: too old' })
})

test('4xx to 2.0 with nothing written is rejected whole, and never unread but for 415', async () => {
  for (const written of [{}, { samples: 0, histograms: 0, exemplars: 0 }, { samples: -4 }]) {
    for (const status of [400, 409, 415, 422]) {
      const outcome = await judgeV2(status, written, 'snappy: corrupt input')
      expect(outcome).toEqual({
        kind: 'rejected',
        status,
        message: `origin mimir answered ${status}: snappy: corrupt input`,
        ...(status === 415 && { unread: true }),
      })
    }
  }
})

test('to other answers what is written means nothing', async () => {
  for (const status of [302, 401, 403, 404, 413, 429, 500, 503]) {
    const outcome = await judgeV2(status, ALL)
    expect(outcome).not.toHaveProperty('written')
    expect(outcome).not.toHaveProperty('unread')
    expect(outcome.kind).toBe((await judge(status)).kind)
  }
})

test('zstd that was not decoded is unread, also where the text that says so is long', async () => {
  const sent = { ...ONE, protocol: ZSTD }
  const text = `remoteAddr: "${'x'.repeat(600)}"; cannot decompress zstd-encoded request with length 5`
  expect(await judge(400, text, {}, [], sent)).toMatchObject({ kind: 'rejected', unread: true })
  expect(await judge(415, '', {}, [], sent)).toMatchObject({ kind: 'rejected', unread: true })
  expect(await judge(400, 'too old', {}, [], sent)).not.toHaveProperty('unread')
  expect(await judge(400, text)).not.toHaveProperty('unread')
  expect(await judge(415, text)).not.toHaveProperty('unread')
})

test('the message is origin, status and the first line', async () => {
  expect(await judge(400, 'out of order sample\nseries={…}\n')).toEqual({
    kind: 'rejected',
    status: 400,
    message: 'origin mimir answered 400: out of order sample',
  })
  expect(await messageOf(judge(500, '\r\n\n  late\rline'))).toBe('origin mimir answered 500: late')
  expect(await messageOf(judge(500, ''))).toBe('origin mimir answered 500')
})

test('Retry-After is read in all forms from busy answers only', async () => {
  const at = 'Wed, 21 Oct 2026 07:28:30 GMT'
  expect(await judge(503, null, { 'Retry-After': '7' })).toMatchObject({ retryAfter: 7000 })
  expect(await judge(429, null, { 'Retry-After': at })).toMatchObject({ retryAfter: 30_000 })
  expect(await judge(429, null, { 'Retry-After': '99999' })).toMatchObject({ retryAfter: 120_000 })
  for (const value of ['0', '-1', 'Wed, 21 Oct 2015 07:28:00 GMT', 'soon']) {
    expect(await judge(503, null, { 'Retry-After': value })).not.toHaveProperty('retryAfter')
  }
  expect(await judge(400, null, { 'Retry-After': '7' })).not.toHaveProperty('retryAfter')
})

test('a message is printable and at most 256 characters, whatever the origin says', async () => {
  const noise = Uint8Array.from({ length: 4096 }, (_, i) => (i * 37) & 0xff)
  for (const body of ['x'.repeat(1_000_000), '😀'.repeat(5000), noise]) {
    const message = await messageOf(judge(400, body))
    expect(message.length).toBeLessThanOrEqual(256)
    expect(message).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]+$/u)
    expect(message.isWellFormed()).toBe(true)
  }
})

test('credentials that the origin repeats are hidden', async () => {
  const secrets = ['Bearer hunter2', 'hunter2']
  expect(await messageOf(judge(401, 'no such token: hunter2', {}, secrets))).toBe(
    'origin mimir answered 401: no such token: ***',
  )
})

test('a credential that is cut where reading ends is hidden too', async () => {
  const body = `${'hunter2,'.repeat(127)}x hunter2 and more`
  const message = await messageOf(judge(401, body, {}, ['hunter2']))
  expect(message).not.toMatch(/hunt/)
})

test('a redirect is named by its host alone', async () => {
  const location = 'https://me:pw@login.example/?token=abc'
  expect(await messageOf(judge(302, 'Found', { location }))).toBe(
    'origin mimir answered 302: a redirect to login.example',
  )
  for (const location of ['/login', 'javascript:alert(1)', 'http://', '']) {
    const message = await messageOf(judge(302, 'Found', { location }))
    expect(message).toBe('origin mimir answered 302: a redirect')
  }
})

test('a body that never ends is cancelled, also that of a success', async () => {
  for (const status of [200, 302, 503]) {
    let cancelled = false
    const body = new ReadableStream({
      cancel() {
        cancelled = true
      },
    })
    await judge(status, body)
    expect(cancelled).toBe(true)
  }
})
