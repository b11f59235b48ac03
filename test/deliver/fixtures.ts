import type { OriginConfig } from '../../src/config/types.ts'
import { type Counts, NO_COUNTS, type Payload } from '../../src/deliver/payload.ts'
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

/** Carries one sample for each item; its bytes are the items, `size` bytes each. */
export function payloadOf(items: readonly number[], after = false, size = 1): TestPayload {
  const bytes = Uint8Array.from(items.flatMap((item) => Array<number>(size).fill(item)))
  let released = false
  return {
    items,
    after,
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
    const { items, after } = payload as TestPayload
    if (items.length < 2) return [payload]
    const middle = Math.ceil(items.length / 2)
    const halves = [
      payloadOf(items.slice(0, middle), after, size),
      payloadOf(items.slice(middle), true, size),
    ]
    made.push(...halves)
    return halves
  }
  return { halve, made }
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
