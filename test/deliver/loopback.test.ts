import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { afterAll, expect, test, vi } from 'vitest'
import { type DeliverContext, deliver } from '../../src/deliver/deliver.ts'
import { COMMON_PROTOCOL } from '../../src/deliver/protocol.ts'
import { sleep } from '../../src/deliver/sleep.ts'
import { subrequests } from '../../src/deliver/subrequests.ts'
import { halver, originConfig, payloadOf, repacker, samples, V2 } from './fixtures.ts'

// Real connections: everything here is over within the deadline below, most of it at once.
const DEADLINE = 2000

interface Got {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

type Handler = (response: ServerResponse, got: Got, nth: number) => void

const closers: (() => Promise<unknown>)[] = []

afterAll(() => Promise.all(closers.map((close) => close())))

async function listening(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** An HTTP server that does what `handle` says; keeps what it got. */
async function serve(handle: Handler) {
  const got: Got[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const one = { url: request.url!, headers: request.headers, body: Buffer.concat(chunks) }
    handle(response, one, got.push(one) - 1)
  })
  const port = await listening(server)
  closers.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return { got, url: `http://127.0.0.1:${port}/api/v1/write` }
}

/** A TCP server that does what `handle` says with each connection's first bytes. */
async function serveRaw(handle: (socket: Socket, nth: number) => void) {
  let connections = 0
  const open = new Set<Socket>()
  const server = createTcpServer((socket) => {
    const nth = connections++
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => open.delete(socket))
    socket.once('data', () => handle(socket, nth))
  })
  const port = await listening(server)
  closers.push(() => {
    for (const socket of open) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${port}/`, connections: () => connections, open }
}

async function delivered(
  url: string,
  items = [[1, 2], [3]],
  timeout = DEADLINE,
  protocol = COMMON_PROTOCOL,
) {
  const { halve, made } = halver()
  const payloads = items.map((list) => payloadOf(list, false, 1, protocol))
  const unexpected = vi.fn()
  const ctx: DeliverContext = {
    tenant: 'prod',
    deadline: Date.now() + DEADLINE,
    version: '1.2.3',
    fetch,
    now: Date.now,
    random: Math.random,
    sleep,
    subrequests: subrequests(50),
    inFlight: 6,
    halve,
    repack: repacker().repack,
    downgraded: vi.fn(),
    unexpected,
  }
  const origin = originConfig({
    url,
    timeout,
    authorization: 'Bearer hunter2',
    headers: [['X-Scope-OrgID', '{tenant}']],
  })
  const result = await deliver(origin, payloads, ctx)
  for (const payload of [...payloads, ...made]) expect(payload.released()).toBe(true)
  expect(unexpected).not.toHaveBeenCalled()
  return result
}

test('an origin that takes everything gets exactly the bytes and headers', async () => {
  const { url, got } = await serve((response) => response.writeHead(204).end())
  expect(await delivered(url)).toMatchObject({ delivered: samples(3), worst: 'delivered' })
  expect(got.map(({ body }) => [...body]).sort()).toEqual([[1, 2], [3]])
  expect(got[0]!.headers).toMatchObject({
    'content-encoding': 'snappy',
    'content-type': 'application/x-protobuf',
    'x-prometheus-remote-write-version': '0.1.0',
    'user-agent': 'Sluice/1.2.3',
    'x-scope-orgid': 'prod',
    authorization: 'Bearer hunter2',
  })
  expect(got[0]!.headers['content-length']).toBe(String(got[0]!.body.length))
})

test('an origin that refuses 2.0 gets the same in 1.0', async () => {
  const { url, got } = await serve((response, { headers }) => {
    response.writeHead(headers['content-type'] === 'application/x-protobuf' ? 204 : 415).end()
  })
  expect(await delivered(url, [[1, 2]], DEADLINE, V2)).toMatchObject({ delivered: samples(2) })
  expect(got.map(({ headers }) => headers['x-prometheus-remote-write-version'])).toEqual([
    '2.0.0',
    '0.1.0',
  ])
  expect(got[0]!.headers['content-type']).toBe(
    'application/x-protobuf;proto=io.prometheus.write.v2.Request',
  )
})

test('what an origin says it wrote is read from its headers, and means nothing when said twice', async () => {
  const name = 'X-Prometheus-Remote-Write-Samples-Written'
  for (const [said, written] of [
    ['3', 3],
    [['3'], 3],
    [['3', '3'], 0],
  ] as const) {
    const { url } = await serve((response) => response.setHeader(name, said).writeHead(204).end())
    const result = await delivered(url, [[1, 2, 3]], DEADLINE, V2)
    expect(result).toMatchObject({ delivered: samples(written), rejected: samples(3 - written) })
  }
})

test('200 with a body, as Thanos and proxies answer, is taken too', async () => {
  const { url } = await serve((response) => response.writeHead(200).end('thank you'))
  expect((await delivered(url)).worst).toBe('delivered')
})

test('where nobody listens it is busy after two tries', async () => {
  const server = createServer()
  const port = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  const result = await delivered(`http://127.0.0.1:${port}/`, [[1]])
  expect(result).toMatchObject({ failed: samples(1), worst: 'busy', bytesOut: 2 })
  expect(result.messages).toEqual(['origin mimir: no connection: ECONNREFUSED'])
})

test('a connection that is reset before an answer is tried again, and that may succeed', async () => {
  const { url, connections } = await serveRaw((socket, nth) => {
    if (nth === 0) return socket.resetAndDestroy()
    socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')
  })
  expect((await delivered(url, [[1]])).worst).toBe('delivered')
  expect(connections()).toBe(2)
})

test('a connection that always breaks is busy', async () => {
  const { url, connections } = await serveRaw((socket) => socket.destroy())
  const result = await delivered(url, [[1]])
  expect(result).toMatchObject({ failed: samples(1), worst: 'busy' })
  expect(connections()).toBe(2)
})

test('an origin that hangs is busy after its timeout, and its connection is closed', async () => {
  const { url, connections, open } = await serveRaw(() => undefined)
  const start = performance.now()
  const result = await delivered(url, [[1]], 200)
  expect(performance.now() - start).toBeLessThan(DEADLINE - 200)
  expect(result).toMatchObject({
    failed: samples(1),
    messages: ['origin mimir: no answer in time'],
  })
  expect(connections()).toBe(1)
  await vi.waitFor(() => expect(open.size).toBe(0))
})

test('garbage in place of HTTP is busy', async () => {
  const { url } = await serveRaw((socket) => socket.end('\x16\x03\x01 this is no HTTP\r\n\r\n'))
  expect(await delivered(url, [[1]])).toMatchObject({ failed: samples(1), worst: 'busy' })
})

test('a status that no specification knows is busy', async () => {
  const { url } = await serveRaw((socket) => socket.end('HTTP/1.1 999 What\r\n\r\n'))
  expect(await delivered(url, [[1]])).toMatchObject({ failed: samples(1), worst: 'busy' })
})

test('an error body of 1 MB costs a line, and its connection', async () => {
  const line = 'out of order sample for Bearer hunter2'
  const { url } = await serve((response) =>
    response.writeHead(400).end(`${line}\n${'\x1bx'.repeat(500_000)}`),
  )
  const result = await delivered(url, [[1]])
  expect(result).toMatchObject({ rejected: samples(1), worst: 'rejected' })
  expect(result.messages).toEqual(['origin mimir answered 400: out of order sample for ***'])
})

test('an error body that never ends leaves the status its meaning', async () => {
  const { url } = await serve((response) => {
    response.writeHead(400).write('too old')
  })
  const start = performance.now()
  const result = await delivered(url, [[1]])
  expect(performance.now() - start).toBeLessThan(DEADLINE)
  expect(result.worst).toBe('rejected')
  expect(result.messages).toEqual(['origin mimir answered 400: too old'])
})

test('an error body that breaks off does too', async () => {
  const { url } = await serveRaw((socket) =>
    socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 100\r\n\r\ntoo'),
  )
  expect(await delivered(url, [[1]])).toMatchObject({ worst: 'rejected', bytesOut: 1 })
})

test('a redirect on the same host is followed with the same body, one elsewhere is not', async () => {
  const elsewhere = await serve((response) => response.writeHead(200).end())
  const { url, got } = await serve((response, { url }) => {
    if (url === '/v2') response.writeHead(204).end()
    else response.writeHead(308, { location: '/v2' }).end('moved')
  })
  const lost = await serve((response) => response.writeHead(307, { location: elsewhere.url }).end())
  expect((await delivered(url, [[1, 2]])).worst).toBe('delivered')
  expect(got.map((one) => [one.url, [...one.body]])).toEqual([
    ['/api/v1/write', [1, 2]],
    ['/v2', [1, 2]],
  ])
  const result = await delivered(lost.url, [[1]])
  expect(result).toMatchObject({ failed: samples(1), worst: 'busy' })
  expect(result.misconfigured).toMatch(/answered 307: a redirect to 127\.0\.0\.1:\d+$/)
  expect(elsewhere.got).toHaveLength(0)
})

test('413 until it is small enough', async () => {
  const { url, got } = await serve((response, { body }) =>
    response.writeHead(body.length > 2 ? 413 : 200).end(),
  )
  const result = await delivered(url, [[1, 2, 3, 4, 5, 6, 7]])
  expect(result).toMatchObject({ delivered: samples(7), worst: 'delivered' })
  const taken = got.filter(({ body }) => body.length <= 2).flatMap(({ body }) => [...body])
  expect(taken).toEqual([1, 2, 3, 4, 5, 6, 7])
})

test('503 with Retry-After stops, and passes the wait on', async () => {
  const { url } = await serve((response) =>
    response.writeHead(503, { 'retry-after': '7' }).end('later'),
  )
  expect(await delivered(url)).toMatchObject({ failed: samples(3), retryAfter: 7000 })
})
