import { expect, test } from 'vitest'
import { md5Hashmod } from '../../src/relabel/hashmod.ts'
import golden from '../golden/relabel.json' with { type: 'json' }

const known = (golden.prometheus as { hash_input?: string; last8_be_uint64?: string }[]).filter(
  (vector) => vector.hash_input !== undefined,
)

test.each(known)('$hash_input is $last8_be_uint64', ({ hash_input, last8_be_uint64 }) => {
  expect(md5Hashmod(hash_input!, 1n << 64n)).toBe(last8_be_uint64)
  expect(md5Hashmod(hash_input!, 97n)).toBe(String(BigInt(last8_be_uint64!) % 97n))
})

test('the empty value has a shard too', () => {
  expect(known.length).toBeGreaterThan(8)
  expect(md5Hashmod('', 1n << 64n)).toBe(String(0xe9800998ecf8427en))
})
