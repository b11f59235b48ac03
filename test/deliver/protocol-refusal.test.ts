import { expect, test } from 'vitest'
import { COMMON_PROTOCOL } from '../../src/deliver/protocol.ts'
import { refusesProtocol } from '../../src/deliver/protocol-refusal.ts'
import { V2, ZSTD } from './fixtures.ts'

test('a 415 refuses every protocol but the common one', () => {
  expect(refusesProtocol(415, '', V2)).toBe(true)
  expect(refusesProtocol(415, 'whatever', ZSTD)).toBe(true)
  expect(refusesProtocol(415, 'zstd encoding (compression) is not accepted', COMMON_PROTOCOL)).toBe(
    false,
  )
})

/** As receivers that don't know zstd answer with 400. */
test.each([
  [
    'VictoriaMetrics',
    'remoteAddr: "10.0.0.1:39840"; requestURI: /api/v1/write; cannot read prometheus remote_write data from client in 0 seconds: cannot decompress zstd-encoded request with length 7: magic number mismatch',
  ],
  ['Prometheus before 2.54', 'snappy: corrupt input\n'],
  ['Cortex', 'snappy: corrupt input'],
  ['Mimir', 'decompress snappy: snappy: corrupt input'],
  ['Mimir', 'getting snappy decoded length: snappy: corrupt input'],
  ['Thanos', 'snappy decode error: s2: corrupt input'],
  ['the OpenTelemetry Collector', 'unsupported Content-Encoding: zstd'],
  ['Vector', 'Failed decompressing payload with snappy decoder.'],
  ['GreptimeDB', '{"error":"Failed to decompress snappy remote request"}'],
])('%s did not decode it: %s', (_, text) => {
  expect(refusesProtocol(400, text, ZSTD)).toBe(true)
  expect(refusesProtocol(400, text.toUpperCase(), ZSTD)).toBe(true)
  // Only zstd: 2.0 is in snappy like what would be sent instead.
  expect(refusesProtocol(400, text, V2)).toBe(false)
  expect(refusesProtocol(400, text, COMMON_PROTOCOL)).toBe(false)
  // Only with 400.
  for (const status of [405, 406, 409, 422]) expect(refusesProtocol(status, text, ZSTD)).toBe(false)
})

test.each([
  '',
  'out of order sample',
  'out of order sample for series vm_zstd_block_decompress_calls_total{codec="snappy"}',
  'duplicate sample for snappy_decode_error_total',
  'cannot unmarshal prompb.WriteRequest with size 5 bytes: cannot read the next field',
  'error when processing imported data: too many labels',
  'the request is not valid: corrupt input',
])('a 400 that is about data is none: %j', (text) => {
  expect(refusesProtocol(400, text, ZSTD)).toBe(false)
})
