import { configWith, type More, Sluice } from './harness.ts'
import { type Bytes, field } from './message.ts'
import { type Output, readOutput, STALE } from './otlp-output.ts'
import {
  type AnyMetric,
  attributes,
  gauge,
  type NumberPoint,
  nanos,
  point,
  requestOf,
  T,
} from './otlp-request.ts'

// Requests of OTLP run through the section, and what comes out as lines of text.

/** Samples of T as `name,label=value 1`, native histograms as text, exemplars behind `x`. */
export function lines(output: Output): string[] {
  return Object.entries(output)
    .flatMap(([series, { samples, histograms, exemplars }]) => {
      const name = series
        .split(',')
        .map((label) => label.replace(/^__name__="(.*)"$/, '$1').replace(/="(.*)"$/, '=$1'))
        .join()
      return [
        ...Object.values(samples).map((bits) => `${name} ${numberText(bits)}`),
        ...Object.values(histograms).map((text) => `${name} h ${text}`),
        ...exemplars.map((text) => `${name} x ${text.replace(/^\w+@\d+ /, '')}`),
      ]
    })
    .sort()
}

function numberText(bits: string): string {
  return bits === STALE ? 'stale' : String(Buffer.from(bits, 'hex').readDoubleBE())
}

/** Runs a request through a section of its own. */
export function run(request: Uint8Array, more: More = {}) {
  const { batch, raw } = new Sluice(configWith('[]', more)).run(request, 0, 'otlp')
  const points = batch.points!
  return {
    lines: lines(readOutput(raw[0]!)),
    rejected: points.rejected.map(({ code, count }) => `${code} ${count}`),
    refusals: batch.refusals,
    points,
    batch,
  }
}

/** Metrics and a neighbour: it is written whatever becomes of them. */
export function beside(...metrics: AnyMetric[]): Uint8Array {
  return requestOf(gauge('before', point(1)), ...metrics, gauge('after', point(2)))
}
/** What `run` gives for them. */
export const NEIGHBOURS = ['after 2', 'before 1']

/** A monotonic sum of that temporality. */
export const delta = (temporality: number, ...dataPoints: NumberPoint[]): AnyMetric => ({
  name: 'requests',
  data: {
    case: 'sum',
    value: { dataPoints, aggregationTemporality: temporality, isMonotonic: true },
  },
})
/** One attribute with a value that long. */
export const long = (key: string, n: number) => attributes({ [key]: 'v'.repeat(n) })
/** A gauge point whose bytes are replaced: for what protobuf-es would not write. */
export const rawGauge = (...points: Bytes[]): Uint8Array =>
  Uint8Array.from(
    field(
      1,
      field(2, [
        ...field(2, [...field(1, [0x67]), ...field(5, points.flat())]),
        ...field(2, [...field(1, [0x6b]), ...field(5, okPoint)]),
      ]),
    ),
  )
/** Fields of a NumberDataPoint: its time, its value; and a whole one. */
export const time = [0x19, ...new Uint8Array(BigUint64Array.of(nanos(T)).buffer)]
export const one = [0x21, ...new Uint8Array(Float64Array.of(1).buffer)]
export const okPoint = field(1, [...time, ...one])
