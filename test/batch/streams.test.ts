import { expect, test } from 'vitest'
import { planStreams } from '../../src/batch/streams.ts'
import { EXEMPLARS, HISTOGRAMS, METADATA, SAMPLES } from '../../src/wire/layout.ts'
import { config } from './harness.ts'

/** The streams of origins with these further keys; `ofOrigin` is the variant of each. */
function streams(more: readonly string[], ofOrigin = more.map(() => 0)) {
  const origins = more.map(
    (keys, i) => `  - {name: o${i}, url: "http://o${i}.test/"${keys && `, ${keys}`}}`,
  )
  return planStreams(config(`remote_write:\n${origins.join('\n')}\nsluice: {auth: none}`), ofOrigin)
}

const groups = (...args: Parameters<typeof streams>) =>
  streams(...args).map(({ origins }) => origins)

test.each<[string, string[], number[][]]>([
  ['equal origins', ['', '', ''], [[0, 1, 2]]],
  [
    'origins that differ in how they are reached',
    ['on_failure: ignore', 'remote_timeout: 1s', 'headers: {a: b}'],
    [[0, 1, 2]],
  ],
  [
    'another number of samples',
    ['', 'queue_config: {max_samples_per_send: 10}', ''],
    [[0, 2], [1]],
  ],
  ['another number of bytes', ['', 'max_bytes_per_send: 1MB', ''], [[0, 2], [1]]],
  ['no exemplars', ['', 'send_exemplars: false', ''], [[0, 2], [1]]],
  ['no histograms', ['', 'send_native_histograms: false', ''], [[0, 2], [1]]],
  ['no metadata', ['', 'metadata_config: {send: false}', ''], [[0, 2], [1]]],
])('origins share their bytes unless they want others: %s', (_, more, want) => {
  expect(groups(more)).toEqual(want)
})

test('origins with other rules have other bytes, and those of a variant come together', () => {
  expect(groups(['', '', '', ''], [1, 0, 1, 2])).toEqual([[1], [0, 2], [3]])
  const mixed = ['', 'max_bytes_per_send: 1MB', '', 'max_bytes_per_send: 1MB']
  expect(streams(mixed, [1, 0, 0, 1]).map(({ variant, origins }) => [variant, origins])).toEqual([
    [0, [1]],
    [0, [2]],
    [1, [0]],
    [1, [3]],
  ])
})

test('a stream says what its origins take', () => {
  const every = (1 << SAMPLES) | (1 << HISTOGRAMS) | (1 << EXEMPLARS) | (1 << METADATA)
  expect(streams([''])).toEqual([
    {
      variant: 0,
      kinds: every,
      points: 2000,
      bytes: 3 * 1024 * 1024,
      message: 1,
      compression: 'snappy',
      expand: true,
      origins: [0],
    },
  ])
  const few = 'send_exemplars: false, send_native_histograms: false, metadata_config: {send: false}'
  expect(streams([few])[0]!.kinds).toBe(1 << SAMPLES)
})
