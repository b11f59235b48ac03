import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { seeded } from '../scripts/seeded.ts'
import { type Sleep, sleep } from '../src/deliver/sleep.ts'
import { itemKinds } from '../src/telemetry/metrics.ts'
import {
  type Content,
  counter,
  gauge,
  histogram,
  type Metric,
  numbered,
  otlpBody,
  point,
  pushOtlp,
  TYPES,
} from './otlp-sender.ts'
import { type Arrival, type Rig, startRig, status, wrote } from './pipeline-rig.ts'
import { balanceOf, watchMetrics } from './self-metrics.ts'

const CONFIG = `
global: {external_labels: {edge: fra}}
remote_write:
  - name: a
    url: http://a.test/
    queue_config: {max_samples_per_send: 60}
    write_relabel_configs: [{regex: secret, action: labeldrop}]
  - name: b
    url: http://b.test/
    protobuf_message: io.prometheus.write.v2.Request
    write_relabel_configs: [{source_labels: [k], regex: "1", action: drop}]
  - {name: c, url: "http://c.test/", compression: zstd, on_failure: ignore, max_bytes_per_send: 2KB}
sluice: {auth: none, deadline: 20s}
`
const ORIGINS = ['a', 'b', 'c'] as const

const encodings: [string, (body: Uint8Array) => Uint8Array][] = [
  ['identity', (body) => body],
  ['gzip', (body) => gzipSync(body)],
  ['deflate', (body) => deflateSync(body)],
  ['zstd', (body) => zstdCompressSync(body)],
]

/** One push of the test: what is sent, and what each origin is to get, as `Arrival.samples` has it. */
interface Sent {
  readonly body: Uint8Array
  readonly content: Content
  readonly encoding: string
  readonly wanted: Readonly<Record<(typeof ORIGINS)[number], readonly string[]>>
}

/** Push i, of a job that no other push has; every value of a gauge is its own. */
function pushOf(i: number, random: () => number): Sent {
  const series = 1 + Math.floor(random() ** 4 * 40)
  const histograms = Math.floor(random() * 3)
  const content = random() < 0.3 ? 'json' : 'protobuf'
  const [encoding, encode] = encodings[Math.floor(random() * encodings.length)]!
  const wanted = { a: [] as string[], b: [] as string[], c: [] as string[] }
  const want = (k: number, line: (more: string) => string) => {
    const secret = `,secret="s${i}"`
    wanted.a.push(line(''))
    if (k !== 1) wanted.b.push(line(secret))
    wanted.c.push(line(secret))
  }
  const own = (k: number) => ({ k: `${k}`, secret: `s${i}` })
  const points = Array.from({ length: series }, (_, k) => {
    const value = i * 1000 + k
    want(k, (more) => `m{edge="fra",job="p${i}",k="${k}"${more}} ${value}@${k}`)
    return point(value, own(k), k)
  })
  const metrics: Metric[] = [gauge('m', ...points)]
  for (let n = 0; n < histograms; n++) {
    metrics.push(histogram(`h${n}`, own(n)))
    const labels = `edge="fra",job="p${i}",k="${n}"`
    for (const [name, value] of [
      ['count', 6],
      ['sum', 40],
    ] as const)
      want(n, (more) => `h${n}_${name}{${labels}${more}} ${value}@0`)
    for (const [le, value] of [
      ['1', 1],
      ['5', 3],
      ['+Inf', 6],
    ] as const)
      want(n, (more) => `h${n}_bucket{${labels},le="${le}"${more}} ${value}@0`)
  }
  const body = otlpBody(metrics, content, { 'service.name': `p${i}` })
  return { body: encode(body), content, encoding, wanted }
}

/** The push that an arrival is of, when it has samples; there must be no other. */
function pushIn({ samples }: Arrival): string | undefined {
  const found = new Set(samples.map((text) => /job="(p\d+)"/.exec(text)![1]!))
  expect(found.size).toBeLessThanOrEqual(1)
  return [...found][0]
}

function takenBy(rig: Rig, origin: string): Map<string, string[]> {
  const byPush = new Map<string, string[]>()
  for (const arrival of rig.taken.filter((one) => one.origin === origin)) {
    const push = pushIn(arrival)
    if (push === undefined) continue
    byPush.set(push, [...(byPush.get(push) ?? []), ...arrival.samples])
  }
  return byPush
}

/** A test is one request to workerd, which may have 10,000 timers: those for deadlines, which none is to reach, are left out. */
const deps = { sleep: ((ms, wake) => (ms < 1000 ? sleep(ms, wake) : () => {})) satisfies Sleep }
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('a thousand pushes at once through slow origins arrive whole, each on its own, once', async () => {
  const random = seeded(11)
  const slow = (ms: number) => async (arrival: Arrival) => {
    await pause(random() * ms)
    return wrote(arrival)
  }
  const rig = startRig(CONFIG, { origins: { a: slow(50), b: slow(20), c: 204 }, deps })
  const sent = Array.from({ length: 1000 }, (_, i) => pushOf(i, random))
  const answers = await Promise.all(
    sent.map(({ body, content, encoding }) =>
      pushOtlp(rig, body, { content, headers: { 'Content-Encoding': encoding } }),
    ),
  )
  expect(answers.find(({ status }) => status !== 200)).toBe(undefined)
  for (const [i, { text, headers }] of answers.entries()) {
    const { content } = sent[i]!
    expect([text, headers.get('Content-Type')]).toEqual([
      content === 'json' ? '{}' : '',
      TYPES[content],
    ])
  }
  await rig.settle()
  for (const origin of ORIGINS) {
    const taken = takenBy(rig, origin)
    for (const [i, { wanted }] of sent.entries()) {
      const got = taken.get(`p${i}`) ?? []
      expect(got.sort(), `push ${i} at ${origin}`).toEqual([...wanted[origin]].sort())
    }
  }
  expect(new Set(rig.taken.map(({ protocol }) => JSON.stringify(protocol))).size).toBe(3)
  expect(rig.budget.used).toBe(0)
})

const MOODY = `
remote_write:
  - {name: otlp-plain, url: "http://otlp-plain.test/", queue_config: {max_samples_per_send: 7}}
  - name: otlp-two
    url: http://otlp-two.test/
    protobuf_message: io.prometheus.write.v2.Request
    queue_config: {max_samples_per_send: 5}
    send_exemplars: false
    write_relabel_configs: [{source_labels: [__name__], regex: "m1|h_.*", action: drop}]
  - name: otlp-merging
    url: http://otlp-merging.test/
    on_failure: ignore
    max_bytes_per_send: 1KB
    write_relabel_configs: [{regex: pod, action: labeldrop}]
  - {name: otlp-locked, url: "http://otlp-locked.test/", native_histograms_with_custom_buckets: drop}
otlp: {convert_histograms_to_nhcb: true}
sluice:
  auth: none
  relabel_configs: [{source_labels: [__name__], regex: "debug_.*", action: drop}]
`

const traced = {
  ...point(4),
  exemplars: [
    {
      timeUnixNano: point(0).timeUnixNano,
      value: { case: 'asDouble' as const, value: 3 },
      traceId: new Uint8Array(16).fill(7),
    },
  ],
}

/** All that can become of a point, in one request. */
const mixed: Metric[] = [
  ...numbered(12),
  histogram('h', { pod: 'a' }),
  histogram('h', { pod: 'b' }),
  counter('traced', 2, traced),
  gauge('debug.x', point(1), point(2, { a: 'b' })),
  gauge('pods', point(1, { pod: 'a' }), point(2, { pod: 'b' })),
  counter('delta', 1, point(1), point(2, { a: 'b' })),
  gauge('late', point(1, {}, 2e12)),
  gauge('untimed', { ...point(1), timeUnixNano: 0n }),
  gauge('huge', point(1, { text: 'x'.repeat(1100) })),
]
const POINTS = 12 + 2 + 1 + 2 + 2 + 2 + 1 + 1 + 1

const stages = ['otlp-plain', 'otlp-two', 'otlp-merging', 'otlp-locked']

describe('the sums of what came in over OTLP and what became of it', async () => {
  let turn = 0
  const rig = startRig(MOODY, {
    origins: {
      'otlp-plain': ({ samples }) => status(samples.some((s) => s.startsWith('m3{')) ? 400 : 204),
      'otlp-two': (arrival) => (turn % 2 ? status(503) : wrote(arrival, 204, { samples: 2 })),
      'otlp-merging': (arrival) => (turn % 3 ? wrote(arrival) : status(429)),
      'otlp-locked': 401,
    },
  })
  const rising = await watchMetrics(rig)
  for (turn = 0; turn < 6; turn++) {
    await pushOtlp(rig, mixed)
    await pushOtlp(rig, mixed, { content: 'json' })
    await pushOtlp(rig, numbered(10))
    // Whole requests that are refused are not in the sums at all.
    await pushOtlp(rig, Uint8Array.of(9, 9, 9))
  }
  await rig.settle()
  const rose = await rising()

  test.each(stages.flatMap((stage) => itemKinds.map((kind) => [stage, kind] as const)))(
    'agree for %s and %s',
    (stage, kind) => {
      const [came, went] = balanceOf(rose, stage, kind)
      expect(rose('received_items_total', { kind })).toBeGreaterThan(0)
      expect(went).toBe(came)
    },
  )

  test('count every point once', () => {
    expect(rose('otlp_points_total')).toBe(6 * (2 * POINTS + 10))
    expect(rose('otlp_rejected_points_total', { reason: 'delta_temporality' })).toBe(6 * 4)
    expect(rose('otlp_rejected_points_total', { reason: 'future' })).toBe(6 * 2)
    expect(rose('otlp_rejected_points_total', { reason: 'no_time' })).toBe(6 * 2)
    expect(rose('otlp_rejected_points_total')).toBe(6 * 8)
    expect(rose('otlp_dropped_points_total')).toBe(0)
  })

  test.each<[string, Record<string, string>, number]>([
    ['dropped_items_total', { stage: 'ingress', kind: 'samples' }, 6 * 2 * 2],
    ['received_items_total', { kind: 'histograms' }, 6 * 2 * 2],
    ['received_items_total', { kind: 'exemplars' }, 6 * 2],
    ['expanded_histograms_total', { origin: 'otlp-plain' }, 6 * 2 * 2],
    ['expanded_samples_total', { origin: 'otlp-plain' }, 6 * 2 * 2 * 5],
    ['expanded_histograms_total', { origin: 'otlp-two' }, 0],
    ['dropped_items_total', { stage: 'otlp-locked', kind: 'histograms' }, 6 * 2 * 2],
    ['dropped_items_total', { stage: 'otlp-two', kind: 'exemplars' }, 6 * 2],
    ['rejected_items_total', { stage: 'otlp-merging', reason: 'too_large', kind: 'samples' }, 12],
    ['superseded_items_total', { origin: 'otlp-merging', kind: 'samples' }, 6 * 2 * (1 + 5)],
    ['delivered_items_total', { origin: 'otlp-locked' }, 0],
  ])('%s%o is as it was sent: %i', (name, labels, count) => {
    expect(rose(name, labels)).toBe(count)
  })

  test('have something in each place', () => {
    for (const name of ['superseded', 'delivered', 'origin_rejected', 'failed']) {
      expect(rose(`${name}_items_total`, { kind: 'samples' }), name).toBeGreaterThan(0)
    }
    expect(rig.budget.used).toBe(0)
  })

  test('are in the log, with the points that were rejected', () => {
    const lines = rig.logged.filter(
      ({ event, rejectedPoints }) => event === 'request' && rejectedPoints,
    )
    expect(lines[0]).toMatchObject({ rejectedPoints: 4 })
  })
})
