import { describe, expect, it } from 'vitest'
import { judgeRemoteWrite } from '../../src/receive/remote-write-headers.ts'
import { refusalOf } from './refusal.ts'

const limits = { body: 1000 }

function judge(headers: Record<string, string>, method = 'POST') {
  return judgeRemoteWrite({ method, headers: new Headers(headers) }, limits)
}

const v2 = 'application/x-protobuf;proto=io.prometheus.write.v2.Request'

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
    [
      'a version header of 1.0 with the type of 2.0',
      { 'content-type': v2, 'x-prometheus-remote-write-version': '0.1.0' },
      { version: 2 },
    ],
    [
      "Prometheus' own of 2.0",
      {
        'content-type': v2,
        'content-encoding': 'snappy',
        'x-prometheus-remote-write-version': '2.0.0',
        'content-length': '1000',
      },
      { version: 2, length: 1000 },
    ],
    ['2.0 with a space', { 'content-type': v2.replace(';', '; ') }, { version: 2 }],
    [
      '2.0 in quotes',
      { 'content-type': 'application/x-protobuf;proto="io.prometheus.write.v2.Request"' },
      { version: 2 },
    ],
    [
      '2.0 in quotes with an escape',
      { 'content-type': 'application/x-protobuf;proto="io.prometheus.write.v2.\\Request"' },
      { version: 2 },
    ],
    [
      '2.0 written otherwise',
      { 'content-type': 'APPLICATION/x-protobuf ;Proto=io.prometheus.write.v2.Request' },
      { version: 2 },
    ],
    [
      '2.0 with other parameters around it',
      {
        'content-type': `application/x-protobuf;charset=utf-8;;proto=io.prometheus.write.v2.Request ; q=1`,
      },
      { version: 2 },
    ],
    ['an empty body', { 'content-length': '0' }, { length: 0 }],
  ]
  it.each(cases)('%s', (_, headers, want = {}) => {
    expect(judge(headers)).toEqual({ version: 1, encoding: 'snappy', length: undefined, ...want })
  })
})

describe('headers that are refused', () => {
  const cases: [name: string, headers: Record<string, string>, status: number, says: string][] = [
    ['JSON', { 'content-type': 'application/json' }, 415, 'not application/json'],
    ['an image', { 'content-type': 'image/png' }, 415, 'application/x-protobuf'],
    ['a longer name', { 'content-type': 'application/x-protobuffer' }, 415, 'x-protobuf '],
    ['a malformed type', { 'content-type': 'application/x-protobuf;proto' }, 415, 'malformed'],
    ['two types', { 'content-type': `application/x-protobuf, ${v2}` }, 415, 'malformed'],
    [
      'a message without a name',
      { 'content-type': 'application/x-protobuf;proto=""' },
      415,
      'not the message',
    ],
    [
      'a message of 2.0 in another case',
      { 'content-type': v2.toLowerCase() },
      415,
      'not the message',
    ],
    [
      'the message as the type',
      { 'content-type': 'io.prometheus.write.v2.Request' },
      415,
      'malformed',
    ],
    [
      '2.0 as JSON',
      { 'content-type': v2.replace('x-protobuf', 'json') },
      415,
      'not application/json',
    ],
    [
      '2.0 in zstd',
      { 'content-type': v2, 'content-encoding': 'zstd' },
      415,
      'snappy (block format) for remote write 2.0, not zstd',
    ],
    ['2.0 in gzip', { 'content-type': v2, 'content-encoding': 'gzip' }, 415, 'not gzip'],
    ['2.0 in deflate', { 'content-type': v2, 'content-encoding': 'deflate' }, 415, 'not deflate'],
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
    [
      'gzip',
      { 'content-encoding': 'gzip' },
      415,
      'snappy (block format) or zstd for remote write 1.0, not gzip',
    ],
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

  it('a 415 says in a header what is accepted, both versions by name', async () => {
    const encoding = await refusalOf(() => judge({ 'content-encoding': 'br' }))
    expect(encoding.headers).toEqual({ 'Accept-Encoding': 'snappy, zstd' })
    const second = await refusalOf(() => judge({ 'content-type': v2, 'content-encoding': 'zstd' }))
    expect(second.headers).toEqual({ 'Accept-Encoding': 'snappy' })
    const type = await refusalOf(() => judge({ 'content-type': 'a/b' }))
    expect(type.headers).toEqual({
      Accept: `${v2}, application/x-protobuf;proto=prometheus.WriteRequest`,
    })
    expect(type.message).toContain('prometheus.WriteRequest (1.0)')
    expect(type.message).toContain('io.prometheus.write.v2.Request (2.0)')
  })

  it('the type is judged before the encoding, and both before the length', async () => {
    const wrong = { 'content-type': 'a/b', 'content-encoding': 'br', 'content-length': '1001' }
    expect((await refusalOf(() => judge(wrong))).code).toBe('unsupported_media_type')
    const { 'content-type': _, ...rest } = wrong
    expect((await refusalOf(() => judge(rest))).code).toBe('unsupported_encoding')
  })
})
