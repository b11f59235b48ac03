import type { OriginConfig } from '../../src/config/types.ts'
import { type Counts, NO_COUNTS, type Payload } from '../../src/deliver/payload.ts'
import { COMMON_PROTOCOL, type Protocol } from '../../src/deliver/protocol.ts'
import type { Fetch, SendContext } from '../../src/deliver/send.ts'
import { subrequests } from '../../src/deliver/subrequests.ts'
import type { VirtualTime } from './virtual-time.ts'

/** An origin with Prometheus' defaults. */
export function originConfig(overrides: Partial<OriginConfig> = {}): OriginConfig {
  return {
    name: 'mimir',
    url: 'https://mimir.example/api/v1/push',
    headers: [],
    timeout: 30_000,
    writeRelabelConfigs: [],
    maxSamplesPerSend: 2000,
    maxBytesPerSend: 3_000_000,
    minBackoff: 30,
    maxBackoff: 5000,
    message: 1,
    compression: 'snappy',
    customBuckets: 'expand',
    sendExemplars: false,
    sendNativeHistograms: false,
    sendMetadata: true,
    onFailure: 'reject',
    onMisconfigured: 'retry',
    ...overrides,
  }
}

/** A payload that can be asked whether it was released, and whose bytes are gone then. */
export interface TestPayload extends Payload {
  readonly items: readonly number[]
  released(): boolean
}

export const V2: Protocol = { message: 2, compression: 'snappy' }
export const ZSTD: Protocol = { message: 1, compression: 'zstd' }

/** Carries one sample for each item; its bytes are the items, `size` bytes each. */
export function payloadOf(
  items: readonly number[],
  after = false,
  size = 1,
  protocol: Protocol = COMMON_PROTOCOL,
): TestPayload {
  const bytes = Uint8Array.from(items.flatMap((item) => Array<number>(size).fill(item)))
  let released = false
  return {
    items,
    after,
    protocol,
    counts: samples(items.length),
    get bytes() {
      if (released) throw new Error('the bytes were used after they had been given back')
      return bytes
    },
    release() {
      released = true
      bytes.fill(0xee)
    },
    released: () => released,
  }
}

/** Halves a payload of `payloadOf`; every half that was ever made is in `made`. */
export function halver(size = 1) {
  const made: TestPayload[] = []
  const halve = (payload: Payload): readonly Payload[] => {
    const { items, after, protocol } = payload as TestPayload
    if (items.length < 2) return [payload]
    const middle = Math.ceil(items.length / 2)
    const halves = [
      payloadOf(items.slice(0, middle), after, size, protocol),
      payloadOf(items.slice(middle), true, size, protocol),
    ]
    made.push(...halves)
    return halves
  }
  return { halve, made }
}

/**
 * Repacks a payload of `payloadOf` in the common protocol, at most `most` items each, without the items of which `drop`
 * says so. All that was ever made is in `made`, what was left out in `dropped`.
 */
export function repacker(most = Number.POSITIVE_INFINITY, drop = (_item: number) => false) {
  const made: TestPayload[] = []
  const dropped: number[] = []
  const repack = (payload: Payload): readonly Payload[] => {
    // Whoever repacks reads the bytes.
    const items = [...payload.bytes]
    const kept = items.filter((item) => !drop(item))
    dropped.push(...items.filter(drop))
    const pieces: TestPayload[] = []
    for (let at = 0; at < kept.length; at += most) {
      pieces.push(payloadOf(kept.slice(at, at + most), at > 0 || payload.after))
    }
    made.push(...pieces)
    return pieces
  }
  return { repack, made, dropped }
}

/** The protocol that a request says it is made in. */
export function protocolOf({ headers }: Pick<Got, 'headers'>): 'v1' | 'v2' | 'zstd' {
  if (headers.get('content-encoding') === 'zstd') return 'zstd'
  return headers.get('content-type')?.includes('v2.Request') ? 'v2' : 'v1'
}

/** Headers of a receiver of 2.0. What is not named is not there. */
export function writtenHeaders(written: {
  samples?: number | string
  histograms?: number | string
  exemplars?: number | string
}): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [kind, value] of Object.entries(written)) {
    const name = `${kind[0]!.toUpperCase()}${kind.slice(1)}`
    headers[`X-Prometheus-Remote-Write-${name}-Written`] = String(value)
  }
  return headers
}

export function samples(count: number): Counts {
  return { ...NO_COUNTS, samples: count }
}

/** What an origin does with one request. A `wait` is in milliseconds of virtual time. */
export interface Reaction {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: BodyInit
  readonly wait?: number
  /** Fails without an answer. */
  readonly error?: unknown
}

/** One request as an origin got it. */
export interface Got {
  readonly url: string
  readonly method: string
  readonly redirect: string
  readonly headers: Headers
  /** A copy made when `fetch` was called, like the platform's. */
  readonly body: Uint8Array
  readonly at: number
}

export const REFUSED = new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })

/**
 * A `fetch` whose origin does what `script` says for each request in turn; beyond its end the last
 * thing again.
 */
export function scriptedFetch(
  time: VirtualTime,
  script: readonly Reaction[] | ((got: Got, nth: number) => Reaction),
) {
  const got: Got[] = []
  const open = { now: 0, most: 0 }
  const fetch: Fetch = async (url, init) => {
    const request = {
      url,
      method: init.method ?? 'GET',
      redirect: init.redirect ?? 'follow',
      headers: new Headers(init.headers),
      body: (init.body as Uint8Array).slice(),
      at: time.now(),
    }
    const nth = got.push(request) - 1
    const react =
      typeof script === 'function'
        ? script(request, nth)
        : script[Math.min(nth, script.length - 1)]!
    open.most = Math.max(open.most, ++open.now)
    try {
      // Waiting for ever is left to whoever aborts.
      if (react.wait !== undefined) await time.wait(react.wait, init.signal ?? undefined)
      if (init.signal?.aborted) throw init.signal.reason
      if (react.error !== undefined) throw react.error
      const { status = 204, headers = {}, body = null } = react
      return new Response(body, { status, headers })
    } finally {
      open.now--
    }
  }
  return { fetch, got, open }
}

/** A context whose deadline is 8 s away. */
export function sendContext(
  time: VirtualTime,
  fetch: Fetch,
  overrides: Partial<SendContext> = {},
): SendContext {
  return {
    tenant: 'prod',
    deadline: time.now() + 8000,
    version: '1.2.3',
    fetch,
    now: time.now,
    random: () => 0.5,
    sleep: time.sleep,
    subrequests: subrequests(50),
    ...overrides,
  }
}
