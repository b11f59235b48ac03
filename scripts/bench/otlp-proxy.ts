import { gzipSync } from 'node:zlib'
import { peerBinary } from '../peers.ts'
import type { Goal, Group, Report } from './group.ts'
import { inTurns, type Measured, middle, ROUNDS, SECONDS } from './in-turns.ts'
import { otlpRequests, POINTS_PER_REQUEST } from './otlp-shape.ts'
import { startCollector, startSluice, startVmagent } from './peers.ts'
import { type Sink, startSink } from './sink.ts'
import { countText, ratioText } from './table.ts'

const NAME = 'proxy/otlp'
const CONNECTIONS = [4, 1]
/** Requests with other series, and how often each comes again with later times. */
const DIFFERENT = 5
const STAMPS = 40
/** What Sluice is to reach on four connections: samples per CPU-second to the others'. */
const VMAGENT_GOAL = 3
const COLLECTOR_GOAL = 15

/** Sluice under workerd beside vmagent and the Collector, all of them given OTLP. Linux only: it reads /proc. */
export const otlpProxyGroup: Group = {
  title: 'The whole proxy with OTLP, beside vmagent and the Collector',
  text:
    `OTLP, protobuf in gzip: ${countText(POINTS_PER_REQUEST)} data points a request with 8 attributes each, four metrics a resource, ${countText(POINTS_PER_REQUEST * DIFFERENT)} active series; medians of ${ROUNDS} rounds of ${SECONDS} s in turns. ` +
    'Sluice and vmagent run the same ten rules; the Collector runs filter and transform processors that do what the rules do, as far as they can (test/peers/otelcol/config.yaml): no hashmod, and the pod instead of the job in `workload`. All three send on 96 % of the points. ' +
    'vmagent has its defaults: names keep their dots, all resource attributes and the scope become labels, there is no `job` and no `instance`. Samples are the points of the requests: target_info, which Sluice and the Collector make as well, is not counted. ' +
    'Sluice answers when the origin has answered; the others answer first and send on from a queue.',
  names: [NAME],
  async run(_, { build, progress }) {
    const missing = ['vmagent', 'otelcol'].filter((name) => peerBinary(name) === undefined)
    const skipped = missing.map((name) => `${NAME}: ${name} is left out, it is not built`)
    const sink = await startSink()
    try {
      return { ...(await compare(sink, await build(), progress)), skipped }
    } finally {
      await sink.stop()
    }
  },
}

async function compare(
  sink: Sink,
  build: string,
  progress: (text: string) => void,
): Promise<Report> {
  const receivers = [
    await startSluice(sink.url, build),
    await startVmagent(sink.url),
    await startCollector(sink),
  ].filter((receiver) => receiver !== undefined)
  try {
    const { rows, of, raw } = await inTurns(receivers, sink, {
      name: NAME,
      bodies: otlpRequests(DIFFERENT, STAMPS, Date.now()).map((body) => gzipSync(body)),
      headers: { 'content-encoding': 'gzip' },
      connections: CONNECTIONS,
      itemsPerRequest: POINTS_PER_REQUEST,
      urlOf: ({ otlpUrl }) => otlpUrl,
      beside: 'vmagent',
      progress,
    })
    const results = new Map(receivers.map(({ name }, i) => [name, of(4)[i]!]))
    const goals = [
      ...goal(results, 'vmagent', VMAGENT_GOAL),
      ...goal(results, 'Collector', COLLECTOR_GOAL),
    ]
    return { tables: [{ rows }], goals, raw }
  } finally {
    for (const receiver of receivers) await receiver.stop()
  }
}

function goal(
  results: ReadonlyMap<string, readonly Measured[]>,
  other: string,
  wanted: number,
): Goal[] {
  const [ours, theirs] = [results.get('Sluice'), results.get(other)]
  if (ours === undefined || theirs === undefined) return []
  const ratio = middle(ours, 'samplesPerCpuSecond') / middle(theirs, 'samplesPerCpuSecond')
  return [
    {
      text: `${NAME}, 4 connections: at least ${wanted} times the samples per CPU-second of ${other}`,
      measured: ratioText(ratio),
      met: ratio >= wanted,
    },
  ]
}
