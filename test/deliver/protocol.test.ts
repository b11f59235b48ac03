import { expect, test } from 'vitest'
import { COMMON_PROTOCOL, isCommon, protocolHeaders } from '../../src/deliver/protocol.ts'
import { V2, ZSTD } from './fixtures.ts'

test('only 1.0 in snappy has nothing to fall back to', () => {
  expect(isCommon(COMMON_PROTOCOL)).toBe(true)
  expect(isCommon(V2)).toBe(false)
  expect(isCommon(ZSTD)).toBe(false)
})

test('each protocol has one encoding, one type and one version', () => {
  for (const protocol of [COMMON_PROTOCOL, V2, ZSTD]) {
    const names = protocolHeaders(protocol).map(([name]) => name)
    expect(names).toHaveLength(3)
    expect(names.filter((name) => name.endsWith('-Remote-Write-Version'))).toHaveLength(1)
  }
})
