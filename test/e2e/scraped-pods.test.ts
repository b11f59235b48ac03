import { fromBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import { expect, test } from 'vitest'
import { requestBodies } from '../../scripts/bench/shape.ts'
import { WriteRequestSchema } from '../../src/wire/gen/prometheus_pb.js'
import { describeWithPeers } from './describe-with-peers.ts'
import { startPrometheus } from './prometheus.ts'
import { printedPoints } from './query-api.ts'
import { useRig } from './rig.ts'
import {
  between,
  bitsFloat,
  floatBits,
  type Point,
  relabelled,
  type SeriesMap,
  seriesKey,
} from './series.ts'
import { settled } from './settled.ts'
import { startSluice } from './sluice.ts'
import { startThanos, THANOS_LABELS } from './thanos.ts'
import { startVictoriaMetrics } from './victoria-metrics.ts'

const SERIES = 4000
const STAMPS = 3

describeWithPeers(
  ['prometheus', 'victoria-metrics', 'thanos'],
  'Thousands of series of pods, in blocks that are written along with their message, then put together from what was remembered',
  () => {
    const rig = useRig()

    test('are read by the snappy of Prometheus, VictoriaMetrics and Thanos, every point', async () => {
      const prometheus = await startPrometheus(rig, {})
      const victoria = await startVictoriaMetrics(rig, { deduplicate: false })
      const thanos = await startThanos(rig)
      const origins = [
        { name: 'prometheus', url: prometheus.writeUrl },
        { name: 'victoria', url: victoria.writeUrl },
        { name: 'thanos', url: thanos.writeUrl },
      ]
      const sluice = await startSluice(rig, origins, {})

      const start = Date.now() - STAMPS * 1000
      const want = new Map<string, Point[]>()
      for (const body of requestBodies({ shape: 'kubernetes', series: SERIES })) {
        for (let i = 0; i < STAMPS; i++) {
          body.stamp(start + i * 1000)
          const response = await fetch(`${sluice.url}/api/v1/write`, {
            method: 'POST',
            headers: {
              ...sluice.otlp.headers,
              'content-type': 'application/x-protobuf',
              'content-encoding': 'snappy',
              'x-prometheus-remote-write-version': '0.1.0',
            },
            body: new Uint8Array(SnappyJS.compress(body.bytes)),
          })
          expect(`${response.status} ${await response.text()}`).toMatch(/^2/)
          keep(want, body.bytes)
        }
      }
      expect(want.size).toBe(SERIES)

      const until = Date.now()
      expect(await settled(want, () => prometheus.read('.+', start, until))).toEqual([])
      const inVictoria = async () =>
        rounded(between(await victoria.read('{__name__!=""}'), start, until))
      expect(await settled(rounded(want), inVictoria)).toEqual([])
      const printed = relabelled(asPrinted(want), (labels) => ({ ...labels, ...THANOS_LABELS }))
      const inThanos = async () =>
        between(printedPoints(await thanos.query('{__name__=~".+"}[10m]')), start, until)
      expect(await settled(printed, inThanos)).toEqual([])
    })
  },
)

/** Adds the points of a message. */
function keep(into: Map<string, Point[]>, message: Uint8Array): void {
  for (const { labels, samples } of fromBinary(WriteRequestSchema, message).timeseries) {
    const key = seriesKey(Object.fromEntries(labels.map(({ name, value }) => [name, value])))
    const points = into.get(key) ?? []
    for (const { timestamp, value } of samples) {
      points.push({ time: Number(timestamp), value: floatBits(value) })
    }
    into.set(key, points)
  }
}

/** The same with values as the query API prints them. */
const asPrinted = (series: SeriesMap) =>
  withValues(series, (value) => JSON.stringify(String(bitsFloat(value))))

/** VictoriaMetrics keeps the values of a block as decimals of one exponent. */
const rounded = (series: SeriesMap) =>
  withValues(series, (value) => bitsFloat(value).toPrecision(8))

function withValues(series: SeriesMap, change: (value: string) => string): SeriesMap {
  return new Map(
    Array.from(series, ([key, points]) => [
      key,
      points.map(({ time, value }) => ({ time, value: change(value) })),
    ]),
  )
}
