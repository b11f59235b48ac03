import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  type Content,
  counter,
  gauge,
  histogram,
  type Metric,
  nanos,
  numbered,
  otlpBody,
  partialOf,
  point,
  pushOtlp,
  statusOf,
  TYPES,
} from './otlp-sender.ts'
import { type Rig, type RigOptions, type Script, startRig, status } from './pipeline-rig.ts'
import { streamed } from './streamed.ts'

const PATHS = [
  '/v1/metrics',
  '/otlp/v1/metrics',
  '/api/v1/otlp/v1/metrics',
  '/opentelemetry/v1/metrics',
]
const CONTENTS: readonly Content[] = ['protobuf', 'json']

/** One origin, with further keys of it and of `sluice` as YAML flow. */
function rigOf(script: Script, more = '', sluice = '', options: RigOptions = {}): Rig {
  const config = `remote_write: [{name: a, url: "http://a.test/push"${more && `, ${more}`}}]
sluice: {auth: none${sluice && `, ${sluice}`}}`
  return startRig(config, { origins: { a: script }, ...options })
}

const two = numbered(2)
const both = ['m0{} 0@0', 'm1{} 1@0']
const hang = () => new Promise<never>(() => {})
const wait = (value: string) => () => status(503, 'busy', { 'Retry-After': value })

describe('a request that is taken', () => {
  test.each(PATHS.flatMap((path) => CONTENTS.map((content) => [path, content] as const)))(
    'at %s is answered with an empty message, in %s',
    async (path, content) => {
      const rig = rigOf(204)
      const answer = await pushOtlp(rig, two, { path, content })
      expect([answer.status, answer.text]).toEqual([200, content === 'json' ? '{}' : ''])
      expect([...answer.headers]).toEqual([
        ['content-type', TYPES[content]],
        ['x-content-type-options', 'nosniff'],
      ])
      expect(rig.taken.map(({ samples }) => samples)).toEqual([both])
    },
  )

  const half = otlpBody([two[0]!])
  const rest = otlpBody([two[1]!])
  const encodings: [string, string | undefined, (body: Uint8Array) => Uint8Array][] = [
    ['none', undefined, (body) => body],
    ['identity', 'identity', (body) => body],
    ['gzip', 'gzip', (body) => gzipSync(body)],
    ['gzip under its old name', 'X-GZIP', (body) => gzipSync(body)],
    ['deflate', 'deflate', (body) => deflateSync(body)],
    ['deflate without its wrapper', 'deflate', (body) => deflateRawSync(body)],
    ['zstd', 'zstd', (body) => zstdCompressSync(body)],
  ]
  test.each(
    encodings.flatMap(([name, header, encode]) =>
      CONTENTS.map((content) => [name, content, header, encode] as const),
    ),
  )('in the encoding %s (%s)', async (_, content, header, encode) => {
    const rig = rigOf(204)
    const headers: Record<string, string> = header ? { 'Content-Encoding': header } : {}
    const answer = await pushOtlp(rig, encode(otlpBody(two, content)), { content, headers })
    expect([answer.status, partialOf(answer)]).toEqual([200, undefined])
    expect(rig.taken.map(({ samples }) => samples)).toEqual([both])
  })

  test('may be gzip of several members', async () => {
    const rig = rigOf(204)
    const body = Buffer.concat([gzipSync(half), gzipSync(rest)])
    const answer = await pushOtlp(rig, body, { headers: { 'Content-Encoding': 'gzip' } })
    expect([answer.status, rig.taken.map(({ samples }) => samples)]).toEqual([200, [both]])
  })

  test('may come without a declared length, and with parameters of its type', async () => {
    const rig = rigOf(204)
    const body = new Response(otlpBody(two, 'json') as BodyInit).body
    const headers = { 'Content-Type': 'Application/JSON; charset="UTF-8"' }
    const request = new Request('http://s.test/v1/metrics', { method: 'POST', headers, body })
    const answer = await rig.fetch(request)
    expect([answer.status, await answer.text()]).toEqual([200, '{}'])
    expect(answer.headers.get('Content-Type')).toBe('application/json')
    expect(rig.taken).toHaveLength(1)
  })

  test.each<[string, readonly Metric[]]>([
    ['nothing', []],
    ['a metric without data', [{ name: 'm' }]],
    ['a gauge without points', [gauge('m')]],
    ['a sum without points, whatever its temporality', [counter('m', 1)]],
  ])('of %s is answered 200, and nothing is sent', async (_, metrics) => {
    for (const content of CONTENTS) {
      const rig = rigOf(204)
      const answer = await pushOtlp(rig, metrics, { content })
      expect([answer.status, answer.text]).toEqual([200, content === 'json' ? '{}' : ''])
      expect([rig.arrivals, rig.budget.used]).toEqual([[], 0])
    }
  })

  test('goes through ingress rules, external labels and the rules of each origin', async () => {
    const rig = startRig(
      `
global: {external_labels: {edge: fra}}
remote_write:
  - {name: a, url: "http://a.test/", write_relabel_configs: [{regex: pod, action: labeldrop}]}
  - {name: b, url: "http://b.test/"}
otlp: {promote_resource_attributes: [host.name]}
sluice:
  auth: none
  relabel_configs: [{source_labels: [__name__], regex: "debug_.*", action: drop}]
`,
    )
    const metrics = [gauge('debug.x', point(1)), gauge('used.bytes', point(2, { pod: 'p' }))]
    const answer = await pushOtlp(rig, metrics)
    expect([answer.status, partialOf(answer)]).toEqual([200, undefined])
    expect(rig.taken.map(({ origin, samples }) => [origin, samples])).toEqual([
      ['a', ['used_bytes{edge="fra"} 2@0']],
      ['b', ['used_bytes{edge="fra",pod="p"} 2@0']],
    ])
  })

  test('is of the tenant whose credentials it has', async () => {
    const rig = startRig(`
remote_write: [{name: a, url: "http://a.test/", headers: {X-Scope-OrgID: "{tenant}"}}]
sluice: {auth: [{bearer: t1, tenant: one}, {bearer: t2, tenant: two}]}
`)
    for (const token of ['t1', 't2']) await pushOtlp(rig, two, { token })
    expect(rig.taken.map(({ headers }) => headers.get('x-scope-orgid'))).toEqual(['one', 'two'])
    expect(rig.taken.map(({ headers }) => headers.get('authorization'))).toEqual([null, null])
  })
})

describe('a request of which a part can never be taken', () => {
  const late = 2e12
  const delta = counter('hits', 1, point(1), point(2, { a: 'b' }))
  const untimed = gauge('untimed', { ...point(1), timeUnixNano: 0n })
  const wrongCounts = histogram('wrong')
  ;(wrongCounts.data!.value as { dataPoints: { bucketCounts: bigint[] }[] })
    .dataPoints[0]!.bucketCounts = [1n]

  test.each<[string, readonly Metric[], number, RegExp]>([
    ['delta points', [delta, ...two], 2, /metric "hits" has delta temporality: set the SDK/],
    [
      'a point without a time',
      [untimed, ...two],
      1,
      /"untimed" has a point without time_unix_nano/,
    ],
    ['a point of the far future', [gauge('late', point(1, {}, late)), ...two], 1, /too far in the/],
    ['a wrong histogram', [wrongCounts, ...two], 1, /"wrong" has a histogram whose number/],
    [
      'some of everything',
      [delta, untimed, gauge('late', point(1, {}, late)), wrongCounts, ...two],
      5,
      /and \d more$/,
    ],
  ])('is answered 200 with a partial success: %s', async (_, metrics, rejected, said) => {
    for (const content of CONTENTS) {
      const rig = rigOf(204)
      const answer = await pushOtlp(rig, metrics, { content })
      expect([answer.status, partialOf(answer)]).toEqual([
        200,
        { rejected, message: expect.stringMatching(said) },
      ])
      expect(rig.taken.map(({ samples }) => samples)).toEqual([both])
    }
  })

  test('leaves delta points out in silence where the config says so', async () => {
    const rig = startRig(
      'remote_write: [{name: a, url: "http://a.test/"}]\notlp: {delta: drop}\nsluice: {auth: none}',
    )
    const answer = await pushOtlp(rig, [delta, ...two])
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(rig.taken.map(({ samples }) => samples)).toEqual([both])
  })

  test('counts points, not series: a histogram is one', async () => {
    const rig = rigOf(204)
    const answer = await pushOtlp(rig, [histogram('h', {}, late), histogram('h'), ...two])
    expect(partialOf(answer)).toMatchObject({ rejected: 1 })
    expect(rig.taken[0]!.samples).toHaveLength(5 + 2)
  })

  test('counts the points of JSON that is no number', async () => {
    const rig = rigOf(204)
    const wrong = `{"name":"odd","gauge":{"dataPoints":[{"asDouble":"x"},{"asDouble":1},{}]}}`
    const good = `{"name":"m","gauge":{"dataPoints":[{"asDouble":1,"timeUnixNano":"${nanos()}"}]}}`
    const json = `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[${wrong},${good}]}]}]}`
    const answer = await pushOtlp(rig, new TextEncoder().encode(json), { content: 'json' })
    expect(partialOf(answer)).toEqual({ rejected: 3, message: expect.stringMatching('"odd"') })
    expect(rig.taken.map(({ samples }) => samples)).toEqual([['m{} 1@0']])
  })

  test('gets a warning for what is left out of exemplars only', async () => {
    const rig = rigOf(204)
    const exemplar = `{"asDouble":1,"timeUnixNano":"${nanos()}","traceId":"not hex"}`
    const dataPoint = `{"asDouble":1,"timeUnixNano":"${nanos()}","exemplars":[${exemplar}]}`
    const sum = `"sum":{"isMonotonic":true,"aggregationTemporality":2,"dataPoints":[${dataPoint}]}`
    const json = `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m",${sum}}]}]}]}`
    const answer = await pushOtlp(rig, new TextEncoder().encode(json), { content: 'json' })
    expect(JSON.parse(answer.text)).toEqual({
      partialSuccess: { errorMessage: expect.stringMatching(/^1 trace or span ids/) },
    })
    expect(rig.taken.map(({ samples }) => samples)).toEqual([['m_total{} 1@0']])
  })

  test('names no more than three reasons', async () => {
    const metrics = Array.from({ length: 9 }, (_, i) => counter(`m${i}`, 1, point(i)))
    const answer = await pushOtlp(rigOf(204), metrics)
    expect(partialOf(answer)!.rejected).toBe(9)
    expect(partialOf(answer)!.message.split('; ').slice(0, -1)).toHaveLength(3)
  })
})

describe('a request that is refused', () => {
  test.each<[number, number, string, Record<string, string>, RegExp]>([
    [413, 8, 'a length over the limit', { 'Content-Length': '8388609' }, /limits.body/],
    [400, 3, 'a length that is none', { 'Content-Length': 'many' }, /Content-Length/],
    [415, 3, 'an encoding that nobody knows', { 'Content-Encoding': 'br' }, /not br/],
    [415, 3, 'the encoding of remote write', { 'Content-Encoding': 'snappy' }, /not snappy/],
    [415, 3, 'two encodings', { 'Content-Encoding': 'gzip, zstd' }, /not gzip, zstd/],
  ])('is %i, code %i, for %s, before the body is read', async (code, rpc, _, more, said) => {
    for (const content of CONTENTS) {
      const rig = rigOf(204)
      const { request, pulled } = streamed('/v1/metrics', {
        'Content-Type': TYPES[content],
        ...more,
      })
      const { answer, read } = await answerOf(rig, request)
      expect([answer.status, read.code, pulled()]).toEqual([code, rpc, false])
      expect(read.message).toMatch(said)
      expect(answer.headers.get('Retry-After')).toBe(null)
      expect(rig.arrivals).toEqual([])
    }
  })

  test.each<[string | undefined, RegExp]>([
    [undefined, /missing/],
    ['text/plain', /not text\/plain/],
    ['application/grpc', /not application\/grpc/],
    ['application/json; charset=latin1', /UTF-8/],
    ['nonsense', /malformed/],
  ])('is 415 in plain text for the type %s, before the body is read', async (type, said) => {
    const rig = rigOf(204)
    const { request, pulled } = streamed('/v1/metrics', type ? { 'Content-Type': type } : {})
    const answer = await rig.fetch(request)
    const text = await answer.text()
    expect([answer.status, pulled()]).toEqual([415, false])
    expect(answer.headers.get('Accept')).toBe('application/x-protobuf, application/json')
    const message = type?.startsWith('application/json') ? JSON.parse(text).message : text
    expect(message).toMatch(said)
    if (message === text) expect(answer.headers.get('Content-Type')).toMatch(/^text\/plain/)
  })

  test.each(PATHS)('is 405 for a GET of %s', async (path) => {
    for (const method of ['GET', 'HEAD', 'PUT']) {
      const answer = await rigOf(204).fetch(new Request(`http://s.test${path}`, { method }))
      expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'POST'])
      expect(answer.headers.get('Content-Type')).toMatch(/^text\/plain/)
    }
  })

  const deep = `${'{"kvlistValue":{"values":[{"value":'.repeat(200)}{}${'}]}}'.repeat(200)}`
  const inJson = (attribute: string) =>
    `{"resourceMetrics":[{"resource":{"attributes":[{"key":"a","value":${attribute}}]}}]}`
  test.each<[string, Content, Uint8Array, string, RegExp]>([
    ['no protobuf', 'protobuf', Uint8Array.of(0xff, 1, 2), '', /not a valid ExportMetrics/],
    ['a message cut short', 'protobuf', Uint8Array.of(0x0a, 9, 1), '', /not a valid ExportMetrics/],
    ['gzip that nobody declared', 'protobuf', gzipSync(otlpBody(two)), '', /looks like gzip/],
    ['no gzip', 'protobuf', otlpBody(two), 'gzip', /not gzip/],
    ['half of gzip', 'protobuf', gzipSync(otlpBody(two)).subarray(0, 20), 'gzip', /ends early/],
    ['nothing, in gzip', 'protobuf', new Uint8Array(0), 'gzip', /empty/],
    [
      'zeros after gzip',
      'json',
      Buffer.concat([gzipSync('{}'), Buffer.alloc(9)]),
      'gzip',
      /goes on/,
    ],
    ['no zstd', 'protobuf', otlpBody(two), 'zstd', /zstd/],
    ['no JSON', 'json', Buffer.from('{"resourceMetrics":['), '', /no JSON of OTLP metrics/],
    ['nothing, as JSON', 'json', new Uint8Array(0), '', /JSON/],
    ['JSON that is a list', 'json', Buffer.from('[]'), '', /JSON/],
    ['protobuf as JSON', 'json', otlpBody(two), '', /JSON/],
    ['JSON as protobuf', 'protobuf', otlpBody(two, 'json'), '', /JSON|valid/],
    ['JSON that is too deep', 'json', Buffer.from(inJson(deep)), '', /at most 64 nested/],
  ])('is 400 for %s, and nothing is sent', async (_, content, body, encoding, said) => {
    const rig = rigOf(204)
    await pushOtlp(rig, two)
    rig.arrivals.length = 0
    const headers: Record<string, string> = encoding ? { 'Content-Encoding': encoding } : {}
    const answer = await pushOtlp(rig, body, { content, headers })
    expect([answer.status, statusOf(answer)]).toEqual([
      400,
      { code: 3, message: expect.stringMatching(said) },
    ])
    expect([answer.headers.get('Content-Type'), rig.arrivals]).toEqual([TYPES[content], []])
    // What was there before is neither sent nor lost.
    expect((await pushOtlp(rig, two)).status).toBe(200)
    expect(rig.arrivals.map(({ samples }) => samples)).toEqual([both])
    expect(rig.budget.used).toBe(0)
  })

  test.each<[string, string, readonly Metric[], RegExp]>([
    ['decoded', 'limits: {decoded: 4KB}', numbered(500), /limits.decoded/],
    ['in series', 'limits: {series: 10}', numbered(11), /limits.series/],
    ['as it comes', 'limits: {body: 1KB}', numbered(500), /limits.body/],
  ])('is 413 for what is too large %s', async (_, sluice, metrics, said) => {
    for (const content of CONTENTS) {
      const rig = rigOf(204, '', sluice)
      const headers = { 'Content-Encoding': 'gzip' }
      const body = gzipSync(otlpBody(metrics, content), {
        level: said.source.includes('body') ? 0 : 9,
      })
      const answer = await pushOtlp(rig, body, { content, headers })
      expect([answer.status, statusOf(answer)]).toEqual([
        413,
        { code: 8, message: expect.stringMatching(said) },
      ])
      expect([rig.arrivals, rig.budget.used]).toEqual([[], 0])
    }
  })

  test('is 413 for a bomb, without being blown up', async () => {
    const rig = rigOf(204)
    const body = gzipSync(new Uint8Array(64 * 1024 * 1024))
    const answer = await pushOtlp(rig, body, { headers: { 'Content-Encoding': 'gzip' } })
    expect([answer.status, statusOf(answer).code, rig.budget.used]).toEqual([413, 8, 0])
  })

  test('is 413 when it would take more requests than a Worker may make', async () => {
    const finely = 'queue_config: {max_samples_per_send: 1}, max_bytes_per_send: 1KB'
    const rig = rigOf(204, finely, 'limits: {subrequests: 3}')
    const answer = await pushOtlp(rig, numbered(200))
    expect([answer.status, statusOf(answer)]).toEqual([
      413,
      { code: 8, message: expect.stringMatching('subrequests') },
    ])
    expect([rig.arrivals, rig.budget.used]).toEqual([[], 0])
  })

  test('is 401 without credentials, and says nothing of them', async () => {
    const rig = startRig(`
remote_write: [{url: "http://a.test/"}]
sluice: {auth: [{bearer: token-1, tenant: prod}]}
`)
    for (const path of PATHS) {
      for (const content of CONTENTS) {
        for (const token of [undefined, 'token-2']) {
          const answer = await pushOtlp(rig, two, { path, content, ...(token && { token }) })
          expect([answer.status, statusOf(answer).code]).toEqual([401, 16])
          expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Bearer /)
          expect(answer.headers.get('Content-Type')).toBe(TYPES[content])
          expect(answer.text).not.toMatch(/token-/)
        }
      }
      expect((await pushOtlp(rig, two, { path, token: 'token-1' })).status).toBe(200)
    }
    const untyped = await rig.push(otlpBody(two), { path: '/v1/metrics' })
    expect([untyped.status, untyped.headers.get('Content-Type')]).toEqual([
      401,
      expect.stringMatching(/^text\/plain/),
    ])
  })

  test('is 403 where only this machine is served and the page is another one’s', async () => {
    const rig = rigOf(204, '', '', { deps: { loopbackOnly: true } })
    const answer = await pushOtlp(rig, two)
    expect([answer.status, statusOf(answer).code]).toEqual([403, 7])
  })

  test('is 503 while the config is bad', async () => {
    const rig = startRig(
      'remote_write: [{url: "http://a.test/", nonsense: 1}]\nsluice: {auth: none}',
    )
    for (const content of CONTENTS) {
      const answer = await pushOtlp(rig, two, { content })
      expect([answer.status, statusOf(answer).code]).toEqual([503, 14])
      expect(answer.headers.get('Retry-After')).toMatch(/^[1-5]$/)
      expect(answer.text).not.toMatch('nonsense')
    }
  })

  test('is 503 while memory is short, before the body is read', async () => {
    const rig = rigOf(204, '', '', { budget: 1000 })
    const lease = rig.budget.reserve(950)
    const headers = { 'Content-Type': TYPES.json, 'Content-Length': '51' }
    const { request, pulled } = streamed('/v1/metrics', headers)
    const { answer, read } = await answerOf(rig, request)
    expect([answer.status, read.code, pulled()]).toEqual([503, 14, false])
    expect(answer.headers.get('Retry-After')).toBe('1')
    lease!.release()
    expect(rig.budget.used).toBe(0)
  })

  test('is 503 when its body does not come', async () => {
    const rig = rigOf(204, '', 'deadline: 60ms')
    const body = new ReadableStream({ pull: hang })
    const headers = { 'Content-Type': TYPES.protobuf, 'Content-Length': '100' }
    const request = new Request('http://s.test/v1/metrics', { method: 'POST', body, headers })
    const { answer, read } = await answerOf(rig, request)
    expect([answer.status, read.code, rig.budget.used]).toEqual([503, 14, 0])
  })

  test('is 503 after something that nobody foresaw, never 500, and the next one is served', async () => {
    const rig = rigOf(204)
    const enter = rig.workspace.enter.bind(rig.workspace)
    rig.workspace.enter = () => {
      throw new WebAssembly.RuntimeError('unreachable: secret')
    }
    for (const content of CONTENTS) {
      const answer = await pushOtlp(rig, two, { content })
      expect([answer.status, statusOf(answer).code]).toEqual([503, 14])
      expect(answer.headers.get('Retry-After')).toMatch(/^[1-5]$/)
      expect(answer.text).not.toMatch('secret')
    }
    rig.workspace.enter = enter
    expect((await pushOtlp(rig, two)).status).toBe(200)
    expect(rig.budget.used).toBe(0)
  })

  test('is 503 when it has come through three of us', async () => {
    const rig = rigOf(204)
    const answer = await pushOtlp(rig, two, { headers: { 'Sluice-Hops': '3' } })
    expect([answer.status, statusOf(answer)]).toEqual([
      503,
      { code: 14, message: expect.stringMatching(/lead back here/) },
    ])
    expect([answer.headers.get('Retry-After'), rig.arrivals]).toEqual(['30', []])
    await pushOtlp(rig, two, { headers: { 'Sluice-Hops': '2' } })
    expect(rig.arrivals.map(({ headers }) => headers.get('Sluice-Hops'))).toEqual(['3'])
  })
})

describe('what an origin answers', () => {
  test.each<[string, Script, string, string]>([
    ['500', 500, '', '1'],
    ['503', 503, '', '1'],
    ['429', 429, '', '1'],
    ['503 with a wait', wait('7'), '', '7'],
    ['503 with a long wait', wait('100000'), '', '120'],
    ['401', 401, '', '1'],
    ['404', 404, '', '1'],
    ['a redirect', () => status(302, '', { Location: 'http://x.test/' }), '', '1'],
    ['nothing in time', hang, 'remote_timeout: 30ms', '1'],
    ['a broken connection', () => Promise.reject(new Error('reset')), '', '1'],
  ])('%s is 503 to the sender, with Retry-After', async (_, script, more, retryAfter) => {
    for (const content of CONTENTS) {
      const rig = rigOf(script, more)
      const answer = await pushOtlp(rig, two, { content })
      await rig.settle()
      expect([answer.status, statusOf(answer)]).toEqual([
        503,
        { code: 14, message: expect.stringMatching(/^origin a(:| answered )/) },
      ])
      expect(answer.headers.get('Retry-After')).toBe(retryAfter)
      expect(answer.headers.get('Content-Type')).toBe(TYPES[content])
      expect(rig.budget.used).toBe(0)
    }
  })

  test('nothing before the deadline is 503', async () => {
    const rig = rigOf(hang, '', 'deadline: 60ms')
    const answer = await pushOtlp(rig, two)
    expect([answer.status, statusOf(answer).message]).toEqual([503, 'origin a: no answer in time'])
    await rig.settle()
    expect(rig.budget.used).toBe(0)
  })

  test.each<[string, Script, string]>([
    ['400', () => status(400, 'out of order\nmore'), ''],
    ['409', 409, ''],
    ['422', 422, ''],
    ['403, to be rejected', 403, 'on_misconfigured: reject'],
  ])('%s is 200 with everything rejected', async (_, script, more) => {
    for (const content of CONTENTS) {
      const answer = await pushOtlp(rigOf(script, more), [histogram('h'), ...two], { content })
      expect([answer.status, partialOf(answer)]).toEqual([
        200,
        { rejected: 3, message: expect.stringMatching(/^origin a answered 4\d\d/) },
      ])
    }
  })

  test('400 to one piece counts the points of that one', async () => {
    const script: Script = ({ samples }) =>
      status(samples.some((s) => s.startsWith('m3')) ? 400 : 204)
    const rig = rigOf(
      script,
      'queue_config: {max_samples_per_send: 2}, metadata_config: {send: false}',
    )
    const answer = await pushOtlp(rig, numbered(8))
    expect(partialOf(answer)).toMatchObject({ rejected: 2 })
    expect(rig.taken.flatMap(({ samples }) => samples)).toHaveLength(6)
  })

  test('413 is answered with halves, and only what is refused alone is rejected', async () => {
    const script: Script = ({ samples }) =>
      status(samples.some((s) => s.startsWith('m3')) ? 413 : 204)
    const rig = rigOf(script)
    const answer = await pushOtlp(rig, numbered(8))
    expect([answer.status, partialOf(answer)]).toEqual([
      200,
      { rejected: 1, message: 'origin a answered 413' },
    ])
    expect(rig.taken.flatMap(({ samples }) => samples)).toHaveLength(7)
    expect(rig.budget.used).toBe(0)
  })

  test('adds to what was rejected here, and never counts a point twice', async () => {
    const config = `
remote_write: [{name: a, url: "http://a.test/"}, {name: b, url: "http://b.test/"}]
sluice: {auth: none}`
    const rig = startRig(config, { origins: { a: 400, b: 400 } })
    const answer = await pushOtlp(rig, [counter('hits', 1, point(1)), ...two])
    expect(partialOf(answer)).toMatchObject({ rejected: 3 })
    expect(partialOf(answer)!.message).toMatch(/delta.*; origin a .*; origin b /)
  })

  test('of an ignored origin changes nothing', async () => {
    const rig = rigOf(503, 'on_failure: ignore')
    const answer = await pushOtlp(rig, two)
    await rig.settle()
    expect([answer.status, answer.text]).toEqual([200, ''])
  })

  test('503 beats everything', async () => {
    const config = `
remote_write: [{name: a, url: "http://a.test/"}, {name: b, url: "http://b.test/"}]
sluice: {auth: none}`
    const rig = startRig(config, { origins: { a: 400, b: wait('9') } })
    const answer = await pushOtlp(rig, [counter('hits', 1, point(1)), ...two])
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '9'])
  })

  test('is never passed on as anything but 200 and 503', async () => {
    let code = 0
    const rig = rigOf(() => status(code))
    for (code = 200; code < 600; code++) {
      const answer = await pushOtlp(rig, two)
      const wanted = code < 300 || (code >= 400 && code < 500 && !BUSY.has(code)) ? 200 : 503
      expect(answer.status, `origin ${code}`).toBe(wanted)
      expect(wanted === 200 && partialOf(answer) === undefined, `origin ${code}`).toBe(code < 300)
    }
  })
})

/** Neither 2xx nor about the data. */
const BUSY = new Set([401, 403, 404, 408, 425, 429])

/** The answer to a request that is refused, and what it says. */
async function answerOf(rig: Rig, request: Request) {
  const answer = await rig.fetch(request)
  const bytes = new Uint8Array(await answer.arrayBuffer())
  return { answer, read: statusOf({ bytes, headers: answer.headers }) }
}
