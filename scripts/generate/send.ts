import * as http from 'node:http'
import * as https from 'node:https'
import type { Answer } from './answer.ts'
import { failureKind } from './failure.ts'

/** Where requests go, and how. */
export interface SenderOptions {
  /** Without credentials. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Connections at most; they are kept. */
  readonly connections: number
  /** For a whole request, in milliseconds. */
  readonly timeout: number
}

/** Sends requests to one receiver. */
export interface Sender {
  /** Sends one and reads its answer; never rejects. `body` is only read, but until the promise has resolved and a little longer. */
  post(body: Uint8Array): Promise<Answer>
  /** Breaks off what is under way: those requests fail as `broken off`. */
  close(): void
}

/** As much of an answer is kept, and read at all. */
const KEPT = 64 * 1024
const READ = 1024 * 1024

/** A sender with connections of its own. Follows no redirects and tries nothing twice. */
export function createSender({ url, headers, connections, timeout }: SenderOptions): Sender {
  const { Agent, request } = url.protocol === 'https:' ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let closed = false
  const options = { method: 'POST', agent, headers }

  return {
    post(body) {
      return new Promise((resolve) => {
        const outgoing = request(
          url.href,
          { ...options, headers: { ...headers, 'content-length': body.length } },
          (response) => {
            const kept: Buffer[] = []
            let length = 0
            response.on('data', (piece: Buffer) => {
              if (length < KEPT) kept.push(piece.subarray(0, KEPT - length))
              length += piece.length
              // Its status is known: what comes of an endless answer is of no use.
              if (length > READ) finish()
            })
            const finish = () => {
              const { statusCode: status = 0, headers } = response
              end({ status, headers, body: Buffer.concat(kept) })
              if (!response.complete) outgoing.destroy()
            }
            response.once('end', finish)
            response.once('error', fail)
            // An answer that is broken off says so by this only.
            response.once('close', () => {
              if (!response.complete) fail(new Error('the answer was broken off'))
            })
          },
        )
        const timer = setTimeout(() => {
          end({ failure: 'timeout', message: `no answer within ${timeout / 1000} s` })
          outgoing.destroy()
        }, timeout)
        function end(answer: Answer): void {
          clearTimeout(timer)
          resolve(answer)
        }
        function fail(error: Error): void {
          const failure = closed ? 'broken off' : failureKind(error)
          end({ failure, message: error.message })
        }
        outgoing.once('error', fail)
        outgoing.end(body)
      })
    },
    close() {
      closed = true
      agent.destroy()
    },
  }
}
