import SnappyJS from 'snappyjs'
import { describe, expect, test } from 'vitest'
import { bodyOf, gauges, type Rig, type Script, startRig, status, wrote } from './pipeline-rig.ts'
import {
  body2,
  custom,
  linesOf,
  named,
  native,
  numbered2,
  push2,
  type Request2,
  request2,
  type Series2,
  TYPE2,
  writtenIn,
} from './remotewrite2-sender.ts'
import { streamed } from './streamed.ts'

const MESSAGE = 'io.prometheus.write.v2.Request'
const TWO = `protobuf_message: ${MESSAGE}`

/** Origins by name, each with what it does and further keys of it, and keys of `sluice`, as YAML flow. */
function rigOf(origins: Record<string, readonly [Script, string?]>, sluice = '', top = ''): Rig {
  const list = Object.entries(origins).map(
    ([name, [, more]]) =>
      `  - {name: ${name}, url: "http://${name}.test/"${more ? `, ${more}` : ''}}`,
  )
  const config = `${top}\nremote_write:\n${list.join('\n')}\nsluice: {auth: none${sluice && `, ${sluice}`}}`
  const scripts = Object.fromEntries(
    Object.entries(origins).map(([name, [script]]) => [name, script]),
  )
  return startRig(config, { origins: scripts })
}

const simple = (script: Script, more = '') => rigOf({ a: [script, more] })
const two = numbered2(2)
const both = ['m0{job="test"} 0@0', 'm1{job="test"} 1@0']
const NONE = [null, null, null]
const hang = () => new Promise<never>(() => {})
const raw2 = (series: readonly Series2[]) =>
  new Uint8Array(SnappyJS.uncompress(body2(request2(series))))
const snappy = (bytes: Uint8Array) => new Uint8Array(SnappyJS.compress(bytes))

describe('the three headers that say what was written', () => {
  test.each(['/api/v1/write', '/api/v1/push', '/api/v1/receive'])(
    'are on a 204 at %s',
    async (path) => {
      const rig = rigOf({ one: [204], two: [204, TWO] })
      const answer = await push2(rig, two, { path })
      expect([answer.status, answer.text, answer.written]).toEqual([204, '', [2, 0, 0]])
      expect(rig.taken.map(({ origin, protocol }) => [origin, protocol.message])).toEqual([
        ['one', 1],
        ['two', 2],
      ])
      expect(linesOf(rig.taken)).toEqual([...both, ...both].sort())
    },
  )

  test('are on a 204 to an empty request', async () => {
    const rig = simple(204)
    expect(await push2(rig, [])).toMatchObject({ status: 204, written: [0, 0, 0] })
    expect(rig.arrivals).toEqual([])
  })

  test.each<[number, string, Record<string, string>]>([
    [415, 'a type that is not ours', { 'Content-Type': `application/json;proto=${MESSAGE}` }],
    [415, 'another encoding', { 'Content-Encoding': 'gzip' }],
    [415, 'zstd, which is of 1.0 only', { 'Content-Encoding': 'zstd' }],
    [413, 'a declared length over the limit', { 'Content-Length': '8388609' }],
    [400, 'a length that is none', { 'Content-Length': 'many' }],
    [503, 'too many hops', { 'Sluice-Hops': '3' }],
  ])('are on a %i for %s, before the body is read', async (code, _, more) => {
    const rig = simple(204)
    const { request, pulled } = streamed('/api/v1/write', { 'Content-Type': TYPE2, ...more })
    const answer = await rig.fetch(request)
    expect([answer.status, writtenIn(answer.headers), pulled()]).toEqual([code, [0, 0, 0], false])
  })

  test.each<[number, string, Uint8Array, string]>([
    [400, 'no snappy', Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff), ''],
    [400, 'no protobuf', snappy(Uint8Array.of(0xff, 1, 2)), ''],
    [413, 'too much, decoded', body2(request2(numbered2(800))), 'limits: {decoded: 4KB}'],
    [413, 'too many series', body2(request2(numbered2(11))), 'limits: {series: 10}'],
  ])('are on a %i for %s', async (code, _, body, sluice) => {
    const rig = rigOf({ a: [204] }, sluice)
    expect(await push2(rig, body)).toMatchObject({ status: code, written: [0, 0, 0] })
    expect([rig.arrivals, rig.budget.used]).toEqual([[], 0])
  })

  test('are on a 401, a 405 and a 503 while the config is bad', async () => {
    const closed = startRig(
      'remote_write: [{url: "http://a.test/"}]\nsluice: {auth: [{bearer: t, tenant: x}]}',
    )
    expect(await push2(closed, two)).toMatchObject({ status: 401, written: [0, 0, 0] })
    expect(await push2(closed, two, { token: 't' })).toMatchObject({ status: 204 })
    const bad = startRig('remote_write: 1\nsluice: {auth: none}')
    expect(await push2(bad, two)).toMatchObject({ status: 503, written: [0, 0, 0] })
    const headers = { 'Content-Type': TYPE2 }
    const get = new Request('http://s.test/api/v1/write', { method: 'PUT', headers })
    const answer = await simple(204).fetch(get)
    expect([answer.status, writtenIn(answer.headers)]).toEqual([405, [0, 0, 0]])
  })

  test.each<[string, Script, string]>([
    ['busy', 503, ''],
    ['too busy', 429, ''],
    ['hangs', hang, 'remote_timeout: 30ms'],
    ['breaks', () => Promise.reject(new Error('reset')), ''],
    ['locked', 401, ''],
  ])('are all 0 on a 503, as an origin is %s', async (_, script, more) => {
    const rig = rigOf({ well: [204, TWO], ill: [script, more] })
    const answer = await push2(rig, two)
    await rig.settle()
    expect([answer.status, answer.written]).toEqual([503, [0, 0, 0]])
    expect(answer.headers.get('Retry-After')).toMatch(/^[1-5]$/)
  })

  test.each<[string, Script, string, Record<string, string>, number]>([
    ['204', 204, '', {}, 204],
    [
      '204 with the type in full',
      204,
      '',
      { 'Content-Type': 'application/x-protobuf;proto=prometheus.WriteRequest' },
      204,
    ],
    [
      '204, though the version header says 2.0',
      204,
      '',
      { 'X-Prometheus-Remote-Write-Version': '2.0.0' },
      204,
    ],
    ['204 from an origin of 2.0', 204, TWO, {}, 204],
    ['400', 400, '', {}, 400],
    ['400 from an origin of 2.0', 400, TWO, {}, 400],
    ['415', 204, '', { 'Content-Encoding': 'gzip' }, 415],
    ['413', 204, '', { 'Content-Length': '8388609' }, 413],
    ['503', 503, '', {}, 503],
  ])('are never on an answer to 1.0: %s', async (_, script, more, headers, code) => {
    const rig = simple(script, more)
    const body = bodyOf(gauges(2))
    const type = { 'Content-Type': 'application/x-protobuf', 'Content-Encoding': 'snappy' }
    const answer = await rig.push(body, { headers: { ...type, ...headers } })
    expect([answer.status, writtenIn(answer.headers)]).toEqual([code, NONE])
  })

  test('follow from the type alone, however it is written', async () => {
    for (const type of [
      'application/x-protobuf; proto=io.prometheus.write.v2.Request',
      'Application/X-Protobuf ;PROTO="io.prometheus.write.v2.Request"',
    ]) {
      const rig = simple(204)
      const headers = { 'Content-Type': type, 'X-Prometheus-Remote-Write-Version': '0.1.0' }
      expect(await push2(rig, two, { headers })).toMatchObject({ status: 204, written: [2, 0, 0] })
      expect(linesOf(rig.taken)).toEqual(both)
    }
  })
})

describe('what they say was written', () => {
  const full = named('full', {
    samples: [[1], [2, 1]],
    exemplars: [{ labels: [['id', 'x']], value: 1 }],
  })
  const histograms = named('h', { histograms: [native(), native({}, 1)] })
  const nameless: Series2 = { labels: [['job', 'x']], samples: [[1], [2, 1]] }

  test('is less by what was rejected here, and the rest is delivered', async () => {
    const rig = rigOf({ one: [204], two: [204, TWO] })
    const wrong = named('wrong', {
      histograms: [native({ count: { case: 'countInt', value: 3n } }), native({}, 1)],
    })
    const late = named('late', { samples: [[1], [2, 2e12]] })
    const answer = await push2(rig, [nameless, full, histograms, wrong, late, ...two])
    expect([answer.status, answer.written]).toEqual([400, [2 + 1 + 2, 2 + 1, 1]])
    expect(answer.text).toContain('series {job="x"} has no __name__')
    expect(answer.text).toMatch(/series wrong\{job="test"\} has a native histogram/)
    for (const origin of ['one', 'two']) {
      expect(linesOf(rig.taken.filter((one) => one.origin === origin)), origin).toEqual(
        [
          ...both,
          'full{job="test"} 1@0',
          'full{job="test"} 2@1',
          'full{job="test"} x1@0 id=x',
          'h{job="test"} h4@0',
          'h{job="test"} h4@1',
          'late{job="test"} 1@0',
          'wrong{job="test"} h4@1',
        ].sort(),
      )
    }
  })

  test('counts what rules drop, at ingress and for an origin', async () => {
    const rig = rigOf(
      { a: [204, 'write_relabel_configs: [{source_labels: [__name__], regex: m1, action: drop}]'] },
      'relabel_configs: [{source_labels: [__name__], regex: "h|full", action: drop}]',
    )
    const answer = await push2(rig, [full, histograms, ...two])
    expect([answer.status, answer.written]).toEqual([204, [4, 2, 1]])
    expect(linesOf(rig.taken)).toEqual([both[0]])
  })

  test('counts kinds that an origin is not to get', async () => {
    const rig = simple(204, 'send_exemplars: false, send_native_histograms: false')
    const answer = await push2(rig, [full, histograms])
    expect([answer.status, answer.written]).toEqual([204, [2, 2, 1]])
  })

  test('counts a sample that came twice', async () => {
    const rig = simple(204, TWO)
    const answer = await push2(rig, [...two, ...two])
    expect([answer.status, answer.written, linesOf(rig.taken)]).toEqual([204, [4, 0, 0], both])
  })

  test.each<[string, Script, Script, number, number[]]>([
    ['both have all', 204, 204, 204, [4, 2, 1]],
    ['one refuses all', 204, 400, 400, [0, 0, 0]],
    ['the other refuses all', 400, 204, 400, [0, 0, 0]],
    ['one writes less', (a) => wrote(a, 204, { samples: 1 }), 204, 400, [1, 2, 1]],
    [
      'each writes less of another kind',
      (a) => wrote(a, 204, { samples: 3, exemplars: 0 }),
      (a) => wrote(a, 400, { histograms: 1, exemplars: 1 }),
      400,
      [3, 1, 0],
    ],
    [
      'one says that it wrote more than it got',
      (a) => wrote(a, 204, { samples: 99 }),
      204,
      204,
      [4, 2, 1],
    ],
  ])('is the least of the origins that decide: %s', async (_, x, y, code, written) => {
    const rig = rigOf({ x: [x, TWO], y: [y, TWO], z: [503, 'on_failure: ignore'] })
    const answer = await push2(rig, [full, histograms, ...two])
    await rig.settle()
    expect([answer.status, answer.written]).toEqual([code, written])
  })

  test('is less by one piece of several', async () => {
    const refuse: Script = (a) =>
      a.samples.some((s) => s.startsWith('m3{')) ? status(400) : wrote(a)
    const rig = simple(refuse, `${TWO}, queue_config: {max_samples_per_send: 2}`)
    const answer = await push2(rig, numbered2(8))
    expect([answer.status, answer.written]).toEqual([400, [6, 0, 0]])
  })

  test('is less by what alone is larger than an origin takes', async () => {
    const rig = simple(204, 'max_bytes_per_send: 1KB')
    const huge = named('huge', { samples: [[1]] }, [['text', 'x'.repeat(1100)]])
    const answer = await push2(rig, [huge, ...two])
    expect([answer.status, answer.written]).toEqual([400, [2, 0, 0]])
    expect(answer.text).toMatch(/max_bytes_per_send/)
  })

  test('is a histogram, where classic series stood in for it', async () => {
    const rig = simple(204)
    const answer = await push2(rig, [named('c', { histograms: [custom()] })])
    expect([answer.status, answer.written]).toEqual([204, [0, 1, 0]])
    expect(linesOf(rig.taken)).toEqual([
      'c_bucket{job="test",le="+Inf"} 6@0',
      'c_bucket{job="test",le="1.0"} 1@0',
      'c_bucket{job="test",le="5.0"} 3@0',
      'c_count{job="test"} 6@0',
      'c_sum{job="test"} 40@0',
    ])
    const refused = await push2(simple(400), [named('c', { histograms: [custom()] })])
    expect([refused.status, refused.written]).toEqual([400, [0, 0, 0]])
  })

  test('is an exemplar whose series came with nothing else', async () => {
    const rig = rigOf({ one: [204], two: [204, TWO] })
    const alone = named('alone', { exemplars: [{ labels: [['id', 'y']], value: 2 }] })
    const apart = named('full', { exemplars: [{ labels: [['id', 'z']], value: 3 }] })
    const answer = await push2(rig, [full, alone, apart])
    expect([answer.status, answer.written]).toEqual([204, [2, 0, 3]])
    const of = (origin: string) => linesOf(rig.taken.filter((one) => one.origin === origin))
    const attached = ['1@0', '2@1', 'x1@0 id=x', 'x3@0 id=z'].map((x) => `full{job="test"} ${x}`)
    expect(of('one')).toEqual(['alone{job="test"} x2@0 id=y', ...attached])
    expect(of('two')).toEqual(attached)
  })
})

type Plain = Request2['timeseries'][number] & { $typeName?: never }

describe('a body that can not be trusted', () => {
  const good = request2(two)
  const [first, second] = good.timeseries as [Plain, Plain]
  const withRefs = (labelsRefs: number[]) =>
    body2({ ...good, timeseries: [{ ...first, labelsRefs }, second] })
  test.each<[string, Uint8Array, RegExp]>([
    ['a ref out of the symbols', withRefs([1, 2, 3, 99]), /reference leads out of the symbols/],
    ['refs that are odd in number', withRefs([1, 2, 3]), /odd/],
    [
      'a first symbol that is not empty',
      body2({ ...good, symbols: ['x', ...good.symbols.slice(1)] }),
      /first symbol/,
    ],
    ['no symbols at all', body2({ ...good, symbols: [] }), /reference leads out/],
    [
      'a help that leads out',
      body2({ ...good, timeseries: [{ ...first, metadata: { helpRef: 99 } }] }),
      /reference leads out/,
    ],
    [
      'an exemplar that leads out',
      body2({
        ...good,
        timeseries: [{ ...first, exemplars: [{ labelsRefs: [1, 99], value: 1 }] }],
      }),
      /reference leads out/,
    ],
    ['a message of 1.0', bodyOf(gauges(2)), /1\.0 message under a content type that says 2\.0/],
    [
      'a message of both',
      snappy(Buffer.concat([raw2(two), SnappyJS.uncompress(bodyOf(gauges(2)))])),
      /1\.0|2\.0/,
    ],
  ])('is 400 as a whole: %s', async (_, body, said) => {
    const rig = rigOf({ one: [204], two: [204, TWO] })
    const answer = await push2(rig, body)
    expect([answer.status, answer.written, rig.arrivals]).toEqual([400, [0, 0, 0], []])
    expect(answer.text).toMatch(said)
    expect((await push2(rig, two)).status).toBe(204)
    expect(linesOf(rig.taken)).toEqual([...both, ...both].sort())
  })

  test('is 400 when it is 2.0 under a type that says 1.0', async () => {
    const rig = simple(204)
    const answer = await rig.push(body2(good))
    expect([answer.status, writtenIn(answer.headers), rig.arrivals]).toEqual([400, NONE, []])
    expect(answer.text).toMatch(/2\.0 message under a content type that says 1\.0/)
  })

  test('may have its symbols behind its series', async () => {
    const rig = rigOf({ one: [204], two: [204, TWO] })
    const bytes = raw2(two)
    const { length } = SnappyJS.uncompress(body2({ symbols: good.symbols }))
    const swapped = snappy(Buffer.concat([bytes.subarray(length), bytes.subarray(0, length)]))
    expect(await push2(rig, swapped)).toMatchObject({ status: 204, written: [2, 0, 0] })
    expect(linesOf(rig.taken)).toEqual([...both, ...both].sort())
  })
})
