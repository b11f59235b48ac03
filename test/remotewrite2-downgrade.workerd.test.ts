import { describe, expect, test } from 'vitest'
import { DOWNGRADED_FOR } from '../src/downgrades.ts'
import { numbered, partialOf, pushOtlp } from './otlp-sender.ts'
import {
  type Arrival,
  bodyOf,
  gauges,
  type Rig,
  type Script,
  startRig,
  status,
  wrote,
} from './pipeline-rig.ts'
import {
  custom,
  linesOf,
  named,
  native,
  numbered2,
  push2,
  type Series2,
} from './remotewrite2-sender.ts'
import { balanceOf, watchMetrics } from './self-metrics.ts'

const MESSAGE = 'protobuf_message: io.prometheus.write.v2.Request'
const ZSTD = 'compression: zstd'

/** One origin, `a`, and where `b` is given another one beside it. */
function rigOf(a: Script, more: string, b?: Script): Rig {
  const other = b === undefined ? '' : `\n  - {name: b, url: "http://b.test/", ${MESSAGE}}`
  const config = `remote_write:\n  - {name: a, url: "http://a.test/", ${more}}${other}\nsluice: {auth: none}`
  return startRig(config, { origins: { a, ...(b !== undefined && { b }) } })
}

/** Takes 1.0 in snappy only, and says so with this answer. */
const plain =
  (refusal: () => Response): Script =>
  ({ protocol }) =>
    protocol.message === 1 && protocol.compression === 'snappy' ? status(204) : refusal()
const old = plain(() => status(415, 'unknown content type'))

const formOf = ({ protocol }: Arrival) => `${protocol.message} ${protocol.compression}`
const formsAt = (rig: Rig, origin = 'a') =>
  rig.arrivals.filter((arrival) => arrival.origin === origin).map(formOf)

const rich: readonly Series2[] = [
  named('c_total', {
    samples: [
      [1, 0, -5],
      [2, 1, -5],
    ],
    exemplars: [{ labels: [['id', 'x']], value: 1 }],
  }),
  named('h', { histograms: [native(), native({}, 1)] }),
  ...numbered2(3),
]
const richLines = [
  'c_total{job="test"} 1@0',
  'c_total{job="test"} 2@1',
  'c_total{job="test"} x1@0 id=x',
  'h{job="test"} h4@0',
  'h{job="test"} h4@1',
  'm0{job="test"} 0@0',
  'm1{job="test"} 1@0',
  'm2{job="test"} 2@0',
]

describe('an origin that does not know 2.0', () => {
  test.each<[string, Script]>([
    ['says 415', old],
    ['takes it without a word of what it wrote', plain(() => status(200))],
  ])('gets the same data as 1.0 when it %s', async (_, script) => {
    const rig = rigOf(script, MESSAGE)
    const answer = await push2(rig, rich)
    expect([answer.status, answer.text, answer.written]).toEqual([204, '', [5, 2, 1]])
    expect(formsAt(rig)).toEqual(['2 snappy', '1 snappy'])
    expect(linesOf(rig.arrivals.slice(1))).toEqual(richLines)
    expect(rig.budget.used).toBe(0)
  })

  test('is sent 1.0 for an hour, then 2.0 is tried again', async () => {
    const rig = rigOf(old, MESSAGE)
    for (const after of [0, 0, DOWNGRADED_FOR - 1000]) {
      rig.clock.ahead = after
      expect((await push2(rig, rich)).status).toBe(204)
    }
    expect(formsAt(rig)).toEqual(['2 snappy', '1 snappy', '1 snappy', '1 snappy'])
    expect(linesOf(rig.arrivals.slice(-1))).toEqual(richLines)
    rig.clock.ahead = DOWNGRADED_FOR + 1000
    expect((await push2(rig, rich)).status).toBe(204)
    expect(formsAt(rig).slice(4)).toEqual(['2 snappy', '1 snappy'])
    expect(rig.logged.filter(({ event }) => event === 'origin_downgraded')).toMatchObject([
      { origin: 'a', message: 'origin a answered 415: unknown content type' },
      { origin: 'a' },
    ])
  })

  test('is sent 2.0 again once it has learnt it', async () => {
    let knows = false
    const rig = rigOf((arrival) => (knows ? wrote(arrival) : status(415)), MESSAGE)
    await push2(rig, rich)
    knows = true
    rig.clock.ahead = DOWNGRADED_FOR + 1000
    for (let i = 0; i < 2; i++) expect((await push2(rig, rich)).status).toBe(204)
    expect(formsAt(rig)).toEqual(['2 snappy', '1 snappy', '2 snappy', '2 snappy'])
    expect(linesOf(rig.arrivals.slice(-1))).toEqual(richLines)
  })

  test('changes nothing for another', async () => {
    const rig = rigOf(old, MESSAGE, 204)
    for (let i = 0; i < 3; i++) expect((await push2(rig, rich)).status).toBe(204)
    expect(formsAt(rig, 'b')).toEqual(['2 snappy', '2 snappy', '2 snappy'])
    for (const origin of ['a', 'b']) {
      const of = rig.taken.filter((arrival) => arrival.origin === origin)
      expect(of.map((arrival) => linesOf([arrival]))).toEqual([richLines, richLines, richLines])
    }
  })

  test('gets all pieces of a request in 1.0, of which one was asked for in vain', async () => {
    const rig = rigOf(old, `${MESSAGE}, queue_config: {max_samples_per_send: 2}`)
    const answer = await push2(rig, numbered2(24))
    expect([answer.status, answer.written]).toEqual([204, [24, 0, 0]])
    expect(linesOf(rig.taken)).toHaveLength(24)
    const refused = formsAt(rig).filter((form) => form === '2 snappy')
    expect(refused.length).toBeLessThanOrEqual(6) // as many as were under way
    expect(rig.budget.used).toBe(0)
  })

  test('gets what senders of 1.0 and of OTLP sent as well', async () => {
    const one = rigOf(old, MESSAGE)
    expect((await one.push(bodyOf(gauges(3)))).status).toBe(204)
    expect(linesOf(one.taken)).toEqual(['m0{} 0@0', 'm1{} 1@0', 'm2{} 2@0'])
    const otlp = rigOf(old, MESSAGE)
    const answer = await pushOtlp(otlp, numbered(3))
    expect([answer.status, partialOf(answer)]).toEqual([200, undefined])
    expect(linesOf(otlp.taken)).toEqual(['m0{} 0@0', 'm1{} 1@0', 'm2{} 2@0'])
  })

  test('gets classic series for histograms with custom buckets, which 1.0 can not carry', async () => {
    const rig = rigOf(old, MESSAGE)
    const answer = await push2(rig, [named('c', { histograms: [custom()] }), ...numbered2(1)])
    expect([answer.status, answer.written]).toEqual([204, [1, 1, 0]])
    expect(linesOf(rig.taken)).toHaveLength(5 + 1)
    const { text } = await rig.get('/metrics')
    expect(text).toMatch(/sluice_expanded_histograms_total\{origin="a"\} \d/)
  })

  test('gets what 1.0 has room for; the sender, and the log, are told of the rest', async () => {
    const rig = rigOf(old, `${MESSAGE}, max_bytes_per_send: 1KB`)
    // One symbol in 2.0, and twice as long in 1.0.
    const long = 'v'.repeat(600)
    const twice = [
      ['a', long],
      ['b', long],
    ] as const
    const answer = await push2(rig, [
      named('large', { samples: [[1], [2, 1]] }, twice),
      ...numbered2(2),
    ])
    expect([answer.status, answer.written]).toEqual([400, [2, 0, 0]])
    expect(answer.text).toBe('origin a: 2 points are each larger than max_bytes_per_send\n')
    expect(linesOf(rig.taken)).toEqual(['m0{job="test"} 0@0', 'm1{job="test"} 1@0'])
    const [line] = rig.logged.filter(({ event }) => event === 'request')
    expect(line).toMatchObject({
      origins: [{ origin: 'a', delivered: { samples: 2 }, rejected: { samples: 2 } }],
    })
  })

  test('loses custom buckets where they are to be dropped, which the line in the log says', async () => {
    const rig = rigOf(old, `${MESSAGE}, native_histograms_with_custom_buckets: drop`)
    const series = [named('c', { histograms: [custom()] }), ...numbered2(1)]
    const nameless = { labels: [['job', 'test']] as const, samples: [[1]] as const }
    const answer = await push2(rig, [...series, nameless])
    expect([answer.status, answer.written]).toEqual([400, [1, 1, 0]])
    expect(linesOf(rig.taken)).toEqual(['m0{job="test"} 0@0'])
    const [line] = rig.logged.filter(({ event }) => event === 'request')
    expect(line).toMatchObject({
      origins: [{ origin: 'a', delivered: { samples: 1 }, dropped: { histograms: 1 } }],
    })
  })

  test('and refuses the data is told of that, with what was written', async () => {
    const rig = rigOf(
      ({ protocol }) => (protocol.message === 2 ? status(415) : status(400, 'bad')),
      MESSAGE,
    )
    const answer = await push2(rig, rich)
    expect([answer.status, answer.written]).toEqual([400, [0, 0, 0]])
    expect(answer.text).toBe('origin a answered 400: bad\n')
    expect(formsAt(rig)).toEqual(['2 snappy', '1 snappy'])
  })

  test('and then is busy is 503, and the next request goes as 1.0 at once', async () => {
    let busy = true
    const rig = rigOf(
      ({ protocol }) => status(protocol.message === 2 ? 415 : busy ? 503 : 204),
      MESSAGE,
    )
    expect(await push2(rig, rich)).toMatchObject({ status: 503, written: [0, 0, 0] })
    busy = false
    expect((await push2(rig, rich)).status).toBe(204)
    expect(formsAt(rig)).toEqual(['2 snappy', '1 snappy', '1 snappy'])
  })

  test('and is ignored gets its data too', async () => {
    const rig = rigOf(old, `${MESSAGE}, on_failure: ignore`)
    expect((await push2(rig, rich)).status).toBe(204)
    await rig.settle()
    expect([linesOf(rig.taken), rig.budget.used]).toEqual([richLines, 0])
  })

  test('gets everything once when many requests learn of it at the same time', async () => {
    const rig = rigOf(
      async (arrival) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return arrival.protocol.message === 1 ? status(204) : status(415)
      },
      MESSAGE,
      204,
    )
    const pushes = Array.from({ length: 50 }, (_, i) => [
      named(`p${i}`, { samples: [[i], [i + 1, 1]] }),
    ])
    const answers = await Promise.all(pushes.map((series) => push2(rig, series)))
    expect(answers.every(({ status }) => status === 204)).toBe(true)
    for (const origin of ['a', 'b']) {
      const lines = linesOf(rig.taken.filter((arrival) => arrival.origin === origin))
      expect(lines).toHaveLength(100)
      expect(new Set(lines).size).toBe(100)
    }
    expect(rig.budget.used).toBe(0)
  })
})

test('the sums agree where payloads were made anew, whatever 1.0 can not carry', async () => {
  const config = (name: string, more = '') =>
    `  - {name: ${name}, url: "http://${name}.test/", ${MESSAGE}, queue_config: {max_samples_per_send: 4}${more}}`
  let turn = 0
  const moody: Script = ({ protocol }) =>
    status(protocol.message === 2 ? 415 : [204, 400, 503][turn % 3]!)
  const rig = startRig(
    `remote_write:
${config('anew-expanding')}
${config('anew-dropping', ', native_histograms_with_custom_buckets: drop, on_failure: ignore')}
sluice: {auth: none}`,
    { origins: { 'anew-expanding': moody, 'anew-dropping': moody } },
  )
  const rising = await watchMetrics(rig)
  for (turn = 0; turn < 6; turn++) {
    rig.clock.ahead = turn * (DOWNGRADED_FOR + 1000)
    await push2(rig, [
      ...rich,
      named('c', { histograms: [custom(), custom(1)], metadata: { type: 3 } }),
    ])
    await pushOtlp(rig, numbered(7))
    await rig.settle()
  }
  const rose = await rising()
  expect(rose('expanded_histograms_total', { origin: 'anew-expanding' })).toBeGreaterThan(0)
  expect(
    rose('dropped_items_total', { stage: 'anew-dropping', kind: 'histograms' }),
  ).toBeGreaterThan(0)
  for (const origin of ['anew-expanding', 'anew-dropping']) {
    for (const kind of ['samples', 'histograms', 'exemplars']) {
      const [came, went] = balanceOf(rose, origin, kind)
      expect(came, `${origin} ${kind}`).toBeGreaterThan(0)
      expect(went, `${origin} ${kind}`).toBe(came)
    }
  }
  expect(rig.budget.used).toBe(0)
})

describe('2.0 is not given up', () => {
  test.each<[string, Script, number]>([
    ['after a 400 about data', () => status(400, 'out of order'), 400],
    [
      'after a 400 that says what was written',
      (arrival) => wrote(arrival, 400, { samples: 1 }),
      400,
    ],
    [
      'after a 400 that speaks of its type',
      () => status(400, 'unsupported content type: proto'),
      400,
    ],
    [
      'after a success with headers that say 0',
      (arrival) => wrote(arrival, 204, { samples: 0 }),
      400,
    ],
    ['after a 503', 503, 503],
    ['after a 429', 429, 503],
    ['after a 404', 404, 503],
    ['after a 200 with the headers', 200, 204],
  ])('%s', async (_, script, code) => {
    const rig = rigOf(script, MESSAGE)
    for (let i = 0; i < 2; i++) expect((await push2(rig, numbered2(2))).status).toBe(code)
    expect(formsAt(rig)).toEqual(['2 snappy', '2 snappy'])
  })

  test('and a 413 is halved in 2.0', async () => {
    const rig = rigOf(
      (arrival) => (arrival.samples.length > 1 ? status(413) : wrote(arrival)),
      MESSAGE,
    )
    const answer = await push2(rig, numbered2(4))
    expect([answer.status, answer.written]).toEqual([204, [4, 0, 0]])
    expect(new Set(formsAt(rig))).toEqual(new Set(['2 snappy']))
    expect(linesOf(rig.taken)).toHaveLength(4)
  })
})

describe('an origin that does not know zstd', () => {
  test.each<[string, Script]>([
    ['says 415', old],
    ['can not decompress it', plain(() => status(400, 'snappy: corrupt input'))],
  ])('gets snappy when it %s, for an hour', async (_, script) => {
    const rig = rigOf(script, ZSTD)
    for (let i = 0; i < 2; i++) expect((await rig.push(gauges(3))).status).toBe(204)
    expect(formsAt(rig)).toEqual(['1 zstd', '1 snappy', '1 snappy'])
    expect(linesOf(rig.taken)).toHaveLength(6)
    rig.clock.ahead = DOWNGRADED_FOR + 1000
    await rig.push(gauges(3))
    expect(formsAt(rig).slice(3)).toEqual(['1 zstd', '1 snappy'])
  })

  test('keeps zstd after a 400 about data', async () => {
    const rig = rigOf(() => status(400, 'out of order sample'), ZSTD)
    for (let i = 0; i < 2; i++) expect((await rig.push(gauges(1))).status).toBe(400)
    expect(formsAt(rig)).toEqual(['1 zstd', '1 zstd'])
  })
})
