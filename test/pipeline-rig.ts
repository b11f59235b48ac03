import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import { type AppDeps, createApp } from '../src/app.ts'
import { createLiveConfig, type LiveConfig } from '../src/config/live.ts'
import { sleep } from '../src/deliver/sleep.ts'
import { createDowngrades } from '../src/downgrades.ts'
import kernelModule from '../src/kernel/kernel.wasm'
import { createMemoryBudget, memoryBudgetBytes } from '../src/receive/memory-budget.ts'
import { createLog } from '../src/telemetry/log.ts'
import { type WriteRequest, WriteRequestSchema } from '../src/wire/gen/prometheus_pb.js'
import { Workspace } from '../src/workspace.ts'
import { countsIn, type Opened, openPayload } from './origin-payload.ts'

/** One request as it arrived at an origin. */
export interface Arrival extends Opened {
  readonly origin: string
  readonly url: string
  readonly headers: Headers
  /** `name{a="b"} value@time` of every sample. */
  readonly samples: readonly string[]
  /** Milliseconds by the platform's clock. */
  readonly at: number
}

/**
 * What an origin does: whatever a function comes to, or a status; a receiver of 2.0 with one of success has written all,
 * and says so.
 */
export type Script = number | ((arrival: Arrival) => Response | Promise<Response>)

export interface RigOptions {
  /** By name of the origin; 204 where there is none. */
  readonly origins?: Readonly<Record<string, Script>>
  /** Bindings: of the config's `${NAME}`, and `SLUICE_KV`. */
  readonly env?: Record<string, unknown>
  readonly workspace?: Workspace
  /** Bytes. */
  readonly budget?: number
  /** Instead of what the rig has: `fetchOf` stands in for the scripted origins. */
  readonly deps?: Partial<AppDeps>
}

export interface PushOptions {
  readonly path?: string
  /** A bearer token. */
  readonly token?: string
  readonly headers?: Record<string, string>
}

/** A write request as the tests write it. */
export type Message = MessageInitShape<typeof WriteRequestSchema>
type Labels = Readonly<Record<string, string>>

/** The routes with scripted origins and everything else real. */
export type Rig = ReturnType<typeof startRig>

export function startRig(config: string, options: RigOptions = {}) {
  const { origins = {}, env = {} } = options
  const workspace = options.workspace ?? new Workspace(kernelModule)
  const budget = createMemoryBudget(options.budget ?? memoryBudgetBytes)
  const arrivals: Arrival[] = []
  const taken: Arrival[] = []
  const logged: Record<string, unknown>[] = []
  const sink = (line: string) => void logged.push(JSON.parse(line))
  const live: LiveConfig = createLiveConfig(env, config, () => undefined)
  const pending: Promise<unknown>[] = []
  const clock = { ahead: 0 }
  /** Payloads that no origin would understand. */
  const broken: unknown[] = []

  function opening(open: () => Opened): Opened {
    try {
      return open()
    } catch (error) {
      broken.push(error)
      throw error
    }
  }

  async function answered(response: Response) {
    const bytes = new Uint8Array(await response.arrayBuffer())
    const text = new TextDecoder().decode(bytes)
    // To the routes it is a connection that broke.
    if (broken.length > 0) throw broken[0]
    return { status: response.status, text, bytes, headers: response.headers }
  }

  async function reach(origin: string, url: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    // As the platform does, the body is read when fetch is called.
    const opened = opening(() => openPayload(headers, new Uint8Array(init.body as Uint8Array)))
    const samples = samplesOf(opened.message)
    const arrival = { origin, url, headers, ...opened, samples, at: Date.now() }
    arrivals.push(arrival)
    const script = origins[origin] ?? 204
    const answer = typeof script === 'number' ? plainAnswer(script, arrival) : await script(arrival)
    if (answer.ok) taken.push(arrival)
    return answer
  }

  const app = createApp({
    live,
    workspace,
    budget,
    log: createLog({ info: sink, warn: sink, error: sink }),
    version: 'test',
    now: () => Date.now() + clock.ahead,
    random: () => 0,
    sleep,
    fetchOf:
      ({ name }) =>
      (url, init) =>
        reach(name, url, init),
    embedded: { auth: () => live.current().config?.auth ?? 'none', origin: () => undefined },
    loopbackOnly: false,
    downgrades: createDowngrades(() => Date.now() + clock.ahead),
    ownSubrequests: 0,
    ...options.deps,
  })

  async function fetch(request: Request): Promise<Response> {
    const waitUntil = (work: Promise<unknown>) => void pending.push(work)
    const ctx = { waitUntil, passThroughOnException() {}, props: {} } as unknown as ExecutionContext
    return app.fetch(request, env as unknown as Cloudflare.Env, ctx)
  }

  return {
    workspace,
    budget,
    /** Everything that was sent, in the order it was. */
    arrivals,
    /** What was answered with 2xx. */
    taken,
    /** Lines of the log. */
    logged,
    clock,
    fetch,
    /** Sends a body, or a message in snappy. */
    async push(what: Message | Uint8Array, options: PushOptions = {}) {
      const body = what instanceof Uint8Array ? what : bodyOf(what)
      const { path = '/api/v1/write', token, headers } = options
      const all = new Headers({ 'Content-Length': String(body.length), ...headers })
      if (token) all.set('Authorization', `Bearer ${token}`)
      const request = { method: 'POST', headers: all, body: body as BodyInit }
      return answered(await fetch(new Request(`http://sluice.test${path}`, request)))
    },
    async get(path: string, token?: string) {
      const headers = token ? { Authorization: `Bearer ${token}` } : undefined
      return answered(await fetch(new Request(`http://sluice.test${path}`, { headers })))
    },
    /** All that was left to `waitUntil` is done. */
    async settle() {
      while (pending.length > 0) await pending.pop()
    },
  }
}

function plainAnswer(code: number, arrival: Arrival): Response {
  return code >= 200 && code < 300 ? wrote(arrival, code) : status(code)
}

/** What a receiver answers that has written all of it, or but this much. It says so to a sender of 2.0 only. */
export function wrote(
  { protocol, message }: Pick<Arrival, 'protocol' | 'message'>,
  code = 204,
  less: Partial<ReturnType<typeof countsIn>> = {},
): Response {
  if (protocol.message === 1) return status(code)
  const { samples, histograms, exemplars } = { ...countsIn(message), ...less }
  return status(code, undefined, {
    'X-Prometheus-Remote-Write-Samples-Written': `${samples}`,
    'X-Prometheus-Remote-Write-Histograms-Written': `${histograms}`,
    'X-Prometheus-Remote-Write-Exemplars-Written': `${exemplars}`,
  })
}

/** An answer without a body, or with a text. */
export function status(code: number, text?: string, headers?: Record<string, string>): Response {
  return new Response(text ?? null, { status: code, headers })
}

/** The time of samples unless told otherwise. Long ago, as tests may run at any time. */
export const T = 1_700_000_000_000

/** A series with samples, each a value and milliseconds after T. */
export function series(labels: Labels, ...samples: (readonly [value: number, after?: number])[]) {
  return {
    labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
    samples: samples.map(([value, after = 0]) => ({ value, timestamp: BigInt(T + after) })),
  }
}

/** `n` series of one sample each: `m0 0@0`, `m1 1@0`, … */
export function gauges(n: number, labels: Labels = {}): Message {
  const timeseries = Array.from({ length: n }, (_, i) =>
    series({ __name__: `m${i}`, ...labels }, [i]),
  )
  return { timeseries }
}

/** The message as a sender would put it on the wire. */
export function bodyOf(message: Message): Uint8Array<ArrayBuffer> {
  const bytes = toBinary(WriteRequestSchema, create(WriteRequestSchema, message))
  return new Uint8Array(SnappyJS.compress(bytes))
}

/** `name{a="b"} value@time` of every sample, the time as milliseconds after T. */
export function samplesOf(message: Pick<WriteRequest, 'timeseries'>): string[] {
  return message.timeseries.flatMap(({ labels, samples }) => {
    const text = seriesOf(labels)
    return samples.map(({ value, timestamp }) => `${text} ${value}@${Number(timestamp) - T}`)
  })
}

function seriesOf(labels: readonly { name: string; value: string }[]): string {
  const rest = labels.filter(({ name }) => name !== '__name__')
  const name = labels.find(({ name }) => name === '__name__')?.value ?? ''
  return `${name}{${rest.map(({ name, value }) => `${name}=${JSON.stringify(value)}`).join(',')}}`
}
