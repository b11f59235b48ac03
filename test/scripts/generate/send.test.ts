import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createSender, type SenderOptions } from '../../../scripts/generate/send.ts'
import { atEnd } from '../scratch.ts'
import { type Handler, startReceiver } from './receiver.ts'

/** Sends `requests` bodies at once to one who answers so. */
async function send(handle: Handler, requests = 1, options: Partial<SenderOptions> = {}) {
  const url = new URL('/write?a=b', (await startReceiver(handle)).url)
  const sender = createSender({ url, headers: {}, connections: 2, timeout: 5000, ...options })
  atEnd(() => sender.close())
  const body = (i: number) => Buffer.from(`body ${i}`)
  return Promise.all(Array.from({ length: requests }, (_, i) => sender.post(body(i))))
}

const text = (body: Uint8Array) => new TextDecoder().decode(body)

describe('a sender', () => {
  it('posts bodies with their headers, and keeps its connections', async () => {
    const sockets = new Set<unknown>()
    const came: unknown[] = []
    const answers = await send(
      ({ method, path, headers, body }, response) => {
        sockets.add(response.socket)
        came.push([method, path, headers['x-a'], headers['content-length'], text(body)])
        response.writeHead(202, { 'X-Told': 'yes' }).end('thanks')
      },
      6,
      { headers: { 'x-a': '1' } },
    )
    expect(sockets.size).toBe(2)
    expect(came).toHaveLength(6)
    expect(came).toContainEqual(['POST', '/write?a=b', '1', '6', 'body 3'])
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 202, headers: { 'x-told': 'yes' } })
      expect('body' in answer && text(answer.body)).toBe('thanks')
    }
  })

  it('keeps only the beginning of an answer, and does not read an endless one', async () => {
    const [answer] = await send((_, response) => {
      const piece = 'x'.repeat(100_000)
      const more = () => {
        while (!response.destroyed && response.write(piece));
      }
      response.on('drain', more)
      more()
    })
    expect(answer).toMatchObject({ status: 200 })
    expect('body' in answer! && answer.body.length).toBe(64 * 1024)
  })

  it('follows no redirect', async () => {
    let requests = 0
    const [answer] = await send((_, response) => {
      requests += 1
      response.writeHead(302, { Location: '/elsewhere' }).end()
    })
    expect(answer).toMatchObject({ status: 302 })
    expect(requests).toBe(1)
  })

  it.each<[string, Handler, Partial<SenderOptions>]>([
    ['timeout', () => {}, { timeout: 50 }],
    ['timeout', (_, response) => response.write('begun'), { timeout: 50 }],
    ['connection reset', (_, response) => response.socket?.resetAndDestroy(), {}],
    [
      'connection reset',
      (_, response) => {
        response.write('begun', () => response.socket?.resetAndDestroy())
      },
      {},
    ],
  ])('says what kind of failure it was: %s', async (failure, handle, options) => {
    const [answer] = await send(handle, 1, options)
    expect(answer).toMatchObject({ failure })
  })

  it('tells of an answer that was broken off', async () => {
    const [answer] = await send((_, response) => {
      response.writeHead(200, { 'Content-Length': 100 })
      response.write('begun', () => response.socket?.end())
    })
    expect(answer).toHaveProperty('failure')
  })

  it('tells of what is not HTTP, and of nobody', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.end('hello\r\n', () => socket.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const url = new URL(`http://127.0.0.1:${port}`)
    const sender = createSender({ url, headers: {}, connections: 1, timeout: 5000 })
    expect(await sender.post(Buffer.from('x'))).toMatchObject({ failure: 'not HTTP' })
    await new Promise((resolve) => server.close(resolve))
    expect(await sender.post(Buffer.from('x'))).toMatchObject({ failure: 'connection refused' })
    sender.close()
  })

  it('breaks off what is under way when it is closed', async () => {
    const came = Promise.withResolvers<void>()
    const url = new URL((await startReceiver(() => came.resolve())).url)
    const sender = createSender({ url, headers: {}, connections: 2, timeout: 60_000 })
    const answers = [sender.post(Buffer.from('a')), sender.post(Buffer.from('b'))]
    await came.promise
    sender.close()
    expect(await Promise.all(answers)).toMatchObject([
      { failure: 'broken off' },
      { failure: 'broken off' },
    ])
  })
})
