import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { StatusSchema } from '../../../src/wire/gen/google-rpc_pb.js'
import {
  ask,
  bytes1,
  bytes2,
  bytesOtlp,
  HEADERS,
  NANOS,
  origin,
  push1,
  series1,
  snappy,
  T,
} from './requests.ts'

const BODIES = {
  remotewrite1: bytes1({ timeseries: [series1('__name__ up job a', [1, 0])] }),
  remotewrite2: bytes2({
    symbols: ['', '__name__', 'up', 'job', 'a'],
    timeseries: [{ labelsRefs: [1, 2, 3, 4], samples: [{ value: 1, timestamp: BigInt(T) }] }],
  }),
  otlp: bytesOtlp({
    resourceMetrics: [
      {
        resource: {
          attributes: [
            { key: 'service.name', value: { value: { case: 'stringValue', value: 'a' } } },
          ],
        },
        scopeMetrics: [
          {
            metrics: [
              {
                name: 'up',
                data: {
                  case: 'gauge',
                  value: {
                    dataPoints: [{ timeUnixNano: NANOS, value: { case: 'asInt', value: 1n } }],
                  },
                },
              },
            ],
          },
        ],
      },
    ],
  }),
  json: Buffer.from(
    `{"resourceMetrics":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"a"}}]},"scopeMetrics":[{"metrics":[{"name":"up","gauge":{"dataPoints":[{"timeUnixNano":"${NANOS}","asInt":"1"}]}}]}]}]}`,
  ),
}
const TYPES: Record<keyof typeof BODIES, Record<string, string>> = {
  ...HEADERS,
  otlp: { 'Content-Type': 'application/x-protobuf' },
  json: { 'Content-Type': 'application/json; charset=utf-8' },
}
const PACKED: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  snappy,
  zstd: zstdCompressSync,
  gzip: gzipSync,
  deflate: deflateSync,
  'deflate without its wrapper': deflateRawSync,
  identity: (bytes) => bytes,
}
const kinds = Object.keys(BODIES) as (keyof typeof BODIES)[]
const pathOf = (kind: string) =>
  kind === 'otlp' || kind === 'json' ? '/v1/metrics' : '/api/v1/write'

describe.each(kinds)('%s', (kind) => {
  test.each(Object.keys(PACKED))('is taken with %s', async (encoding) => {
    const started = await origin()
    const answer = await fetch(started.url + pathOf(kind), {
      method: 'POST',
      headers: { ...TYPES[kind], 'Content-Encoding': encoding.split(' ')[0]! },
      body: new Uint8Array(PACKED[encoding]!(BODIES[kind])),
    })
    expect(await answer.text()).toBe(kind === 'json' ? '{}' : '')
    const written = kind === 'remotewrite2' ? '1' : null
    expect(answer.headers.get('X-Prometheus-Remote-Write-Samples-Written')).toBe(written)
    expect(answer.headers.get('X-Prometheus-Remote-Write-Exemplars-Written')).toBe(written && '0')
    expect(answer.status).toBe(pathOf(kind) === '/v1/metrics' ? 200 : 204)
    expect((await ask(started, 'up[1m]', T)).data).toEqual({
      resultType: 'matrix',
      result: [{ metric: { __name__: 'up', job: 'a' }, values: [[T / 1000, '1']] }],
    })
    expect(started.report()).toMatchObject({
      requests: 1,
      points: { samples: 1 },
      kept: { series: 1, points: 1, dropped: 0 },
      problems: { total: 0 },
      bytes: { decoded: BODIES[kind].length },
    })
  })

  test('that is broken is answered 400 in its own form, and 2xx where that is asked for', async () => {
    const push = async (started: Awaited<ReturnType<typeof origin>>) =>
      fetch(started.url + pathOf(kind), {
        method: 'POST',
        headers: { ...TYPES[kind], 'Content-Encoding': 'identity' },
        body: Buffer.from([0x0a, 0x7f]),
      })
    const answer = await push(await origin())
    expect(answer.status).toBe(400)
    const body = Buffer.from(await answer.arrayBuffer())
    const text =
      kind === 'otlp'
        ? fromBinary(StatusSchema, body).message
        : kind === 'json'
          ? JSON.parse(body.toString()).message
          : body.toString()
    expect(text).toMatch(/^not_decoded: the body: it is no /)
    if (kind === 'remotewrite2')
      expect(answer.headers.get('X-Prometheus-Remote-Write-Samples-Written')).toBe('0')
    const lenient = await origin({ allowed: new Set(['not_decoded']) })
    expect((await push(lenient)).ok).toBe(true)
    expect(lenient.report().problems).toMatchObject({
      total: 1,
      counts: { not_decoded: 1 },
      listed: [{ request: 1, code: 'not_decoded' }],
    })
  })
})

test.each<[string, Record<string, string>, number, string]>([
  [
    'a version that is not that of the message',
    { 'X-Prometheus-Remote-Write-Version': '2.0.0' },
    400,
    'header: the headers: X-Prometheus-Remote-Write-Version is "2.0.0", not 0.1.0',
  ],
  [
    'no version',
    { 'X-Prometheus-Remote-Write-Version': '' },
    400,
    'header: the headers: X-Prometheus-Remote-Write-Version is "", not 0.1.0',
  ],
  [
    'an unknown message',
    { 'Content-Type': 'application/x-protobuf;proto=x.Y' },
    415,
    'there is no message "x.Y"',
  ],
  [
    'another type',
    { 'Content-Type': 'text/plain' },
    415,
    'Content-Type is not application/x-protobuf, or application/json for OTLP',
  ],
  [
    'an unknown encoding',
    { 'Content-Encoding': 'br' },
    415,
    'Content-Encoding is "br", not one of snappy, zstd, gzip, deflate, identity',
  ],
  [
    'an encoding that is not that of the body',
    { 'Content-Encoding': 'gzip' },
    400,
    'not_decoded: the body: it is not gzip: ',
  ],
])('a request with %s is refused', async (_, headers, status, text) => {
  const started = await origin()
  const answer = await fetch(`${started.url}/write`, {
    method: 'POST',
    headers: { ...HEADERS.remotewrite1, ...headers },
    body: snappy(BODIES.remotewrite1),
  })
  expect(answer.status).toBe(status)
  expect(await answer.text()).toContain(text)
})

test('a zstd body may have the version of vmagent', async () => {
  const started = await origin()
  const answer = await fetch(`${started.url}/write`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-protobuf',
      'Content-Encoding': 'zstd',
      'X-VictoriaMetrics-Remote-Write-Version': '1',
    },
    body: new Uint8Array(zstdCompressSync(BODIES.remotewrite1)),
  })
  expect(answer.status).toBe(204)
})

test.each([
  ['as it comes', { maxBody: 20 }, '--max-body'],
  ['decoded', { maxDecoded: 20 }, '--max-decoded'],
])('a body that is too large %s is 413, and the origin goes on', async (_, limits, text) => {
  const started = await origin(limits)
  const answer = await push1(started)
  expect(answer.status).toBe(413)
  expect(await answer.text()).toContain(text)
  expect(started.report()).toMatchObject({ answers: { 413: 1 }, kept: { points: 0 } })
  expect((await fetch(started.url)).status).toBe(200)
})

test('what comes twice is told, answered 400, and shown twice', async () => {
  const started = await origin()
  expect((await push1(started)).status).toBe(204)
  const answer = await push1(started)
  expect(answer.status).toBe(400)
  expect(await answer.text()).toBe(
    'duplicate: series 0 {__name__="up"}: the same value at 1700000000000 (2023-11-14T22:13:20.000Z) came before\n',
  )
  expect((await ask(started, 'up[1m]', T)).data?.result[0]?.values).toEqual([
    [T / 1000, '1'],
    [T / 1000, '1'],
  ])
})

test('of 2.0 with something wrong, what was written is told', async () => {
  const started = await origin()
  const body = bytes2({
    symbols: ['', '__name__', 'up'],
    timeseries: [
      { labelsRefs: [1, 2], samples: [2, 1].map((n) => ({ value: n, timestamp: BigInt(T + n) })) },
    ],
  })
  const answer = await fetch(`${started.url}/write`, {
    method: 'POST',
    headers: HEADERS.remotewrite2,
    body: snappy(body),
  })
  expect(answer.status).toBe(400)
  expect(answer.headers.get('X-Prometheus-Remote-Write-Samples-Written')).toBe('1')
})

test('a query may be a form, and a bad one is 400 as of Prometheus', async () => {
  const started = await origin()
  await push1(started)
  const form = new URLSearchParams({ query: 'up[1m]', time: new Date(T).toISOString() })
  const answer = await fetch(`${started.url}/api/v1/query`, { method: 'POST', body: form })
  expect(await answer.json()).toMatchObject({ data: { result: [{ values: [[T / 1000, '1']] }] } })
  expect(await ask(started, 'up[1m]')).toMatchObject({ data: { result: [] } })
  expect(await ask(started, 'sum(up)')).toEqual({
    status: 400,
    errorType: 'bad_data',
    error: 'at character 4: wanted the end; only selectors are known',
  })
  const time = await fetch(`${started.url}/api/v1/query?query=up&time=now`)
  expect(time.status).toBe(400)
})

test('its pages say what came', async () => {
  const started = await origin()
  await push1(started)
  await push1(started)
  const text = await (await fetch(started.url)).text()
  expect(text).toContain('requests     2 in ')
  expect(text).toContain('answers      204 1, 400 1')
  expect(text).toContain('1 x duplicate: a point came before, with the same value')
  expect(text).toContain('request 2: duplicate: series 0 {__name__="up"}: the same value')
  const report = await (await fetch(`${started.url}/report`)).json()
  expect(report).toMatchObject({ requests: 2, answers: { 204: 1, 400: 1 }, problems: { total: 1 } })
  expect((await fetch(`${started.url}/other`)).status).toBe(404)
  expect((await fetch(started.url, { method: 'PUT' })).status).toBe(405)
})
