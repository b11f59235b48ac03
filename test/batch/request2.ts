import { fromBinary } from '@bufbuild/protobuf'
import { RequestSchema } from '../../src/wire/gen/prometheus-write-v2_pb.js'
import type { Outcome } from './harness.ts'

/** Every point of the pieces of a stream of 2.0 on a line of its own: `up,job=a 1@5 start 2`. Metadata before its series: `# 1 "help" "unit"`. */
export function lines2(pieces: readonly Uint8Array[], zero: number): string[] {
  const time = (t: bigint) => String(Number(t) - zero)
  const start = (t: bigint) => (t === 0n ? '' : ` start ${time(t)}`)
  return pieces.flatMap((piece) => {
    const { symbols, timeseries } = fromBinary(RequestSchema, piece)
    const text = (refs: readonly number[]) =>
      Array.from({ length: refs.length / 2 }, (_, i) => {
        const name = symbols[refs[2 * i]!]!
        const value = symbols[refs[2 * i + 1]!]!
        return name === '__name__' ? value : `${name}=${value}`
      }).join(',')
    return timeseries.flatMap(({ labelsRefs, samples, histograms, exemplars, metadata }) => {
      const name = text(labelsRefs)
      const about =
        metadata === undefined
          ? []
          : [`# ${metadata.type} ${symbols[metadata.helpRef]}/${symbols[metadata.unitRef]}`]
      return [
        ...about,
        ...samples.map((s) => `${name} ${s.value}@${time(s.timestamp)}${start(s.startTimestamp)}`),
        ...histograms.map(
          (h) => `${name} h${h.sum}@${time(h.timestamp)}${start(h.startTimestamp)}`,
        ),
        ...exemplars.map((e) => `${name} x${e.value}@${time(e.timestamp)} ${text(e.labelsRefs)}`),
      ]
    })
  })
}

/** The same for a stream of 1.0; metadata after the series, by family. */
export function lines1({ out }: Outcome, stream: number, zero: number): string[] {
  const time = (t: bigint) => String(Number(t) - zero)
  return out[stream]!.flatMap(({ timeseries, metadata }) => [
    ...timeseries.flatMap(({ labels, samples, histograms, exemplars }) => {
      const name = labels
        .map(({ name, value }) => (name === '__name__' ? value : `${name}=${value}`))
        .join(',')
      return [
        ...samples.map((s) => `${name} ${s.value}@${time(s.timestamp)}`),
        ...histograms.map((h) => `${name} h${h.sum}@${time(h.timestamp)}`),
        ...exemplars.map(
          (e) =>
            `${name} x${e.value}@${time(e.timestamp)} ${e.labels.map((l) => `${l.name}=${l.value}`)}`,
        ),
      ]
    }),
    ...metadata.map((m) => `# ${m.metricFamilyName} ${m.type} ${m.help}/${m.unit}`),
  ])
}
