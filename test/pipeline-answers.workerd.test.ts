import { zstdCompressSync } from 'node:zlib'
import SnappyJS from 'snappyjs'
import { describe, expect, test } from 'vitest'
import type { AppDeps } from '../src/app.ts'
import { field, message, text, varint } from './batch/message.ts'
import {
  type Arrival,
  bodyOf,
  gauges,
  type Script,
  series,
  startRig,
  status,
  T,
} from './pipeline-rig.ts'

/** Origins of these names, with further keys of each as YAML flow, and of `sluice`. */
function config(origins: Record<string, string>, sluice = ''): string {
  const list = Object.entries(origins).map(
    ([name, more]) => `  - {name: ${name}, url: "http://${name}.test/push"${more && `, ${more}`}}`,
  )
  return `remote_write:\n${list.join('\n')}\nsluice: {auth: none${sluice && `, ${sluice}`}}`
}

const rigOf = (script: Script, more = '', sluice = '') =>
  startRig(config({ a: more }, sluice), { origins: { a: script } })

const two = gauges(2)
const both = ['m0{} 0@0', 'm1{} 1@0']

describe('what a sender is told', () => {
  test('is 204 once every origin that decides has the data', async () => {
    const rig = startRig(config({ a: '', b: '' }), { origins: { a: 200, b: 204 } })
    const answer = await rig.push(two)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect([...answer.headers]).toEqual([])
    expect(rig.taken.map(({ origin, samples }) => [origin, samples])).toEqual([
      ['a', both],
      ['b', both],
    ])
  })

  test('is the same for the paths of Prometheus, Mimir and Thanos', async () => {
    const rig = rigOf(204)
    for (const path of ['/api/v1/write', '/api/v1/push', '/api/v1/receive']) {
      expect((await rig.push(two, { path })).status).toBe(204)
    }
    expect(rig.arrivals).toHaveLength(3)
  })

  test('is sent on with the headers that remote write 1.0 asks for', async () => {
    const rig = rigOf(204, 'headers: {X-Custom: abc}, basic_auth: {username: u, password: p}')
    await rig.push(two)
    expect(Object.fromEntries(rig.arrivals[0]!.headers)).toEqual({
      'content-encoding': 'snappy',
      'content-type': 'application/x-protobuf',
      'x-prometheus-remote-write-version': '0.1.0',
      'user-agent': 'Sluice/test',
      'sluice-hops': '1',
      authorization: `Basic ${btoa('u:p')}`,
      'x-custom': 'abc',
    })
  })

  test('is 400 naming the first bad series, and the rest is delivered', async () => {
    const rig = rigOf(204)
    const bad = [series({ job: 'x' }, [1]), { ...series({ __name__: 'late' }, [1, 1e12]) }]
    const answer = await rig.push({ timeseries: [...bad, ...two.timeseries!] })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('series {job="x"} has no __name__')
    expect(answer.text).toContain('series late{} has a point too far in the future')
    expect(rig.taken.map(({ samples }) => samples)).toEqual([both])
  })

  const hostile: [string, Uint8Array, RegExp][] = [
    ['no snappy', Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff), /snappy block/],
    ['a snappy body that claims 4 GiB', Uint8Array.of(1, 252, 250, 255, 255, 255, 0, 0), /snappy/],
    ['a snappy body shorter than it claims', Uint8Array.of(63, 0, 10), /snappy block/],
    ['half a body', bodyOf(two).subarray(0, 20), /snappy block/],
    ['no protobuf', snappy([0xff, 1, 2]), /not a valid prometheus.WriteRequest/],
    ['a message cut short', snappy([0x0a, 9, 1]), /not a valid prometheus.WriteRequest/],
    [
      'framed snappy',
      Uint8Array.of(0xff, 6, 0, 0, ...Buffer.from('sNaPpY'), 1, 5, 0, 0, 1, 2, 3, 4, 5),
      /framed snappy/,
    ],
    ['gzip', Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0), /looks like gzip/],
    ['zstd', zstdCompressSync(bareSeries('m')), /looks like zstd/],
    ['text', Buffer.from('hello_metric{a="b"} 1\n'), /plain text/],
  ]
  test.each(hostile)('is 400 for %s, and nothing is sent', async (_, body, said) => {
    const rig = rigOf(204)
    await rig.push(two)
    rig.arrivals.length = 0
    const answer = await rig.push(body)
    expect([answer.status, rig.arrivals]).toEqual([400, []])
    expect(answer.text).toMatch(said)
    // What was there before is neither sent nor lost.
    expect((await rig.push(two)).status).toBe(204)
    expect(rig.arrivals.map(({ samples }) => samples)).toEqual([both])
  })

  test.each(['zstd', 'ZSTD', 'Snappy'])('is 204 for a body in %s', async (encoding) => {
    const raw = new Uint8Array(SnappyJS.uncompress(bodyOf(two)))
    const body = encoding === 'Snappy' ? bodyOf(two) : new Uint8Array(zstdCompressSync(raw))
    const rig = rigOf(204)
    expect((await rig.push(body, { headers: { 'Content-Encoding': encoding } })).status).toBe(204)
    expect(rig.taken[0]!.samples).toEqual(both)
  })

  test.each<[string, string, Uint8Array]>([
    ['an empty body', 'snappy', new Uint8Array(0)],
    ['an empty body', 'zstd', new Uint8Array(0)],
    [
      'a second frame, which would be lost',
      'zstd',
      Buffer.concat([zstdCompressSync(bareSeries('a')), zstdCompressSync(bareSeries('b'))]),
    ],
  ])('is 400 for %s (%s)', async (_, encoding, body) => {
    const rig = rigOf(204)
    const answer = await rig.push(body, { headers: { 'Content-Encoding': encoding } })
    expect([answer.status, rig.arrivals]).toEqual([400, []])
  })

  test.each<[number, string, Record<string, string>]>([
    [415, 'Accept', { 'Content-Type': 'application/json' }],
    [
      415,
      'Accept',
      { 'Content-Type': 'application/x-protobuf;proto=io.prometheus.write.v3.Request' },
    ],
    [415, 'Accept-Encoding', { 'Content-Encoding': 'gzip' }],
    [415, 'Accept-Encoding', { 'Content-Encoding': 'identity' }],
    [413, 'Content-Type', { 'Content-Length': '8388609' }],
    [400, 'Content-Type', { 'Content-Length': 'many' }],
  ])('is %i with the header %s for %o, before the body is read', async (code, header, headers) => {
    const rig = rigOf(204)
    const { request, pulled } = streamed(headers)
    const answer = await rig.fetch(request)
    expect([answer.status, answer.headers.has(header), pulled()]).toEqual([code, true, false])
  })

  test.each(['GET', 'HEAD', 'PUT', 'DELETE'])('is 405 for %s', async (method) => {
    const answer = await rigOf(204).fetch(new Request('http://s/api/v1/write', { method }))
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'POST'])
  })

  test('is 404 for a path that is none', async () => {
    expect((await rigOf(204).push(two, { path: '/api/v1/writes' })).status).toBe(404)
  })

  test('is 413 for a chunked body as soon as it is over the limit', async () => {
    const rig = rigOf(204, '', 'limits: {body: 4KB}')
    const { request, pulled } = streamed({}, 1024)
    const answer = await rig.fetch(request)
    expect([answer.status, await answer.text()]).toEqual([
      413,
      expect.stringMatching('limits.body'),
    ])
    expect(pulled()).toBe(true)
    expect(rig.budget.used).toBe(0)
  })

  test.each(['snappy', 'zstd'])('is 413 for a body that is too large decoded (%s)', async (how) => {
    const rig = rigOf(204, '', 'limits: {decoded: 4KB}')
    const raw = new Uint8Array(SnappyJS.uncompress(bodyOf(gauges(500))))
    const body = how === 'snappy' ? bodyOf(gauges(500)) : new Uint8Array(zstdCompressSync(raw))
    const answer = await rig.push(body, { headers: { 'Content-Encoding': how } })
    expect([answer.status, answer.text]).toEqual([413, expect.stringMatching('limits.decoded')])
    expect(rig.arrivals).toEqual([])
  })

  test('is 413 for more series than limits.series', async () => {
    const answer = await rigOf(204, '', 'limits: {series: 10}').push(gauges(11))
    expect([answer.status, answer.text]).toEqual([413, expect.stringMatching('limits.series')])
  })

  test('is 413 when it would take more requests than a Worker may make', async () => {
    const finely = 'queue_config: {max_samples_per_send: 1}, max_bytes_per_send: 1KB'
    const rig = startRig(config({ a: finely }, 'limits: {subrequests: 5}'), {
      deps: { ownSubrequests: 1 },
    })
    // Cut by bytes alone that is four, and one is KV's.
    expect((await rig.push(gauges(100))).status).toBe(204)
    expect(rig.arrivals.length).toBe(4)
    const answer = await rig.push(gauges(120))
    expect([answer.status, answer.text]).toEqual([413, expect.stringMatching('subrequests')])
    expect([rig.arrivals.length, rig.budget.used]).toEqual([4, 0])
  })

  test('is 503 while memory is short, before the body is read', async () => {
    const rig = startRig(config({ a: '' }), { budget: 1000 })
    const lease = rig.budget.reserve(950)
    const { request, pulled } = streamed({ 'Content-Length': '51' })
    const answer = await rig.fetch(request)
    expect([answer.status, answer.headers.get('Retry-After'), pulled()]).toEqual([503, '1', false])
    lease!.release()
    expect(rig.budget.used).toBe(0)
  })

  test('is 503 when there is no room for what goes out', async () => {
    const rig = startRig(config({ a: '' }), { budget: 8192 })
    const others = rig.budget.reserve(5000)
    const answer = await rig.push(two)
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1'])
    expect(answer.text).toMatch(/^too many requests/)
    others?.release()
    expect([rig.arrivals, rig.budget.used]).toEqual([[], 0])
    expect((await rig.push(two)).status).toBe(204)
  })

  test('is 413 when what goes out would not fit into memory if it were alone', async () => {
    const rig = startRig(config({ a: '' }), { budget: 4000 })
    const answer = await rig.push(two)
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([413, null])
    expect([rig.arrivals, rig.budget.used]).toEqual([[], 0])
  })

  test('is 503 after a trap in the kernel, and the next request is served', async () => {
    const rig = startRig(config({ a: '' }), { origins: { a: 204 } })
    await rig.push(two)
    const { workspace } = rig
    const enter = workspace.enter.bind(workspace)
    workspace.enter = (config, _) =>
      enter(config, ({ kernel }) =>
        kernel.use(() => {
          // A field that ends far behind the end of memory.
          const n = kernel.load(Uint8Array.from([0x4a, ...varint(150_000_000)]))
          kernel.resolve(n + 200_000_000, 0, 0, 0, 1)
          throw new Error('the kernel did not trap')
        }),
      )
    const answer = await rig.push(two)
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1'])
    expect(rig.logged).toMatchObject([
      { event: 'unexpected', message: expect.stringMatching('RuntimeError') },
      { event: 'request', status: 503 },
    ])
    workspace.enter = enter
    expect(workspace.use.series).toBe(0)
    expect((await rig.push(two)).status).toBe(204)
    expect(rig.taken.map(({ samples }) => samples)).toEqual([both, both])
    expect(rig.budget.used).toBe(0)
  })
})

describe('what an origin answers', () => {
  const asked = (value: string) => () => status(503, 'busy', { 'Retry-After': value })
  test.each<[string, Script, string, number, string | null]>([
    ['500', 500, '', 503, '1'],
    ['503', 503, '', 503, '1'],
    ['429', 429, '', 503, '1'],
    ['503 with a wait', asked('7'), '', 503, '7'],
    ['503 with a long wait', asked('100000'), '', 503, '120'],
    ['503 with a negative wait', asked('-5'), '', 503, '1'],
    ['400', () => status(400, 'out of order\nmore'), '', 400, null],
    ['409', 409, '', 400, null],
    ['422', 422, '', 400, null],
    ['401', 401, '', 503, '1'],
    ['403', 403, '', 503, '1'],
    ['404', 404, '', 503, '1'],
    ['401, to be rejected', 401, 'on_misconfigured: reject', 400, null],
    ['403, to be rejected', 403, 'on_misconfigured: reject', 400, null],
    ['404, to be rejected', 404, 'on_misconfigured: reject', 400, null],
    ['a redirect to a login page', redirect(302, 'http://login.test/?next=x'), '', 503, '1'],
    [
      'a redirect, to be rejected',
      redirect(302, 'http://x.test/'),
      'on_misconfigured: reject',
      503,
      '1',
    ],
    ['307 to another host', redirect(307, 'http://b.test/push'), '', 503, '1'],
    ['413 for one sample alone', 413, '', 400, null],
    ['nothing in time', () => new Promise<never>(() => {}), 'remote_timeout: 30ms', 503, '1'],
    ['a broken connection', () => Promise.reject(new Error('reset')), '', 503, '1'],
    ['anything', 401, 'on_failure: ignore', 204, null],
    ['nothing, ignored', 503, 'on_failure: ignore', 204, null],
  ])('%s becomes what the sender can use', async (_, script, more, code, wait) => {
    const rig = rigOf(script, more)
    const answer = await rig.push(two)
    await rig.settle()
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([code, wait])
    if (code !== 204) expect(answer.text).toMatch(/^origin a(:| answered )/)
    expect(rig.budget.used).toBe(0)
  })

  test('nothing before the deadline of the whole request is 503, body and retries included', async () => {
    const hanging = rigOf(() => new Promise<never>(() => {}), '', 'deadline: 60ms')
    expect((await hanging.push(two)).text).toBe('origin a: no answer in time\n')
    await hanging.settle()
    expect(hanging.budget.used).toBe(0)
    const rig = rigOf(204, '', 'deadline: 60ms')
    const body = new ReadableStream({ pull: () => new Promise<never>(() => {}) })
    const request = { method: 'POST', body, headers: { 'Content-Length': '100' } }
    const answer = await rig.fetch(new Request('http://sluice.test/api/v1/write', request))
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringMatching('60 ms')])
    expect([rig.arrivals, rig.budget.used]).toEqual([[], 0])
  })

  test('503 with a date is passed on in seconds', async () => {
    const date = new Date(Date.now() + 60_000).toUTCString()
    const { headers } = await rigOf(() => asked(date)()).push(two)
    expect(Math.abs(Number(headers.get('Retry-After')) - 60)).toBeLessThanOrEqual(2)
  })

  test('is quoted by its first line', async () => {
    const rig = rigOf(() => status(400, 'out of order\nsecret'))
    expect((await rig.push(two)).text).toBe('origin a answered 400: out of order\n')
  })

  test('is never passed on as 429 or 500, whatever it is', async () => {
    let code = 0
    const rig = rigOf(() => status(code))
    for (code = 200; code < 600; code++) {
      const answer = await rig.push(two)
      expect([204, 400, 503], `origin ${code}`).toContain(answer.status)
      expect(answer.status === 204, `origin ${code}`).toBe(code < 300)
    }
  })

  test.each([307, 308])('a %i to the same host is followed once', async (code) => {
    const script = ({ url }: Arrival) =>
      url.endsWith('/push') ? redirect(code, '/other')() : status(204)
    const rig = rigOf(script)
    expect((await rig.push(two)).status).toBe(204)
    expect(rig.arrivals.map(({ url }) => url)).toEqual([
      'http://a.test/push',
      'http://a.test/other',
    ])
    expect(rig.taken.map(({ samples }) => samples)).toEqual([both])
  })

  test('413 is answered with halves, down to one sample, and all arrive', async () => {
    const rig = rigOf(({ samples }) => status(samples.length > 1 ? 413 : 204))
    const timeseries = [...gauges(7).timeseries!, series({ __name__: 'long' }, [1], [2, 1], [3, 2])]
    expect((await rig.push({ timeseries })).status).toBe(204)
    expect(rig.taken.flatMap(({ samples }) => samples).sort()).toEqual([
      ...['long{} 1@0', 'long{} 2@1', 'long{} 3@2'],
      ...Array.from({ length: 7 }, (_, i) => `m${i}{} ${i}@0`),
    ])
    await rig.settle()
    expect(rig.budget.used).toBe(0)
  })

  test('413 for one series of many is 400, and the others arrive', async () => {
    const rig = rigOf(({ samples }) => status(samples.some((s) => s.startsWith('m3')) ? 413 : 204))
    const answer = await rig.push(gauges(8))
    expect([answer.status, answer.text]).toEqual([400, 'origin a answered 413\n'])
    expect(rig.taken.flatMap(({ samples }) => samples).length).toBe(7)
  })

  test('a connection that breaks once costs a retry and nothing else', async () => {
    let tries = 0
    const rig = rigOf(() => (tries++ === 0 ? Promise.reject(new Error('reset')) : status(204)))
    expect((await rig.push(two)).status).toBe(204)
    expect(rig.arrivals.map(({ headers }) => headers.get('Retry-Attempt'))).toEqual([null, '1'])
  })

  test.each<[string, AppDeps['fetchOf']]>([
    [
      'fetch throws',
      () => () => {
        throw new TypeError('no such thing')
      },
    ],
    [
      'fetch is not to be had',
      () => {
        throw new TypeError('no such thing')
      },
    ],
  ])('is 503 when %s', async (_, fetchOf) => {
    const rig = startRig(config({ a: '' }), { deps: { fetchOf } })
    const answer = await rig.push(two)
    await rig.settle()
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1'])
    expect(rig.budget.used).toBe(0)
  })
})

describe('several origins', () => {
  const wait = (seconds: number) => () => status(503, '', { 'Retry-After': String(seconds) })
  test.each<[string, Script, Script, number, string | null, RegExp]>([
    ['503 beats 400', wait(3), 400, 503, '3', /^origin a answered 503/],
    ['503 beats 204', 204, wait(4), 503, '4', /^origin b answered 503/],
    ['400 beats 204', 400, 204, 400, null, /^origin a answered 400/],
    ['the longest wait counts', wait(3), wait(9), 503, '9', /origin a.*origin b/],
    ['two are well', 204, 200, 204, null, /^$/],
  ])('%s', async (_, a, b, code, retry, said) => {
    const rig = startRig(config({ a: '', b: '', c: 'on_failure: ignore' }), {
      origins: { a, b, c: wait(100) },
    })
    const answer = await rig.push(two)
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([code, retry])
    expect(answer.text).toMatch(said)
    await rig.settle()
    expect(rig.arrivals.map(({ origin }) => origin).sort()).toEqual(['a', 'b', 'c'])
  })

  test('that are ignored and hang never take more than half of the memory from others', async () => {
    const rig = startRig(config({ a: '', hung: 'on_failure: ignore' }, 'deadline: 2s'), {
      budget: 64 * 1024,
      origins: { hung: () => new Promise<never>(() => {}) },
    })
    for (let i = 0; i < 30; i++) expect((await rig.push(two)).status).toBe(204)
    const asked = rig.arrivals.filter(({ origin }) => origin === 'hung').length
    expect(asked).toBeGreaterThan(2)
    expect(asked).toBeLessThan(12)
    expect(rig.taken).toHaveLength(30)
    await rig.settle()
    expect(rig.budget.used).toBe(0)
  })

  test('that are ignored never hold the answer, and get their data all the same', async () => {
    const gate = Promise.withResolvers<void>()
    const rig = startRig(config({ a: '', slow: 'on_failure: ignore' }), {
      origins: { slow: () => gate.promise.then(() => status(204)) },
    })
    expect((await rig.push(two)).status).toBe(204)
    expect(rig.taken.map(({ origin }) => origin)).toEqual(['a'])
    expect(rig.budget.used).toBeGreaterThan(0)
    gate.resolve()
    await rig.settle()
    expect(rig.taken.map(({ origin }) => origin)).toEqual(['a', 'slow'])
    expect(rig.budget.used).toBe(0)
  })

  test('our own refusals are 400 behind a 503', async () => {
    const timeseries = [series({ job: 'x' }, [1]), ...two.timeseries!]
    const said = async (script: Script) => (await rigOf(script).push({ timeseries })).status
    expect([await said(503), await said(204), await said(400)]).toEqual([503, 400, 400])
  })
})

test('a stale marker is passed on bit for bit', async () => {
  const rig = rigOf(204)
  const stale = [2, 0, 0, 0, 0, 0, 0xf0, 0x7f]
  const marker = message(field(1, [...label('up'), ...field(2, [9, ...stale, 16, ...varint(T)])]))
  await rig.push(snappy([...marker]))
  expect(rig.taken.map(({ raw }) => raw)).toEqual([marker])
})

function redirect(code: number, to: string) {
  return () => status(code, '', { Location: to })
}

function label(name: string) {
  return field(1, [...text(1, '__name__'), ...text(2, name)])
}

/** A message of one series without points. */
function bareSeries(name: string): Uint8Array {
  return message(field(1, label(name)))
}

function snappy(bytes: readonly number[]): Uint8Array {
  return new Uint8Array(SnappyJS.compress(Uint8Array.from(bytes)))
}

/** A request whose body tells whether anybody asked for it; endless where `chunk` is given. */
function streamed(headers: Record<string, string>, chunk = 0) {
  let asked = false
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        asked = true
        if (chunk > 0) controller.enqueue(new Uint8Array(chunk))
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const request = new Request('http://sluice.test/api/v1/write', { method: 'POST', headers, body })
  return { request, pulled: () => asked }
}
