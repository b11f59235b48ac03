import { seeded } from '../seeded.ts'

/**
 * How series share their labels: every series a pod of its own (little is shared, the hard case), or a cluster whose pods
 * have 50 series each (how Prometheus sends).
 */
export type Shape = 'pod-per-series' | 'kubernetes'

/** One remote write 1.0 message, uncompressed. Timestamps are in place and can be moved. */
export interface Body {
  /** The message. `stamp` writes into it. */
  readonly bytes: Uint8Array
  readonly samples: number
  /** Gives every sample the time `milliseconds`, from 2004 to 2109. */
  stamp(milliseconds: number): void
}

/** What `requestBodies` makes. */
export interface BodyOptions {
  readonly shape: Shape
  /** Active series in all, each in exactly one body. */
  readonly series: number
  readonly perRequest?: number
  readonly seed?: number
}

/** Milliseconds that the first stamp has unless told otherwise: bodies of one seed are equal on every run. */
export const FIRST_STAMP = 1_790_000_000_000
const SERIES_PER_POD = 50
const PODS_PER_DEPLOYMENT = 20

const namespaces = names(40, (i) => (i === 0 ? 'kube-system' : `team-${word(i)}-${i % 4}`))
const jobs = names(120, (i) => `${word(i)}-${word(i * 7 + 3)}`)
const nodes = names(200, (i) => `Gke-Prod-Pool-${hex(i * 2_654_435_761)}-${word(i).slice(0, 4)}`)
const metricNames = names(50, (i) => (i === 0 ? 'go_goroutines' : metricName(i)))
const methods = ['GET', 'POST', 'PUT', 'DELETE']
const statuses = ['200', '201', '204', '301', '400', '404', '429', '500', '503']

/**
 * The message of each request in turn: 10 labels a series, one sample each. The ten rules of test/peers/relabel.yaml all have work and
 * drop about 4 % of the series. Same options, same bytes.
 */
export function* requestBodies(options: BodyOptions): Generator<Body> {
  const { shape, series, perRequest = 2000, seed = 1 } = options
  const random = seeded(seed)
  const writer = new MessageWriter()
  const newPod = podMaker(random)
  let pods = 0
  let pod = newPod(pods)
  for (let first = 0; first < series; first += perRequest) {
    const count = Math.min(perRequest, series - first)
    writer.reset()
    for (let i = first; i < first + count; i++) {
      const inPod = shape === 'kubernetes' ? i % SERIES_PER_POD : Math.floor(random() * 50)
      if (shape === 'pod-per-series' || inPod === 0) pod = newPod(pods++)
      writer.series(labelsOf(pod, inPod), sampleValue(inPod, random))
    }
    const body = writer.body(count)
    body.stamp(FIRST_STAMP)
    yield body
  }
}

interface Pod {
  readonly pod: string
  readonly instance: string
  readonly namespace: string
  readonly job: string
  readonly node: string
}

/** Pods come in deployments of `PODS_PER_DEPLOYMENT`, each somewhere on the cluster's nodes. */
function podMaker(random: () => number): (i: number) => Pod {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]
  let [namespace, job, replicaSet, made] = ['', '', '', 0]
  return (i) => {
    if (made++ % PODS_PER_DEPLOYMENT === 0) {
      ;[namespace, job, replicaSet] = [pick(namespaces), pick(jobs), hex(random() * 2 ** 32)]
    }
    const pod = `${job}-${replicaSet}-${hex(i * 40_503 + 17).slice(-5)}`
    const instance = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}:9090`
    return { pod, instance, namespace, job, node: pick(nodes) }
  }
}

function labelsOf(pod: Pod, i: number): readonly (readonly [string, string])[] {
  return [
    ['__name__', metricNames[i]],
    ['container', 'app'],
    ['endpoint', 'metrics'],
    ['instance', pod.instance],
    ['job', pod.job],
    ['method', methods[i % methods.length]],
    ['namespace', pod.namespace],
    ['node', pod.node],
    ['pod', pod.pod],
    ['status', statuses[i % statuses.length]],
  ]
}

/** Counters are whole numbers, every tenth series is a measurement with all its digits. */
function sampleValue(i: number, random: () => number): number {
  return i % 10 === 0 ? random() * 1000 : Math.floor(random() * 1e6)
}

/**
 * Writes the message straight, so that generating costs little.
 *
 *   WriteRequest  timeseries=1 rep TimeSeries
 *   TimeSeries    labels=1 rep { name=1 value=2 }  samples=2 rep { value=1 double  timestamp=2 int64 }
 */
class MessageWriter {
  #bytes = new Uint8Array(1 << 20)
  #view = new DataView(this.#bytes.buffer)
  #length = 0
  #stamps: number[] = []

  reset(): void {
    this.#length = 0
    this.#stamps = []
  }

  /** Appends one series; names and values are ASCII and shorter than 56 characters. */
  series(labels: readonly (readonly [string, string])[], value: number): void {
    const sampleLength = 1 + 8 + 1 + STAMP_LENGTH
    const labelLength = ([name, value]: readonly [string, string]) => 4 + name.length + value.length
    const length = labels.reduce((sum, label) => sum + 2 + labelLength(label), 2 + sampleLength)
    this.#reserve(length + 4)
    this.#byte(0x0a)
    this.#byte((length & 0x7f) | 0x80)
    this.#byte(length >> 7)
    for (const [name, value] of labels) {
      this.#byte(0x0a)
      this.#byte(labelLength([name, value]))
      this.#text(0x0a, name)
      this.#text(0x12, value)
    }
    this.#byte(0x12)
    this.#byte(sampleLength)
    this.#byte(0x09)
    this.#view.setFloat64(this.#length, value, true)
    this.#length += 8
    this.#byte(0x10)
    this.#stamps.push(this.#length)
    this.#length += STAMP_LENGTH
  }

  /** A copy of what was written since `reset`. */
  body(samples: number): Body {
    const bytes = this.#bytes.slice(0, this.#length)
    const places = Uint32Array.from(this.#stamps)
    return {
      bytes,
      samples,
      stamp(milliseconds) {
        const varint = stampBytes(milliseconds)
        for (const place of places) bytes.set(varint, place)
      },
    }
  }

  #byte(value: number): void {
    this.#bytes[this.#length++] = value
  }

  #text(tag: number, text: string): void {
    this.#byte(tag)
    this.#byte(text.length)
    for (let i = 0; i < text.length; i++) this.#byte(text.charCodeAt(i))
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const bytes = new Uint8Array(this.#bytes.length * 2)
    bytes.set(this.#bytes)
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer)
  }
}

/** Times from 2004 to 2109 in milliseconds take six bytes as a varint. */
const STAMP_LENGTH = 6

function stampBytes(milliseconds: number): Uint8Array {
  const bytes = new Uint8Array(STAMP_LENGTH)
  let rest = milliseconds
  for (let i = 0; i < STAMP_LENGTH; i++) {
    bytes[i] = (rest % 128) | (i < STAMP_LENGTH - 1 ? 0x80 : 0)
    rest = Math.floor(rest / 128)
  }
  return bytes
}

function names(count: number, nameOf: (i: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, i) => nameOf(i))
}

function word(i: number): string {
  const words = 'checkout search payment billing catalog gateway session profile ledger media queue'
  const list = words.split(' ')
  return list[i % list.length]
}

function metricName(i: number): string {
  const what = ['requests', 'latency_seconds', 'errors', 'queue_depth', 'bytes', 'connections']
  const suffix = ['total', 'count', 'sum', 'current', 'max']
  return `${word(i)}_server_${what[i % what.length]}_${suffix[i % suffix.length]}`
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0')
}
