import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { readStepText } from '../../../scripts/origin/read-script.ts'
import type { Step } from '../../../scripts/origin/script.ts'
import type { Origin } from '../../../scripts/origin/start-origin.ts'
import { atEnd } from '../scratch.ts'
import { ask, bytes1, HEADERS, origin, push1, series1, snappy, T } from './requests.ts'

function step(text: string): Step {
  const read = readStepText(text)
  if ('problems' in read) throw new Error(read.problems.join('\n'))
  return read.script.steps[0]!
}

const scripted = (...steps: string[]) => origin({ script: { seed: 1, steps: steps.map(step) } })

/** A request as bytes, and all that comes back until the connection ends, with the time of each piece. */
function raw({ port }: Origin, send: (write: (bytes: Uint8Array | string) => void) => void) {
  return new Promise<{ text: string; pieces: number[]; error?: string }>((resolve) => {
    const started = performance.now()
    const pieces: number[] = []
    let text = ''
    let error: string | undefined
    const socket = connect(port, '127.0.0.1', () => send((bytes) => socket.write(bytes)))
    atEnd(() => socket.destroy())
    socket.on('data', (bytes) => {
      text += bytes
      pieces.push(performance.now() - started)
    })
    socket.on('error', (cause: NodeJS.ErrnoException) => {
      error = cause.code
    })
    socket.on('close', () => resolve({ text, pieces, ...(error && { error }) }))
  })
}

const body = (padding = 0) =>
  snappy(bytes1({ timeseries: [series1(`__name__ up x ${'x'.repeat(padding + 1)}`, [1, 0])] }))

function head(length: number): string {
  const headers = Object.entries({ ...HEADERS.remotewrite1, Host: 'x', 'Content-Length': length })
  return `POST /write HTTP/1.1\r\n${headers.map((pair) => `${pair.join(': ')}\r\n`).join('')}\r\n`
}

async function statuses(started: Origin, requests: number): Promise<number[]> {
  const found: number[] = []
  for (let i = 0; i < requests; i++) found.push((await push1(started, i)).status)
  return found
}

const samples = async (started: Origin) =>
  ((await ask(started, '{__name__!=""}[1m]', T + 1000)).data?.result ?? []).length

test('a status, with when to come again, and nothing is stored', async () => {
  const started = await scripted('status: 503, retry_after: 1500ms, first: 1', 'status: 429')
  const first = await push1(started)
  expect([first.status, first.headers.get('Retry-After')]).toEqual([503, '2'])
  expect(await first.text()).toBe('the script says 503\n')
  const second = await push1(started)
  expect([second.status, second.headers.get('Retry-After')]).toEqual([429, null])
  expect(await samples(started)).toBe(0)
  expect(started.report()).toMatchObject({
    answers: { 429: 1, 503: 1 },
    steps: [
      { step: 'status: 503, retry_after: 1s500ms, first: 1', requests: 1 },
      { step: 'status: 429', requests: 2 },
    ],
  })
})

test.each([
  ['status: 503, every: 3', [204, 204, 503, 204, 204, 503]],
  ['status: 503, first: 2', [503, 503, 204, 204, 204, 204]],
  ['status: 503, share: 50%', [204, 204, 204, 503, 204, 503]],
  ['status: 503, protocol: otlp', [204, 204, 204, 204, 204, 204]],
])('%s: %j', async (text, wanted) => {
  expect(await statuses(await scripted(text), 6)).toEqual(wanted)
})

test('a step may be for some time only', async () => {
  const started = await scripted('status: 503, for: 150ms')
  expect((await push1(started)).status).toBe(503)
  await new Promise((resolve) => setTimeout(resolve, 160))
  expect((await push1(started)).status).toBe(204)
})

test('a success that is a lie stores nothing', async () => {
  const started = await scripted('status: 204')
  expect(await statuses(started, 1)).toEqual([204])
  expect(await samples(started)).toBe(0)
})

test.each([
  ['too_large: 100', [204, 413]],
  ['too_large: 100, of: decoded', [413, 413]],
  ['too_large: 2000, of: decoded', [204, 204]],
])(
  '%s: one body that is short as it comes, one that is not, both of 100 to 2000 bytes decoded',
  async (text, wanted) => {
    const started = await scripted(text)
    const found: number[] = []
    for (const bytes of [
      snappy(bytes1({ timeseries: [series1(`__name__ up x ${'x'.repeat(100)}`, [1, 0])] })),
      randomBody(),
    ])
      found.push(
        (
          await fetch(`${started.url}/write`, {
            method: 'POST',
            headers: HEADERS.remotewrite1,
            body: bytes,
          })
        ).status,
      )
    expect(found).toEqual(wanted)
  },
)

/** Text that does not get shorter. */
function randomBody(): Uint8Array<ArrayBuffer> {
  const text = Array.from({ length: 200 }, (_, i) =>
    String.fromCharCode(33 + ((i * i * 7 + i) % 90)),
  ).join('')
  return snappy(
    bytes1({ timeseries: [series1(`__name__ up y ${text.replaceAll(' ', '')}`, [1, 0])] }),
  )
}

test('a latency is waited out', async () => {
  const started = await scripted('latency: 120ms-150ms')
  const before = performance.now()
  expect((await push1(started)).status).toBe(204)
  expect(performance.now() - before).toBeGreaterThanOrEqual(119)
})

test('a sender that does not wait is counted as gone', async () => {
  const started = await scripted('latency: 5s')
  await expect(
    fetch(`${started.url}/write`, {
      method: 'POST',
      headers: HEADERS.remotewrite1,
      body: body(),
      signal: AbortSignal.timeout(100),
    }),
  ).rejects.toThrow()
  await expect.poll(() => started.report().answers).toEqual({ gone: 1 })
})

test('a reset before the body is read leaves nothing', async () => {
  const started = await scripted('reset: before_reading')
  const { text, error } = await raw(started, (write) => {
    write(head(1000))
  })
  expect([text, error]).toEqual(['', 'ECONNRESET'])
  expect(await samples(started)).toBe(0)
  expect(started.report()).toMatchObject({ requests: 1, answers: { reset: 1 } })
})

test('a reset inside the head comes after the request was taken', async () => {
  const started = await scripted('reset: in_head')
  const bytes = body()
  const { text, error } = await raw(started, (write) => {
    write(head(bytes.length))
    write(bytes)
  })
  expect(text).toMatch(/^HTTP\/1\.1 204/)
  expect(text).not.toContain('\r\n\r\n')
  expect(error).toBe('ECONNRESET')
  expect(await samples(started)).toBe(1)
})

test('a reset inside the body comes after a whole head', async () => {
  const started = await scripted('reset: in_body')
  const answer = await push1(started)
  expect(answer.status).toBe(200)
  await expect(answer.text()).rejects.toThrow()
  expect(await samples(started)).toBe(1)
})

test('a slow answer comes in pieces', async () => {
  const started = await scripted('slow_answer: 200ms')
  const bytes = body()
  const { text, pieces } = await raw(started, (write) => {
    write(head(bytes.length))
    write(bytes)
  })
  expect(text).toBe('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')
  expect(pieces.length).toBeGreaterThan(5)
  expect(pieces.at(-1)! - pieces[0]!).toBeGreaterThan(120)
})

test('a body is read slowly', async () => {
  const started = await scripted('slow_read: 1KB')
  const bytes = randomBody()
  const before = performance.now()
  const answer = await fetch(`${started.url}/write`, {
    method: 'POST',
    headers: HEADERS.remotewrite1,
    body: bytes,
  })
  expect(answer.status).toBe(204)
  expect(performance.now() - before).toBeGreaterThan((bytes.length / 1024) * 1000 - 5)
})

test('a login page says 200 and stores nothing', async () => {
  const started = await scripted('login_page: true')
  const answer = await push1(started)
  expect([answer.status, answer.headers.get('Content-Type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ])
  expect(await answer.text()).toContain('Sign in')
  expect(await samples(started)).toBe(0)
})

test('the first ending of a script that applies is what happens', async () => {
  const started = await scripted(
    'too_large: 1MB',
    'status: 503, every: 2',
    'login_page: true, every: 2',
  )
  expect(await statuses(started, 2)).toEqual([204, 503])
})
