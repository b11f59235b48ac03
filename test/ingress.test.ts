import { gzipSync, zstdCompressSync } from 'node:zlib'
import SnappyJS from 'snappyjs'
import { describe, expect, test } from 'vitest'
import { type Ingress, otlpIngress, remoteWriteIngress } from '../src/ingress.ts'
import { Kernel } from '../src/kernel/kernel.ts'
import { badRequest, RequestError } from '../src/wire/request-error.ts'
import { sizesFor } from '../src/workspace.ts'
import { configWith } from './batch/harness.ts'
import { kernelModule } from './kernel/load.ts'
import { gauge, withMetrics } from './otlp/document.ts'

const parsed = configWith()
const { limits } = parsed
const kernel = new Kernel(kernelModule, sizesFor(parsed))
const message = Uint8Array.of(0x0a, 2, 0x0a, 0)
const snappy = new Uint8Array(SnappyJS.compress(message))
const json = Buffer.from(withMetrics(gauge('{"asDouble":1,"timeUnixNano":"5"}')))

function load(ingress: Ingress, body: Uint8Array, decoded = limits.decoded) {
  return kernel.use(() => ingress.load(kernel, body, { ...limits, decoded }))
}

function refusal(work: () => unknown): RequestError {
  try {
    work()
  } catch (error) {
    if (error instanceof RequestError) return error
    throw error
  }
  throw new Error('it was taken')
}

const otlp = (encoding: 'identity' | 'gzip' | 'deflate' | 'zstd', content: 'protobuf' | 'json') =>
  otlpIngress({ content, encoding, length: undefined })

test.each([
  ['remotewrite1', remoteWriteIngress({ version: 1, encoding: 'snappy', length: 5 }), 5],
  [
    'remotewrite2',
    remoteWriteIngress({ version: 2, encoding: 'snappy', length: undefined }),
    undefined,
  ],
  ['otlp', otlp('gzip', 'json'), undefined],
] as const)('the headers say the protocol %s and the length', (protocol, ingress, length) => {
  expect([ingress.protocol, ingress.length]).toEqual([protocol, length])
})

test.each<[string, Ingress, Uint8Array]>([
  ['snappy', remoteWriteIngress({ version: 1, encoding: 'snappy', length: undefined }), snappy],
  [
    'snappy of 2.0',
    remoteWriteIngress({ version: 2, encoding: 'snappy', length: undefined }),
    snappy,
  ],
  [
    'zstd',
    remoteWriteIngress({ version: 1, encoding: 'zstd', length: undefined }),
    zstdCompressSync(message),
  ],
  ['OTLP as it is', otlp('identity', 'protobuf'), message],
  ['OTLP in gzip', otlp('gzip', 'protobuf'), gzipSync(message)],
  ['OTLP in zstd', otlp('zstd', 'protobuf'), zstdCompressSync(message)],
])('a body comes into the kernel whole: %s', (_, ingress, body) => {
  expect(load(ingress, body)).toEqual({ n: message.length, rejected: [], idsDropped: 0 })
})

describe('OTLP/JSON', () => {
  test('comes in as its binary form, with what was left out', () => {
    const bad = gauge('{"asDouble":"x"}', '{}')
    const exemplar = '{"asDouble":1,"traceId":"zz"}'
    const good = gauge(`{"asDouble":1,"exemplars":[${exemplar}]}`)
    const loaded = load(otlp('identity', 'json'), Buffer.from(withMetrics(bad, good)))
    expect(loaded.n).toBeGreaterThan(0)
    expect(loaded.rejected).toMatchObject([{ points: 2, reason: expect.stringMatching('"m"') }])
    expect(loaded.idsDropped).toBe(1)
  })

  test('may be compressed', () => {
    expect(load(otlp('gzip', 'json'), gzipSync(json))).toEqual(load(otlp('identity', 'json'), json))
  })

  test('is held to limits.decoded, as text and as message', () => {
    expect(refusal(() => load(otlp('identity', 'json'), json, 20)).status).toBe(413)
    expect(refusal(() => load(otlp('gzip', 'json'), gzipSync(json), 20)).status).toBe(413)
  })
})

test('limits.decoded holds for every kind of body', () => {
  const long = new Uint8Array(1000)
  for (const [ingress, body] of [
    [
      remoteWriteIngress({ version: 1, encoding: 'snappy', length: undefined }),
      new Uint8Array(SnappyJS.compress(long)),
    ],
    [
      remoteWriteIngress({ version: 1, encoding: 'zstd', length: undefined }),
      zstdCompressSync(long),
    ],
    [otlp('identity', 'protobuf'), long],
    [otlp('gzip', 'protobuf'), gzipSync(long)],
  ] as const) {
    expect(refusal(() => load(ingress, body, 999)).status).toBe(413)
    expect(load(ingress, body, 1000).n).toBe(1000)
  }
})

test('a corrupt message is explained by what it looks like, where nothing was decoded first', () => {
  const corrupt = badRequest('corrupt_protobuf', 'the body is not a valid message')
  const gzip = gzipSync(message)
  expect(otlp('identity', 'protobuf').explain(corrupt, gzip).message).toMatch(/looks like gzip/)
  expect(otlp('identity', 'protobuf').explain(corrupt, message)).toBe(corrupt)
  expect(otlp('gzip', 'protobuf').explain(corrupt, gzip)).toBe(corrupt)
  const v1 = remoteWriteIngress({ version: 1, encoding: 'snappy', length: undefined })
  expect(v1.explain(corrupt, gzip)).toBe(corrupt)
})
