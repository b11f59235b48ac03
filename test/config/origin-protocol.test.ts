import { expect, test } from 'vitest'
import { originOf, problemsOf, withOrigin } from './problems-of.ts'

const V2 = 'protobuf_message: io.prometheus.write.v2.Request'
const OURS = 'native_histograms_with_custom_buckets'

test.each<[keys: string, said: object]>([
  ['', { message: 1, compression: 'snappy', customBuckets: 'expand' }],
  ['protobuf_message: prometheus.WriteRequest', { message: 1 }],
  [V2, { message: 2, compression: 'snappy', customBuckets: 'expand' }],
  [`${V2}\ncompression: snappy`, { message: 2, compression: 'snappy' }],
  ['compression: zstd', { message: 1, compression: 'zstd' }],
  ['compression: zstd\nprotobuf_message: prometheus.WriteRequest', { compression: 'zstd' }],
  [`${OURS}: expand`, { customBuckets: 'expand' }],
  [`${OURS}: drop`, { customBuckets: 'drop' }],
  // What it falls back to is message 1.
  [`${V2}\n${OURS}: drop`, { message: 2, customBuckets: 'drop' }],
  ['convert_nhcb_to_classic: true', { customBuckets: 'expand' }],
  // Prometheus drops them then, and somebody wrote it.
  ['convert_nhcb_to_classic: false', { customBuckets: 'drop' }],
  [`${V2}\nconvert_nhcb_to_classic: false`, { message: 2, customBuckets: 'drop' }],
  [`convert_nhcb_to_classic: true\n${OURS}: expand`, { customBuckets: 'expand' }],
  [`convert_nhcb_to_classic: false\n${OURS}: drop`, { customBuckets: 'drop' }],
])('an origin with %j is sent so', (keys, said) => {
  expect(problemsOf(withOrigin(keys))).toEqual([])
  expect(originOf(keys)).toMatchObject(said)
})

test.each([
  ['protobuf_message: io.prometheus.write.v3.Request', 3, 'protobuf_message', 'v2.Request, found'],
  ['compression: gzip', 3, 'compression', 'wanted snappy or zstd, found "gzip"'],
  ['compression: [zstd]', 3, 'compression', 'wanted snappy or zstd, found a list'],
  [`${V2}\ncompression: zstd`, 4, 'compression', 'which is remote write 1.0'],
  [`${OURS}: keep`, 3, OURS, 'wanted expand or drop, found "keep"'],
  ['convert_nhcb_to_classic: maybe', 3, 'convert_nhcb_to_classic', 'wanted true or false'],
  [
    `${V2}\nconvert_nhcb_to_classic: true`,
    4,
    'convert_nhcb_to_classic',
    'not supported with io.prometheus.write.v2.Request',
  ],
  [
    `convert_nhcb_to_classic: true\n${OURS}: drop`,
    3,
    'convert_nhcb_to_classic',
    `${OURS}: drop says the opposite`,
  ],
  [
    `${OURS}: expand\nconvert_nhcb_to_classic: false`,
    4,
    'convert_nhcb_to_classic',
    `${OURS}: expand says the opposite`,
  ],
  ['compresion: zstd', 3, 'compresion', 'did you mean compression\\?'],
])('%j is refused', (keys, line, path, message) => {
  expect(problemsOf(withOrigin(keys))).toEqual([
    expect.stringMatching(`^${line}:\\d+ error remote_write\\[0\\]\\.${path}: .*${message}`),
  ])
})

test.each([
  [V2, 'protobuf_message', 'the embedded store takes remote write 1.0'],
  ['compression: zstd', 'compression', 'the embedded store takes snappy'],
])('the embedded store can not have %j', (keys, path, message) => {
  const text = `remote_write:\n- url: sluice://embedded\n  ${keys}\nsluice: { auth: none }`
  expect(problemsOf(text)).toEqual([
    expect.stringMatching(`^3:\\d+ error remote_write\\[0\\]\\.${path}: ${message}`),
  ])
})
