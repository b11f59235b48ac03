import { comparisonRaw } from '../comparison-raw.ts'
import { comparisonRows } from '../comparison-rows.ts'
import type { Group } from '../group.ts'
import { inTurns } from '../in-turns.ts'
import { otlpLoadBodies, POINTS_PER_REQUEST } from '../otlp-shape.ts'
import { startCollector } from '../receivers/collector.ts'
import { startSluice } from '../receivers/sluice.ts'
import { startVmagent } from '../receivers/vmagent.ts'
import { withReceivers, withSink } from '../with-sink.ts'
import { sameWorkGoal, timesGoal } from './goals.ts'
import { missing } from './missing.ts'

const NAME = 'peers/otlp'
const CONNECTIONS = [4, 1]
/** Requests with other series. */
const DIFFERENT = 5
const TIMES = { vmagent: 4, Collector: 20 }

/** Sluice under workerd beside vmagent and the Collector, all of them given OTLP. Linux only: it reads /proc. */
export const otlpPeersGroup: Group = {
  title: 'OTLP, beside vmagent and the OpenTelemetry Collector',
  text:
    'OTLP, protobuf in gzip: 2,000 data points a request with 8 attributes each, four metrics a resource, 10,000 active series, all of which come again; otherwise as above. ' +
    'Sluice and vmagent run the same ten rules; the Collector runs filter and transform processors that do what the rules do, as far as they can (test/peers/otelcol/config.yaml): no hashmod, and the pod instead of the job in `workload`. All three send remote write 1.0 in snappy. ' +
    'vmagent has its defaults: names keep their dots, all resource attributes and the scope become labels, there is no `job` and no `instance`. Samples are the points of the requests: target_info, which Sluice and the Collector make as well, is not counted. ' +
    'Sluice answers when the origin has answered; the others answer first and send on from a queue. The Collector takes no remote write here: its receiver for that is not to be had.',
  names: [NAME],
  run: (_, { build, effort, progress }) =>
    withSink(async (sink) => {
      const folder = await build()
      const starts = [
        () => startSluice({ url: sink.url }, folder),
        () => startVmagent(sink.url),
        () => startCollector(sink),
      ]
      const bodies = otlpLoadBodies(DIFFERENT)
      const compared = await withReceivers(starts, (receivers) =>
        inTurns(receivers, sink, {
          name: NAME,
          protocol: 'otlp',
          bodies: () => bodies,
          connections: CONNECTIONS,
          itemsPerRequest: POINTS_PER_REQUEST,
          effort,
          progress,
        }),
      )
      return {
        tables: [{ rows: comparisonRows(compared, 'vmagent') }],
        goals: [
          ...Object.entries(TIMES).flatMap(([other, times]) =>
            timesGoal(NAME, compared, other, times),
          ),
          ...sameWorkGoal(NAME, compared),
        ],
        raw: comparisonRaw(compared),
        skipped: missing(NAME, 'vmagent', 'otelcol'),
      }
    }),
}
