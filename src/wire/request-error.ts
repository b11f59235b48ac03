/**
 * The statuses a request that can't be served may get. 429 and 500 are missing on purpose:
 * Prometheus drops the data on the first by default, OTLP senders on the second.
 */
export type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 413 | 415 | 503

/** What a refusal may carry besides its text. */
export interface RefusalDetails {
  /** When the sender may try again. Seconds, whole or not: the answer rounds up. */
  readonly retryAfter?: number
  /** Headers the status asks for, such as `Allow` with a 405. Never a secret. */
  readonly headers?: Readonly<Record<string, string>>
  /** What led here. For the log, never shown to the sender. */
  readonly cause?: unknown
}

/**
 * The one error that says "this request can't be served, and this is what the sender is told".
 * `message` is shown to the sender: it names what is wrong and never holds a credential. Any other
 * error is unexpected and becomes a 503.
 */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly status: RefusalStatus
  /** Stable, snake_case: the `reason` of logs and metrics. */
  readonly code: string
  readonly retryAfter: number | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(status: RefusalStatus, code: string, message: string, details: RefusalDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.status = status
    this.code = code
    this.retryAfter = details.retryAfter
    this.headers = details.headers ?? {}
  }
}

/** 400: the body can never be accepted, sending it again is pointless. */
export function badRequest(code: string, message: string): RequestError {
  return new RequestError(400, code, message)
}

/** 413: over a size limit that the message names. */
export function tooLarge(code: string, message: string): RequestError {
  return new RequestError(413, code, message)
}

/** 503: not now, send the same again. Without `retryAfter` (seconds) the answer picks one. */
export function unavailable(
  code: string,
  message: string,
  details: Omit<RefusalDetails, 'headers'> = {},
): RequestError {
  return new RequestError(503, code, message, details)
}
