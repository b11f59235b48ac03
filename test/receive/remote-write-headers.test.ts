import { describe, expect, it } from 'vitest'
import { judgeRemoteWrite } from '../../src/receive/remote-write-headers.ts'
import { refusalOf } from './refusal.ts'

const limits = { body: 1000 }

function judge(headers: Record<string, string>, method = 'POST') {
  return judgeRemoteWrite({ method, headers: new Headers(headers) }, limits)
}

describe('headers that are served', () => {
  const cases: [name: string, headers: Record<string, string>, want?: object][] = [
    ['none at all', {}],
    ['empty ones', { 'content-type': '', 'content-encoding': '' }],
    [
      "Prometheus' own",
      {
        'content-type': 'application/x-protobuf',
        'content-encoding': 'snappy',
        'x-prometheus-remote-write-version': '0.1.0',
        'content-length': '1000',
      },
      { length: 1000 },
    ],
    [
      'the message by name',
      { 'content-type': 'application/x-protobuf;proto=prometheus.WriteRequest' },
    ],
    [
      'the message by name, written otherwise',
      { 'content-type': 'Application/X-Protobuf ; PROTO="prometheus.WriteRequest"' },
    ],
    ['a parameter nobody knows', { 'content-type': 'application/x-protobuf; charset=utf-8' }],
    ['an encoding in another case', { 'content-encoding': 'SNAPPY' }],
    ["vmagent's own protocol", { 'content-encoding': 'zstd' }, { encoding: 'zstd' }],
    ['zstd in another case', { 'content-encoding': 'Zstd' }, { encoding: 'zstd' }],
    ['a version header of 2.0 without its type', { 'x-prometheus-remote-write-version': '2.0.0' }],
    ['an empty body', { 'content-length': '0' }, { length: 0 }],
  ]
  it.each(cases)('%s', (_, headers, want = {}) => {
    expect(judge(headers)).toEqual({ version: 1, encoding: 'snappy', length: undefined, ...want })
  })
})

describe('headers that are refused', () => {
  const v2 = 'application/x-protobuf;proto=io.prometheus.write.v2.Request'
  const cases: [name: string, headers: Record<string, string>, status: number, says: string][] = [
    ['JSON', { 'content-type': 'application/json' }, 415, 'not application/json'],
    ['an image', { 'content-type': 'image/png' }, 415, 'application/x-protobuf'],
    ['a longer name', { 'content-type': 'application/x-protobuffer' }, 415, 'x-protobuf '],
    ['a malformed type', { 'content-type': 'application/x-protobuf;proto' }, 415, 'malformed'],
    ['two types', { 'content-type': `application/x-protobuf, ${v2}` }, 415, 'malformed'],
    ['remote write 2.0', { 'content-type': v2 }, 415, 'prometheus.WriteRequest'],
    ['remote write 2.0 with a space', { 'content-type': v2.replace(';', '; ') }, 415, 'write.v2'],
    [
      'an unknown message',
      { 'content-type': 'application/x-protobuf;proto=x.Y' },
      415,
      'not the message x.Y',
    ],
    [
      'a message in another case',
      { 'content-type': 'application/x-protobuf;proto=prometheus.writerequest' },
      415,
      'not the message',
    ],
    ['two messages', { 'content-type': `${v2};proto=prometheus.WriteRequest` }, 415, 'malformed'],
    ['gzip', { 'content-encoding': 'gzip' }, 415, 'snappy (block format) or zstd, not gzip'],
    ['deflate', { 'content-encoding': 'deflate' }, 415, 'not deflate'],
    ['identity', { 'content-encoding': 'identity' }, 415, 'not identity'],
    ['framed snappy by its name', { 'content-encoding': 'x-snappy-framed' }, 415, 'block format'],
    ['two encodings', { 'content-encoding': 'snappy, gzip' }, 415, 'not snappy, gzip'],
    ['one encoding twice', { 'content-encoding': 'snappy, snappy' }, 415, 'snappy'],
    ['a body that is too large', { 'content-length': '1001' }, 413, 'limits.body, 1000 bytes'],
    ['a length beyond all numbers', { 'content-length': '9'.repeat(400) }, 413, 'limits.body'],
    ['a negative length', { 'content-length': '-1' }, 400, 'Content-Length'],
    ['two lengths', { 'content-length': '5, 5' }, 400, 'Content-Length'],
    ['a length in hex', { 'content-length': '0x10' }, 400, 'Content-Length'],
    ['an empty length', { 'content-length': '' }, 400, 'Content-Length'],
  ]
  it.each(cases)('%s', async (_, headers, status, says) => {
    const error = await refusalOf(() => judge(headers))
    expect(error.status).toBe(status)
    expect(error.message).toContain(says)
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'post'])('method %s', async (method) => {
    const error = await refusalOf(() => judge({ 'content-type': 'image/png' }, method))
    expect(error.status).toBe(405)
    expect(error.headers).toEqual({ Allow: 'POST' })
  })

  it('a 415 says in a header what is accepted', async () => {
    const encoding = await refusalOf(() => judge({ 'content-encoding': 'br' }))
    expect(encoding.headers).toEqual({ 'Accept-Encoding': 'snappy, zstd' })
    const type = await refusalOf(() => judge({ 'content-type': 'a/b' }))
    expect(type.headers).toEqual({ Accept: 'application/x-protobuf;proto=prometheus.WriteRequest' })
  })
})
