import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import {
  ExportMetricsServiceRequestSchema,
  ExportMetricsServiceResponseSchema,
} from '../../src/wire/gen/opentelemetry_pb.js'
import { plainJson } from '../otlp/write-json.ts'
import { describeWithPeers } from './describe-with-peers.ts'
import type { Difference, OtlpBlock } from './otlp-difference.ts'
import { type Answer, postOtlp } from './otlp-post.ts'
import { refusedByPrometheus } from './otlp-refused.ts'
import { otlpRequest } from './otlp-requests.ts'
import { storedOtherwise } from './otlp-stored-otherwise.ts'
import { type Prometheus, startPrometheus } from './prometheus.ts'
import { type Rig, useRig } from './rig.ts'
import { differences, type Point, type SeriesMap, STALE, seriesLabels } from './series.ts'
import { type Sluice, startSluice } from './sluice.ts'
import { filtered, readStored, type Stored, storedLines } from './stored-lines.ts'

const REQUESTS = 200
const PROTOBUF = { 'content-type': 'application/x-protobuf' }
const JSON_TYPE = { 'content-type': 'application/json' }
const V2 = { protobuf_message: 'io.prometheus.write.v2.Request' }

/** How Prometheus and Sluice are both configured, and how Sluice's origin is written to. */
const runs: readonly { otlp: OtlpBlock; origin: object }[] = [
  {
    otlp: {
      translation_strategy: 'UnderscoreEscapingWithSuffixes',
      promote_resource_attributes: ['host.name', 'k8s.pod.name', 'a.b', 'a_b', 'service.name'],
    },
    origin: {},
  },
  {
    otlp: {
      translation_strategy: 'UnderscoreEscapingWithoutSuffixes',
      promote_all_resource_attributes: true,
      ignore_resource_attributes: ['e2e.request', 'host.name'],
      keep_identifying_resource_attributes: true,
      promote_scope_metadata: true,
      label_name_underscore_sanitization: false,
      label_name_preserve_multiple_underscores: false,
    },
    origin: {},
  },
  {
    otlp: {
      translation_strategy: 'NoUTF8EscapingWithSuffixes',
      convert_histograms_to_nhcb: true,
      promote_scope_metadata: true,
    },
    origin: V2,
  },
  {
    otlp: {
      translation_strategy: 'NoTranslation',
      promote_all_resource_attributes: true,
      keep_identifying_resource_attributes: true,
    },
    origin: V2,
  },
]

const known: readonly Difference[] = [...refusedByPrometheus, ...storedOtherwise]

/** A Prometheus that takes OTLP itself, and one that Sluice writes to. */
interface Pair {
  readonly direct: Prometheus
  readonly behind: Prometheus
  readonly sluice: Sluice
}

async function startPair(rig: Rig, { otlp, origin }: (typeof runs)[number]): Promise<Pair> {
  const storage = { tsdb: { out_of_order_time_window: '30h' } }
  const [direct, behind] = await Promise.all([
    startPrometheus(rig, { otlp, storage }),
    startPrometheus(rig, { storage }),
  ])
  const origins = [{ name: 'origin', url: behind.writeUrl, ...origin }]
  return { direct, behind, sluice: await startSluice(rig, origins, otlp) }
}

/** The answers of both to one body. */
async function send(
  { direct, sluice }: Pair,
  body: Uint8Array | string,
  headers: Readonly<Record<string, string>>,
): Promise<{ plain: Answer; ours: Answer }> {
  const plain = await postOtlp(direct.otlpUrl, body, headers)
  const ours = await postOtlp(sluice.otlp.url, body, { ...headers, ...sluice.otlp.headers })
  return { plain, ours }
}

describeWithPeers(['prometheus'], 'OTLP through Sluice, and straight to Prometheus', () => {
  const rig = useRig()

  test.each(runs)('$otlp.translation_strategy: the same is stored', async (run) => {
    const pair = await startPair(rig, run)
    const at = Date.now() - 900_000
    for (let n = 0; n < REQUESTS; n++) {
      const request = otlpRequest(1, n, at, run.otlp.convert_histograms_to_nhcb)
      const json = n % 4 === 3
      const { plain, ours } = json
        ? await send(pair, plainJson(request), JSON_TYPE)
        : await send(pair, toBinary(ExportMetricsServiceRequestSchema, request), PROTOBUF)
      expect([plain.status, ours.status], `answers to request ${n}`).toEqual([200, 200])
      expect(`${ours.body}`, `answer to request ${n}`).toBe(json ? '{}' : '')
    }

    const shown = known.filter(({ when = () => true }) => when(run.otlp))
    const answers = new Map<Difference, Awaited<ReturnType<typeof send>>>()
    for (const difference of shown) {
      const body = difference.body(idOf(difference), BigInt(at) * 1_000_000n)
      answers.set(difference, await send(pair, body, difference.headers ?? PROTOBUF))
    }

    const [direct, behind] = [await readStored(pair.direct), await readStored(pair.behind)]
    const ids = new Set(known.map(idOf))
    const generated = (stored: Stored) => filtered(stored, ({ job }) => !ids.has(job))
    const want = generated(direct)
    const all = generated(behind)
    // One of the differences below, and the generated points have it at times.
    const got = { ...all, points: withoutMoreEndings(all.points, want.points) }
    expect(differences(want.points, got.points)).toEqual([])
    expect(differences(want.exemplars, got.exemplars)).toEqual([])
    expect(want.points.size, 'series compared').toBeGreaterThan(4000)
    expect(want.exemplars.size, 'series with exemplars compared').toBeGreaterThan(500)

    for (const difference of shown) {
      const { name, prometheus, sluice } = difference
      const { plain, ours } = answers.get(difference)!
      const { rejected, message } = said(ours)
      expect
        .soft({ status: plain.status, stored: storedLines(direct, idOf(difference)) }, name)
        .toEqual({
          ...prometheus,
          stored: prometheus.stored.toSorted(),
        })
      expect
        .soft(
          { status: ours.status, rejected, stored: storedLines(behind, idOf(difference)) },
          name,
        )
        .toEqual({
          status: sluice.status,
          rejected: sluice.rejected,
          stored: sluice.stored.toSorted(),
        })
      expect.soft(message, name).toContain(sluice.message ?? '')
    }
  })
})

/** `points` without the stale markers of buckets and quantiles that are not among the other ones. */
function withoutMoreEndings(points: SeriesMap, others: SeriesMap): SeriesMap {
  const result = new Map<string, readonly Point[]>()
  for (const [key, all] of points) {
    const { le, quantile } = seriesLabels(key)
    const times = new Set(others.get(key)?.map(({ time }) => time))
    const kept = all.filter(
      ({ time, value }) => (le ?? quantile) === undefined || value !== STALE || times.has(time),
    )
    if (kept.length > 0) result.set(key, kept)
  }
  return result
}

function idOf(difference: Difference): string {
  return `d${known.indexOf(difference)}`
}

/** What an answer of Sluice says of the points. */
function said({ status, type, body }: Answer): { rejected: number; message: string } {
  if (status !== 200) return { rejected: 0, message: `${body}` }
  if (type === 'application/json') {
    const { partialSuccess = {} } = JSON.parse(`${body}`)
    const { rejectedDataPoints = '0', errorMessage = '' } = partialSuccess
    return { rejected: Number(rejectedDataPoints), message: errorMessage }
  }
  const { partialSuccess } = fromBinary(ExportMetricsServiceResponseSchema, new Uint8Array(body))
  return {
    rejected: Number(partialSuccess?.rejectedDataPoints ?? 0),
    message: partialSuccess?.errorMessage ?? '',
  }
}

describe('docs/otlp.md', () => {
  test('lists the differences that were seen here, and no others', () => {
    const file = readFileSync(join(import.meta.dirname, '../../docs/otlp.md'), 'utf8')
    const [, section = ''] = file.split('## Where Sluice differs from Prometheus\n')
    const rows = section.split('\n## ')[0].matchAll(/^\| (.+?) +\|/gm)
    const names = [...rows].map(([, cell]) => cell).filter((cell) => !/^(what|-+)$/.test(cell))
    expect(names.toSorted()).toEqual(known.map(({ name }) => name).toSorted())
    for (const { name, when = () => true } of known) {
      expect(
        runs.some(({ otlp }) => when(otlp)),
        name,
      ).toBe(true)
    }
  })
})
