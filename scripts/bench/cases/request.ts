import { gzipSync } from 'node:zlib'
import type { Protocol } from '../../../src/batch/protocol.ts'
import { benchConfig } from '../bench-config.ts'
import { inTurn } from '../bodies.ts'
import type { BenchCase, Ways } from '../case.ts'
import { otlpRequests } from '../otlp-shape.ts'
import { plainPush } from '../plain-push.ts'
import { requestOf, wholePath } from '../whole-path.ts'
import { bodiesOf } from './remotewrite2.ts'

/** So many requests come in turn. */
const REQUESTS = 10
const SAMPLES = 2000

const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  '1': 'remotewrite1',
  '2': 'remotewrite2',
  otlp: 'otlp',
}

/** Whole requests of each protocol to each message, all series known: from a request to an answered fetch. */
export const requestCases: readonly BenchCase[] = Object.keys(PROTOCOLS).flatMap((from) =>
  ([1, 2] as const).map((to) => ({
    name: `request/${from}-${to}`,
    items: SAMPLES,
    unit: 'sample' as const,
    make: () => ways(PROTOCOLS[from]!, to),
  })),
)

function ways(protocol: Protocol, message: 1 | 2): Ways {
  const config = benchConfig({ message })
  const requests = bodiesFor(protocol).map((body) => requestOf(body, protocol))
  const { push } = wholePath(config, { protocol })
  const plain = plainPush(config, { protocol })
  const [ours, theirs] = [inTurn(requests), inTurn(requests)]
  return { sluice: { run: () => push(ours()) }, plain: { run: () => plain(theirs()) } }
}

function bodiesFor(protocol: Protocol): readonly Uint8Array[] {
  if (protocol === 'otlp') return otlpRequests(REQUESTS, 1).map((body) => gzipSync(body))
  return bodiesOf(protocol === 'remotewrite2' ? 2 : 1, 'kubernetes', REQUESTS)
}
