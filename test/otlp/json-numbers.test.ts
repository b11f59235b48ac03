import { describe, expect, it } from 'vitest'
import { seeded } from '../../scripts/seeded.ts'
import { JsonCursor } from '../../src/otlp/json-cursor.ts'
import { readDouble } from '../../src/otlp/json-double.ts'
import { readInteger } from '../../src/otlp/json-integer.ts'

const cursorOf = (text: string) => new JsonCursor(new TextEncoder().encode(text))

function integer(text: string): bigint {
  const into = { negative: false, low: 0, high: 0 }
  readInteger(cursorOf(text), into, 'a whole number')
  const size = BigInt(into.high) * 2n ** 32n + BigInt(into.low)
  return into.negative ? -size : size
}

function digits(random: () => number, most: number): string {
  const length = 1 + Math.floor(random() * most)
  const text = Array.from({ length }, () => Math.floor(random() * 10)).join('')
  return text.replace(/^0+(?=\d)/, '')
}

describe('random numbers', () => {
  it('doubles are what the platform reads, to the last bit', () => {
    const random = seeded(11)
    for (let i = 0; i < 20_000; i++) {
      const sign = random() < 0.5 ? '-' : ''
      const fraction = random() < 0.6 ? `.${digits(random, 20).padStart(3, '0')}` : ''
      const mark = ['e', 'E', 'e-', 'E-', 'e+'][Math.floor(random() * 5)]
      const exponent = random() < 0.5 ? `${mark}${Math.floor(random() ** 3 * 290)}` : ''
      const text = `${sign}${digits(random, 19)}${fraction}${exponent}`
      const cursor = cursorOf(`${text},`)
      expect(readDouble(cursor), text).toBe(Number(text))
      expect(cursor.at).toBe(text.length)
    }
  })

  it('doubles as JavaScript writes them', () => {
    const random = seeded(12)
    const view = new DataView(new ArrayBuffer(8))
    for (let i = 0; i < 20_000; i++) {
      view.setUint32(0, random() * 2 ** 32)
      view.setUint32(4, random() * 2 ** 32)
      const value = view.getFloat64(0)
      if (Number.isFinite(value)) expect(readDouble(cursorOf(String(value)))).toBe(value)
    }
  })

  it('whole numbers, plain and with exponents', () => {
    const random = seeded(13)
    for (let i = 0; i < 20_000; i++) {
      const text = digits(random, 20)
      const sign = random() < 0.5 ? '-' : ''
      expect(integer(`${sign}${text}`)).toBe(BigInt(`${sign}${text}`))
      const shift = Math.floor(random() * text.length)
      const moved = `${text.slice(0, text.length - shift) || '0'}.${text.slice(text.length - shift)}0`
      expect(integer(`"${sign}${moved}e${shift}"`)).toBe(BigInt(`${sign}${text}`))
    }
  })
})
