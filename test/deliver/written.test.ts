import { expect, test } from 'vitest'
import { NO_COUNTS, type Sent } from '../../src/deliver/payload.ts'
import { COMMON_PROTOCOL } from '../../src/deliver/protocol.ts'
import { shareOf, writtenOf } from '../../src/deliver/written.ts'
import { V2, writtenHeaders, ZSTD } from './fixtures.ts'

const SENT: Sent = {
  protocol: V2,
  counts: { samples: 100, histograms: 20, exemplars: 3, metadata: 4 },
}

function written(said: Parameters<typeof writtenHeaders>[0], status = 200, sent = SENT) {
  return writtenOf({ status, headers: new Headers(writtenHeaders(said)) }, sent)
}

test('each kind has its header, and metadata goes with a 2xx', () => {
  expect(written({ samples: 99, histograms: 20, exemplars: 1 })).toEqual({
    samples: 99,
    histograms: 20,
    exemplars: 1,
    metadata: 4,
  })
})

test('without a header, or with empty ones, nothing is known', () => {
  expect(written({})).toBeUndefined()
  expect(written({ samples: '', histograms: '', exemplars: '' })).toBeUndefined()
})

test('a header that is missing beside another means 0', () => {
  expect(written({ histograms: 7 })).toEqual({
    ...NO_COUNTS,
    histograms: 7,
    metadata: 4,
  })
})

test('receivers of 1.0 are not asked', () => {
  for (const protocol of [COMMON_PROTOCOL, ZSTD]) {
    expect(written({ samples: 1 }, 200, { ...SENT, protocol })).toBeUndefined()
  }
})

test('metadata is written with some points, whatever the status', () => {
  expect(written({ exemplars: 1 }, 400)).toMatchObject({ exemplars: 1, metadata: 4 })
  expect(written({ samples: 0 }, 400)).toEqual(NO_COUNTS)
  expect(written({ samples: 0 }, 204)).toEqual({ ...NO_COUNTS, metadata: 4 })
})

test.each([
  ['0', 0],
  ['5', 5],
  ['+5', 5],
  ['007', 7],
  ['100', 100],
  // HTTP trims what is around a value.
  ['  5\t', 5],
  // More than was sent.
  ['101', 100],
  ['9007199254740993', 100],
  ['9223372036854775807', 100],
  // No int64.
  ['9223372036854775808', 0],
  ['99999999999999999999', 0],
  // Less than nothing.
  ['-0', 0],
  ['-5', 0],
  ['-9223372036854775808', 0],
  // No decimal number; sent twice is `1, 2`.
  ['1, 2', 0],
  ['5, 5', 0],
  ['5 5', 0],
  ['5.0', 0],
  ['5e1', 0],
  ['1_0', 0],
  ['0x5', 0],
  ['٥', undefined],
  ['NaN', 0],
  ['Infinity', 0],
  ['+', 0],
  ['--5', 0],
  ['five', 0],
])('%j samples written means %j', (said, want) => {
  // Node has no header with such a character, and it would not come as one.
  if (want === undefined) return expect(() => written({ samples: said })).toThrow(TypeError)
  expect(written({ samples: said })).toEqual({ ...NO_COUNTS, samples: want, metadata: 4 })
})

test.each([
  ['nines', '9'.repeat(10_000)],
  ['zeros, and a letter', `${'0'.repeat(10_000)}x`],
])('ten thousand %s mean 0', (_, said) => {
  expect(written({ samples: said })).toEqual({ ...NO_COUNTS, metadata: 4 })
})

test('a share names the kinds of which not all was written', () => {
  const { counts } = SENT
  expect(shareOf({ ...counts, samples: 3, metadata: 0 }, counts)).toBe('only 3 of 100 samples')
  expect(shareOf({ ...NO_COUNTS }, counts)).toBe(
    'only 0 of 100 samples and 0 of 20 histograms and 0 of 3 exemplars',
  )
})
