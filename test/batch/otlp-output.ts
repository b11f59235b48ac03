import { fieldsOf } from './otlp-scramble.ts'

// What goes out, as far as order does not matter: for each series its samples and histograms by time, the last of each, and its exemplars.

/** Points of one series. */
export interface Points {
  /** Bits of the value, in hex, by ms. */
  readonly samples: Record<string, string>
  /** Histograms as text, by ms. */
  readonly histograms: Record<string, string>
  /** `bits@ms name=value,…`, sorted when compared. */
  readonly exemplars: string[]
}

/** By the series' labels: `name="value",…`, sorted by name. */
export type Output = Record<string, Points>

export function pointsOf(output: Output, series: string): Points {
  output[series] ??= { samples: {}, histograms: {}, exemplars: [] }
  return output[series]
}

/** The same with exemplars in order. */
export function sorted(output: Output): Output {
  for (const { exemplars } of Object.values(output)) exemplars.sort()
  return output
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')
const hex = (bytes: Uint8Array) => Buffer.from(bytes).reverse().toString('hex')

function varint(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 7n) | BigInt(byte & 127), 0n)
}

/** Bits of a double, in hex. */
export function bitsOf(value: number): string {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  return view.getBigUint64(0).toString(16).padStart(16, '0')
}

export const STALE = '7ff0000000000002'

function label(bytes: Uint8Array): string {
  let [name, value] = ['', '']
  for (const { number, payload } of fieldsOf(bytes)) {
    if (number === 1) name = text(payload)
    else value = text(payload)
  }
  return `${name}=${JSON.stringify(value)}`
}

/** Reads WriteRequests, piece by piece. */
export function readOutput(pieces: readonly Uint8Array[]): Output {
  const output: Output = {}
  for (const piece of pieces) {
    for (const { number, payload } of fieldsOf(piece)) if (number === 1) readSeries(payload, output)
  }
  return sorted(output)
}

function readSeries(bytes: Uint8Array, output: Output): void {
  const fields = fieldsOf(bytes)
  const labels = fields.filter(({ number }) => number === 1).map(({ payload }) => label(payload))
  const points = pointsOf(output, labels.join())
  for (const { number, payload } of fields) {
    if (number === 2) {
      const [bits, time] = valueAndTime(payload, 1, 2)
      points.samples[time] = bits
    } else if (number === 3) {
      const [bits, time] = valueAndTime(payload, 2, 3)
      const own = fieldsOf(payload).filter((field) => field.number === 1)
      points.exemplars.push(`${bits}@${time} ${own.map((one) => label(one.payload)).join()}`)
    } else if (number === 4) {
      const [time, histogram] = readHistogram(payload)
      points.histograms[time] = histogram
    }
  }
}

function valueAndTime(bytes: Uint8Array, value: number, time: number): [string, string] {
  let [bits, at] = ['0'.repeat(16), 0n]
  for (const { number, payload } of fieldsOf(bytes)) {
    if (number === value) bits = hex(payload)
    else if (number === time) at = varint(payload)
  }
  return [bits, String(at)]
}

/** A native histogram as text: what the model writes too. */
export function histogramText(
  schema: number,
  count: bigint,
  sum: string,
  zeroes: bigint,
  positive: ReadonlyMap<number, bigint>,
  negative: ReadonlyMap<number, bigint>,
): string {
  const side = (buckets: ReadonlyMap<number, bigint>) =>
    [...buckets]
      .filter(([, n]) => n !== 0n)
      .sort(([a], [b]) => a - b)
      .map(([i, n]) => `${i}:${n}`)
      .join()
  return `${schema} n${count} s${sum} z${zeroes} +${side(positive)} -${side(negative)}`
}

const zigzag = (n: bigint) => (n >> 1n) ^ -(n & 1n)

function readHistogram(bytes: Uint8Array): [string, string] {
  const fields = fieldsOf(bytes)
  const one = (number: number) => fields.findLast((field) => field.number === number)?.payload
  const int = (number: number) => varint(one(number) ?? new Uint8Array(1))
  const sum = one(3)
  return [
    String(int(15)),
    histogramText(
      Number(zigzag(int(4))),
      int(1),
      sum ? hex(sum) : '0'.repeat(16),
      int(6),
      buckets(fields, 11, 12),
      buckets(fields, 8, 9),
    ),
  ]
}

function buckets(fields: ReturnType<typeof fieldsOf>, spans: number, deltas: number) {
  const counts: bigint[] = []
  let count = 0n
  for (const { payload } of fields.filter((field) => field.number === deltas)) {
    let from = 0
    payload.forEach((byte, i) => {
      if (byte > 127) return
      count += zigzag(varint(payload.subarray(from, i + 1)))
      counts.push(count)
      from = i + 1
    })
  }
  const all = new Map<number, bigint>()
  let at = 0
  for (const { payload } of fields.filter((field) => field.number === spans)) {
    const span = fieldsOf(payload)
    const int = (n: number) =>
      varint(span.find(({ number }) => number === n)?.payload ?? new Uint8Array(1))
    at += Number(zigzag(int(1)))
    for (let i = int(2); i > 0n; i--) all.set(at++, counts.shift()!)
  }
  return all
}
