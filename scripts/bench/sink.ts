import { type ChildProcess, fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An origin in a process of its own that answers 204 at once and counts. */
export interface Sink {
  readonly url: string
  /** What it got since it started. */
  counts(): Promise<SinkCounts>
  stop(): Promise<void>
}

/** Requests, and the bytes of their bodies. */
export interface SinkCounts {
  readonly requests: number
  readonly bytes: number
}

/** Starts a sink on a free port of the loopback. */
export async function startSink(): Promise<Sink> {
  const child = fork(import.meta.filename, { serialization: 'advanced' })
  const { port } = (await answer(child)) as { port: number }
  return {
    url: `http://127.0.0.1:${port}/api/v1/write`,
    counts: () => {
      child.send('counts')
      return answer(child) as Promise<SinkCounts>
    },
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await gone
    },
  }
}

function answer(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('the sink ended'))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.removeListener('exit', ended)
      resolve(message)
    })
  })
}

function serveSink(): void {
  let requests = 0
  let bytes = 0
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    let length = 0
    request.on('data', (chunk: Uint8Array) => {
      length += chunk.length
    })
    request.once('end', () => {
      requests += 1
      bytes += length
      response.writeHead(204).end()
    })
  })
  server.listen(0, '127.0.0.1', () =>
    process.send?.({ port: (server.address() as AddressInfo).port }),
  )
  process.on('message', () => process.send?.({ requests, bytes } satisfies SinkCounts))
  process.once('disconnect', () => process.exit())
}

if (process.argv[1] === import.meta.filename) serveSink()
