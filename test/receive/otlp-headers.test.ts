import { describe, expect, it } from 'vitest'
import { judgeOtlp } from '../../src/receive/otlp-headers.ts'
import { refusalOf } from './refusal.ts'

const limits = { body: 1000 }
const protobuf = 'application/x-protobuf'
const json = 'application/json'

function judge(headers: Record<string, string>, method = 'POST') {
  return judgeOtlp({ method, headers: new Headers(headers) }, limits)
}

describe('media types that are served', () => {
  const cases: [type: string, content: 'protobuf' | 'json'][] = [
    [protobuf, 'protobuf'],
    [json, 'json'],
    ['APPLICATION/X-Protobuf', 'protobuf'],
    ['Application/JSON', 'json'],
    [`${json}; charset=utf-8`, 'json'],
    [`${json};charset=UTF-8`, 'json'],
    [`${json};charset="utf-8"`, 'json'],
    [`${json} ; charset=utf8`, 'json'],
    [`${json}; profile=x`, 'json'],
    [`${protobuf}; charset=utf-8`, 'protobuf'],
    [`${protobuf}; charset=latin1; messageType="x.Y"`, 'protobuf'],
    [`${protobuf};`, 'protobuf'],
  ]
  it.each(cases)('%s', (type, content) => {
    expect(judge({ 'content-type': type })).toEqual({
      content,
      encoding: 'identity',
      length: undefined,
    })
  })
})

describe('encodings that are served', () => {
  const cases: [encoding: string, want: string][] = [
    ['', 'identity'],
    ['identity', 'identity'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['deflate', 'deflate'],
    ['zstd', 'zstd'],
    ['GZip', 'gzip'],
    ['X-GZIP', 'gzip'],
  ]
  it.each(cases)('%j', (encoding, want) => {
    for (const type of [protobuf, json]) {
      const headers = { 'content-type': type, 'content-encoding': encoding }
      expect(judge(headers).encoding).toBe(want)
    }
  })

  it('with a declared length up to the limit', () => {
    expect(judge({ 'content-type': json, 'content-length': '1000' }).length).toBe(1000)
    expect(judge({ 'content-type': json, 'content-length': '0' }).length).toBe(0)
  })
})

describe('headers that are refused', () => {
  const cases: [name: string, headers: Record<string, string>, status: number, says: string][] = [
    ['no type', {}, 415, 'the Content-Type header is missing'],
    ['an empty type', { 'content-type': '' }, 415, 'missing'],
    ['gRPC', { 'content-type': 'application/grpc' }, 415, 'not application/grpc'],
    [
      'another protobuf',
      { 'content-type': 'application/protobuf' },
      415,
      'not application/protobuf',
    ],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'application/json'],
    ['text', { 'content-type': 'text/plain' }, 415, 'not text/plain'],
    ['a longer name', { 'content-type': 'application/jsonl' }, 415, 'not application/jsonl'],
    ['two types', { 'content-type': `${json}, ${protobuf}` }, 415, 'malformed'],
    ['half a parameter', { 'content-type': `${json}; charset` }, 415, 'malformed'],
    ['two charsets', { 'content-type': `${json};charset=utf-8;charset=utf-8` }, 415, 'malformed'],
    ['JSON in Latin 1', { 'content-type': `${json};charset=iso-8859-1` }, 415, 'not iso-8859-1'],
    ['JSON in UTF-16', { 'content-type': `${json};charset=utf-16` }, 415, 'JSON is UTF-8'],
    ...['snappy', 'br', 'lz4', 'compress', 'zlib', 'gzip, gzip', 'identity, gzip', 'gzip,'].map(
      (encoding): [string, Record<string, string>, number, string] => [
        `the encoding ${encoding}`,
        { 'content-type': protobuf, 'content-encoding': encoding },
        415,
        `not ${encoding}`,
      ],
    ),
    [
      'a body that is too large',
      { 'content-type': json, 'content-length': '1001' },
      413,
      'limits.body, 1000 bytes',
    ],
    [
      'a length that is none',
      { 'content-type': json, 'content-length': '1e3' },
      400,
      'Content-Length',
    ],
  ]
  it.each(cases)('%s', async (_, headers, status, says) => {
    const error = await refusalOf(() => judge(headers))
    expect(error.status).toBe(status)
    expect(error.message).toContain(says)
  })

  it.each(['GET', 'HEAD', 'PUT', 'OPTIONS', 'post'])('method %s', async (method) => {
    const error = await refusalOf(() => judge({}, method))
    expect([error.status, error.headers]).toEqual([405, { Allow: 'POST' }])
    expect(error.message).toContain('OTLP')
  })

  it('a 415 says in a header what is accepted', async () => {
    const type = await refusalOf(() => judge({ 'content-type': 'a/b', 'content-encoding': 'br' }))
    expect(type.headers).toEqual({ Accept: 'application/x-protobuf, application/json' })
    const encoding = await refusalOf(() =>
      judge({ 'content-type': json, 'content-encoding': 'br', 'content-length': '1001' }),
    )
    expect(encoding.headers).toEqual({ 'Accept-Encoding': 'gzip, zstd, deflate, identity' })
  })
})
