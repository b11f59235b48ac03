import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from './answer.ts'

/** Pieces of a slow answer, and what a reset leaves time for so that what was written is on its way. */
const PIECES = 20
const ON_ITS_WAY = 30
/** A body that is broken off half way. */
const BROKEN = Buffer.alloc(64, '.')

/** How an answer is sent. Times are milliseconds. */
export interface Sending {
  readonly latency: number
  /** From the first byte to the last. */
  readonly over: number
  /** Where in it the connection is reset. */
  readonly breakAt?: 'in_head' | 'in_body'
}

/** What became of an answer: `gone` where the sender had left. */
export type Sent = 'sent' | 'reset' | 'gone'

/** Sends an answer: at once, slowly, or in part. */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  { latency, over, breakAt }: Sending,
): Promise<Sent> {
  const { socket } = request
  await pause(latency, socket)
  if (socket.destroyed) return 'gone'
  if (breakAt !== undefined) {
    socket.write(brokenAnswer(answer, breakAt))
    await sleep(ON_ITS_WAY)
    socket.resetAndDestroy()
    return 'reset'
  }
  if (over > 0) return slowly(socket, wholeAnswer(answer), over)
  // Where the body was not read to its end the connection is of no more use.
  const close = request.complete ? {} : { Connection: 'close' }
  response.writeHead(answer.status, { ...answer.headers, ...lengthOf(answer), ...close })
  response.end(answer.body)
  return 'sent'
}

async function slowly(socket: Socket, bytes: Uint8Array, over: number): Promise<Sent> {
  const step = Math.ceil(bytes.length / PIECES)
  for (let at = 0; at < bytes.length; at += step) {
    if (socket.destroyed) return 'gone'
    socket.write(bytes.subarray(at, at + step))
    await pause(over / PIECES, socket)
  }
  socket.end()
  return 'sent'
}

/** Waits, but no longer than the sender does. */
async function pause(milliseconds: number, socket: Socket): Promise<void> {
  if (milliseconds <= 0 || socket.destroyed) return
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  socket.once('close', leave)
  try {
    await sleep(milliseconds, undefined, { signal: leaving.signal })
  } catch (error) {
    if (!leaving.signal.aborted) throw error
  } finally {
    socket.off('close', leave)
  }
}

function brokenAnswer(answer: Answer, at: 'in_head' | 'in_body'): Uint8Array {
  if (at === 'in_head') {
    const head = headOf(answer)
    return head.subarray(0, head.length / 2)
  }
  // A 204 has no body that could be broken off.
  const head = headOf({ ...answer, status: 200, body: BROKEN })
  return Buffer.concat([head, BROKEN.subarray(0, BROKEN.length / 2)])
}

function wholeAnswer(answer: Answer): Uint8Array {
  return Buffer.concat([headOf(answer), answer.body])
}

/** Written by hand, for node writes heads whole. */
function headOf({ status, headers, body }: Answer): Buffer {
  const all = { ...headers, ...lengthOf({ status, body }), Connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`)
}

/** A 204 has no body, and may not say so (RFC 9110 8.6). */
function lengthOf({ status, body }: Pick<Answer, 'status' | 'body'>): Record<string, string> {
  return status === 204 ? {} : { 'Content-Length': String(body.length) }
}
