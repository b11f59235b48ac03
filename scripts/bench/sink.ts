import { type ChildProcess, fork } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { samplesIn } from './sink-samples.ts'

/** An origin in a process of its own that answers 204 at once and counts. */
export interface Sink {
  readonly url: string
  /** Here it answers 409 instead. */
  readonly conflictUrl: string
  /** What it got since it started. */
  counts(): Promise<SinkCounts>
  /** Whether it decodes what it gets, from now on, to count samples: that takes its time, so not while anything is measured. */
  look(on: boolean): Promise<SinkCounts>
  stop(): Promise<void>
}

/** What a sink got. */
export interface SinkCounts {
  readonly requests: number
  /** Of their bodies. */
  readonly bytes: number
  /** Of requests that it looked into; those of target_info are not counted. */
  readonly samples: number
}

/** What it is told. */
type Order = 'counts' | 'look' | 'look away'

const CONFLICT = '/conflict'
/** A receiver of remote write 2.0 has to say what it has written; more than there is means all of it. */
const ALL_WRITTEN = Object.fromEntries(
  ['Samples', 'Histograms', 'Exemplars'].map((kind) => [
    `X-Prometheus-Remote-Write-${kind}-Written`,
    '1000000000',
  ]),
)

/** Starts a sink on a free port of the loopback. */
export async function startSink(): Promise<Sink> {
  const child = fork(import.meta.filename, { serialization: 'advanced' })
  const { port } = (await answer(child)) as { port: number }
  const told = (order: Order) => {
    child.send(order)
    return answer(child) as Promise<SinkCounts>
  }
  return {
    url: `http://127.0.0.1:${port}/api/v1/write`,
    conflictUrl: `http://127.0.0.1:${port}${CONFLICT}`,
    counts: () => told('counts'),
    look: (on) => told(on ? 'look' : 'look away'),
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
  let samples = 0
  let looks = false
  const take = (request: IncomingMessage, response: ServerResponse) => {
    let length = 0
    const chunks: Uint8Array[] = []
    request.on('data', (chunk: Uint8Array) => {
      length += chunk.length
      if (looks) chunks.push(chunk)
    })
    request.once('end', () => {
      requests += 1
      bytes += length
      const is2 = request.headers['content-type']?.includes('.v2.') ?? false
      if (looks) samples += samplesIn(Buffer.concat(chunks), is2 ? 2 : 1)
      if (request.url === CONFLICT) response.writeHead(409).end('out of order sample')
      else response.writeHead(204, is2 ? ALL_WRITTEN : undefined).end()
    })
  }
  const server = createServer({ keepAliveTimeout: 60_000 }, take)
  server.listen(0, '127.0.0.1', () =>
    process.send?.({ port: (server.address() as AddressInfo).port }),
  )
  process.on('message', (order: Order) => {
    if (order !== 'counts') looks = order === 'look'
    process.send?.({ requests, bytes, samples } satisfies SinkCounts)
  })
  process.once('disconnect', () => process.exit())
}

if (process.argv[1] === import.meta.filename) serveSink()
