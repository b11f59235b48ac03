import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from '../scratch.ts'

/** A request, read to its end. */
export interface Got {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** What answers. */
export type Handler = (got: Got, response: ServerResponse) => unknown

/** A receiver on a free port of 127.0.0.1, until the test is over. What `handle` throws fails the test. */
export async function startReceiver(handle: Handler): Promise<{ url: string }> {
  const failures: unknown[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    // A sender that goes away: it is for the test to see.
    request.on('error', () => {})
    request.once('end', async () => {
      const { method = '', url: path = '', headers } = request
      try {
        await handle({ method, path, headers, body: Buffer.concat(pieces) }, response)
      } catch (error) {
        failures.push(error)
        response.destroy()
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    if (failures.length > 0) throw failures[0]
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
