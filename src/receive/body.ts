import { badRequest, unavailable } from '../wire/request-error.ts'
import { declaredLength } from './content-length.ts'
import { budgetFull, type Lease } from './memory-budget.ts'
import { bodyTooLarge } from './request-head.ts'

/** How a body is to be read. */
export interface ReadBodyOptions {
  /** `limits.body`: the largest body, bytes as they arrive. */
  readonly limit: number
  /**
   * Grows by the memory that the body takes. Stays the caller's, who releases it when the body is
   * no longer needed.
   */
  readonly lease: Lease
  /** How long the whole read may take from now. Milliseconds. */
  readonly deadline: number
  /** The sender hung up, or nobody wants the body any more. */
  readonly signal?: AbortSignal
}

/** A promise that only ever rejects: when the deadline has passed or the signal says so. */
interface Stop {
  readonly promise: Promise<never>
  readonly stopped: boolean
  dispose(): void
}

const FIRST_CAPACITY = 16 * 1024

/**
 * Reads the whole body; an absent one is empty. The bytes are the caller's alone, in memory that
 * the lease has paid for. Throws RequestErrors: 413 over `limit` (at once when the length was
 * declared, else the moment it passes), 400 when there is more than was declared, 503 when the
 * budget is full, the deadline passes, or the body ends early. On a throw the lease is as it was
 * before.
 */
export async function readBody(request: Request, options: ReadBodyOptions): Promise<Uint8Array> {
  const { limit, lease } = options
  const declared = declaredLength(request.headers)
  if (declared !== undefined && declared > limit) throw bodyTooLarge(limit)
  const before = lease.bytes
  try {
    return declared === undefined
      ? await readChunks(request, options)
      : await readDeclared(request, declared, options)
  } catch (error) {
    lease.shrink(Math.max(0, lease.bytes - before))
    throw error
  }
}

async function readDeclared(
  request: Request,
  declared: number,
  { lease, deadline, signal }: ReadBodyOptions,
): Promise<Uint8Array> {
  pay(lease, declared)
  const stop = stopAfter(deadline, signal)
  try {
    const read = request.arrayBuffer().catch(cutOff)
    const body = new Uint8Array(await Promise.race([read, stop.promise]))
    if (body.length === declared) return body
    // Short is what a cut connection looks like, and the same bytes may arrive whole the next time.
    // Long is a lie.
    if (body.length < declared) return cutOff(undefined)
    throw badRequest(
      'body_length',
      `the body has ${body.length} bytes, Content-Length says ${declared}`,
    )
  } finally {
    stop.dispose()
  }
}

async function readChunks(
  request: Request,
  { limit, lease, deadline, signal }: ReadBodyOptions,
): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array(0)
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader()
  const stop = stopAfter(deadline, signal)
  try {
    return await Promise.race([collect(reader, limit, lease, stop), stop.promise])
  } catch (error) {
    // Wakes a read that still waits. Not awaited: a source may take its time, or be the thing that
    // broke.
    reader.cancel(error).catch(() => undefined)
    throw error
  } finally {
    stop.dispose()
  }
}

/**
 * One buffer that doubles, not a list of chunks: a chunk of one byte can hold on to kilobytes. The
 * lease pays for the buffer's whole capacity.
 */
async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limit: number,
  lease: Lease,
  stop: Stop,
): Promise<Uint8Array> {
  let buffer = new ArrayBuffer(0)
  let length = 0
  for (;;) {
    const { done, value } = await reader.read().catch(cutOff)
    // Nobody waits for the result any more, and the lease has been given back.
    if (done || stop.stopped) break
    const end = length + value.length
    if (end > limit) throw bodyTooLarge(limit)
    if (end > buffer.byteLength) {
      const capacity = Math.min(limit, Math.max(FIRST_CAPACITY, buffer.byteLength * 2, end))
      pay(lease, capacity - buffer.byteLength)
      buffer = buffer.transfer(capacity)
    }
    new Uint8Array(buffer, length).set(value)
    length = end
  }
  if (!stop.stopped) lease.shrink(buffer.byteLength - length)
  return new Uint8Array(buffer.transfer(length))
}

function pay(lease: Lease, bytes: number): void {
  if (lease.grow(bytes)) return
  throw budgetFull()
}

/**
 * 503 and not 408 for everything that goes wrong in transit: to a remote write sender each 4xx but
 * 429 means "drop this data", and a slow or broken connection is no fault of the data.
 */
function cutOff(cause: unknown): never {
  throw unavailable('body_cut_off', 'the body ended before it was whole', { cause })
}

function stopAfter(deadline: number, signal: AbortSignal | undefined): Stop {
  const { promise, reject } = Promise.withResolvers<never>()
  // The reader may fail first, then nobody listens here.
  promise.catch(() => undefined)
  let stopped = false
  const stop = (code: string, message: string, cause?: unknown): void => {
    stopped = true
    reject(unavailable(code, message, { cause }))
  }
  const abort = (): void => stop('body_aborted', 'the request was aborted', signal?.reason)
  const timer = setTimeout(
    () => stop('body_timeout', `the body did not arrive within ${deadline} ms`),
    deadline,
  )
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  return {
    promise,
    get stopped() {
      return stopped
    },
    dispose() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    },
  }
}
