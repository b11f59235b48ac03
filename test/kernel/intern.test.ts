import { expect, test } from 'vitest'
import { Kernel } from '../../src/kernel/kernel.ts'
import { kernelModule } from './load.ts'

const key = 4096
const sizes = {
  body: 1024,
  decoded: 1024,
  piece: 1024,
  key,
  rows: 64,
  made: 1024,
  table: 262_144,
  stencils: 0,
}

test('a label that just fits is interned, one that does not is a bug and not a write past the region', () => {
  new Kernel(kernelModule, sizes).use((kernel) => {
    const most = key - 4
    expect(kernel.intern('four', 'x'.repeat(most))).toBeGreaterThan(0)
    expect(kernel.intern('four', 'é'.repeat(most / 2))).toBeGreaterThan(0)
    for (const value of ['x'.repeat(most + 1), 'é'.repeat(most / 2 + 1), '日'.repeat(most)]) {
      expect(() => kernel.intern('four', value)).toThrow('BUG: too long for a pair')
    }
  })
})

test('bytes that just fit are interned, more are a bug', () => {
  new Kernel(kernelModule, sizes).use((kernel) => {
    expect(kernel.internBytes(new Uint8Array(key))).toBeGreaterThan(0)
    expect(() => kernel.internBytes(new Uint8Array(key + 1))).toThrow('BUG: too long for a pair')
  })
})
