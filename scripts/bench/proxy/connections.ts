import type { Protocol } from '../../../src/batch/protocol.ts'
import { loadBodies, SERIES_PER_REQUEST } from '../bodies.ts'
import { comparisonRaw } from '../comparison-raw.ts'
import { comparisonRows } from '../comparison-rows.ts'
import type { Group, Session } from '../group.ts'
import { type Compared, inTurns } from '../in-turns.ts'
import { otlpLoadBodies, POINTS_PER_REQUEST } from '../otlp-shape.ts'
import { startSluice } from '../receivers/sluice.ts'
import type { Sink } from '../sink.ts'
import { version2Of } from '../version2.ts'
import { withReceivers, withSink } from '../with-sink.ts'

const PREFIX = 'proxy/connections/'
const CONNECTIONS = [1, 4, 16, 64]
/** All of them stay in the table. */
const SERIES = 10_000

/** Sluice under workerd with more and more connections. Linux only: it reads /proc. */
export const connectionsGroup: Group = {
  title: 'The whole proxy, on 1 to 64 connections',
  text:
    'Sluice under plain workerd, ten rules, one origin that answers at once: 2,000 samples a request, 10,000 active series in pods of 50 (OTLP: 10,000, each its own pod). Remote write 1.0 and OTLP leave as 1.0, 2.0 leaves as 2.0. ' +
    'CPU is that of the whole process. The lines without a receiver are the client straight to the origin on as many connections; what Sluice adds is the difference. Each connection has the next request ready at once, so with many of them the latency is mostly the wait for the others.',
  names: (['remotewrite1', 'remotewrite2', 'otlp'] as const).map((protocol) => PREFIX + protocol),
  run: (names, session) =>
    withSink(async (sink) => {
      const tables = []
      const raw: Record<string, unknown> = {}
      for (const name of names) {
        const compared = await throughSluice(name, sink, session)
        tables.push({ title: `\`${name}\``, rows: comparisonRows(compared) })
        raw[name] = comparisonRaw(compared)
      }
      return { tables, goals: [], raw }
    }),
}

async function throughSluice(
  name: string,
  sink: Sink,
  { build, effort, progress }: Session,
): Promise<Compared> {
  const protocol = name.slice(PREFIX.length) as Protocol
  const bodies = bodiesFor(protocol)
  const message = protocol === 'remotewrite2' ? 2 : 1
  const folder = await build()
  const start = () => startSluice({ url: sink.url, message }, folder)
  return withReceivers([start], (receivers) =>
    inTurns(receivers, sink, {
      name,
      protocol,
      bodies: () => bodies,
      connections: CONNECTIONS,
      itemsPerRequest: protocol === 'otlp' ? POINTS_PER_REQUEST : SERIES_PER_REQUEST,
      effort,
      progress,
    }),
  )
}

function bodiesFor(protocol: Protocol): readonly Uint8Array[] {
  if (protocol === 'otlp') return otlpLoadBodies(SERIES / POINTS_PER_REQUEST)
  const bodies = loadBodies({ shape: 'kubernetes', series: SERIES })
  return protocol === 'remotewrite2' ? bodies.map(version2Of) : bodies
}
