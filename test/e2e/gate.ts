import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Rig } from './rig.ts'

/** An HTTP server before an origin that can pretend the origin is overloaded. */
export interface Gate {
  /** The origin's url, through the gate. */
  readonly url: string
  /** Requests that got a 503 while it was shut. */
  readonly refused: number
  /** From now on everything is answered 503. */
  shut(): void
  /** From now on everything is passed on. */
  open(): void
}

/** Starts an open gate before `target`. */
export async function startGate(rig: Rig, target: string): Promise<Gate> {
  let isShut = false
  let refused = 0
  const server = createServer((incoming, response) => {
    if (isShut) {
      refused += 1
      incoming.resume().once('end', () => response.writeHead(503).end('shut for a test\n'))
      return
    }
    const { method, headers } = incoming
    const onward = request(target, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.once('error', () => response.writeHead(502).end())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  rig.onEnd(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${new URL(target).pathname}`,
    get refused() {
      return refused
    },
    shut() {
      isShut = true
    },
    open() {
      isShut = false
    },
  }
}
