import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import type { Config } from '../../../src/config/types.ts'
import { WriteRequestSchema } from '../../../src/wire/gen/prometheus_pb.js'
import { RequestSchema } from '../../../src/wire/gen/prometheus-write-v2_pb.js'
import { benchConfig } from '../bench-config.ts'
import { compressedBodies, inTurn } from '../bodies.ts'
import type { BenchCase, Ways } from '../case.ts'
import { plainRules } from '../plain.ts'
import { type Plain, readPlain1, readPlain2, writePlain1, writePlain2 } from '../plain-messages.ts'
import { inProcess } from '../section.ts'
import type { Shape } from '../shape.ts'

const REQUESTS = 10
const SERIES = 2000
const DIRECTIONS = ['2-2', '2-1', '1-2'] as const

/** Between the versions of remote write, all series known. */
export const remoteWrite2Cases: readonly BenchCase[] = DIRECTIONS.flatMap((direction) =>
  (['pod-per-series', 'kubernetes'] as const).map((shape) => ({
    name: `remotewrite2/${direction}/${shape}`,
    items: SERIES,
    unit: 'series' as const,
    make: () => ways(direction, shape),
  })),
)

function ways(direction: (typeof DIRECTIONS)[number], shape: Shape): Ways {
  const [from, to] = direction.split('-').map(Number) as [1 | 2, 1 | 2]
  const config = sending(to)
  const bodies = bodiesOf(from, shape, REQUESTS)
  const { run } = inProcess(config, from === 2 ? 'remotewrite2' : 'remotewrite1')
  const isKept = plainRules(config.origins[0]!.writeRelabelConfigs)
  const [read, write] = [from === 2 ? readPlain2 : readPlain1, to === 2 ? writePlain2 : writePlain1]
  const plain = (body: Uint8Array) => {
    const series: Plain[] = read(new Uint8Array(SnappyJS.uncompress(body)))
    return SnappyJS.compress(write(series.filter(({ labels }) => isKept(labels))))
  }
  const [ours, theirs] = [inTurn(bodies), inTurn(bodies)]
  for (const body of bodies) run(body)
  if (run(bodies[0]!).missed > 0) throw new Error('BUG: the table does not hold them all')
  return { sluice: { run: () => run(ours()) }, plain: { run: () => plain(theirs()) } }
}

/** The usual config, whose origin is sent this message. */
export function sending(message: 1 | 2): Config {
  const config = benchConfig()
  return { ...config, origins: config.origins.map((origin) => ({ ...origin, message })) }
}

/** Requests of one version, compressed. */
export function bodiesOf(version: 1 | 2, shape: Shape, requests: number): Uint8Array[] {
  const bodies = compressedBodies({ shape, series: SERIES * requests, perRequest: SERIES })
  if (version === 1) return bodies
  return bodies.map((body) => {
    const message = fromBinary(WriteRequestSchema, new Uint8Array(SnappyJS.uncompress(body)))
    const refs = new Map([['', 0]])
    const refOf = (text: string) => {
      const known = refs.get(text) ?? refs.size
      refs.set(text, known)
      return known
    }
    const timeseries = message.timeseries.map(({ labels, samples }) => ({
      labelsRefs: labels.flatMap(({ name, value }) => [refOf(name), refOf(value)]),
      samples: samples.map(({ value, timestamp }) => ({ value, timestamp })),
    }))
    const request = create(RequestSchema, { symbols: [...refs.keys()], timeseries })
    return SnappyJS.compress(toBinary(RequestSchema, request))
  })
}
