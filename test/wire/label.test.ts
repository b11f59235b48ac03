import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LabelSchema } from '../../src/wire/gen/prometheus_pb.js'
import { readLabel, readLabels, utf8Length, writeLabel } from '../../src/wire/label.ts'
import { type Bytes, double, field, label, number, text, varint } from '../batch/message.ts'

/** Reads a label field that stands in the middle of other bytes. */
function read(bytes: Bytes) {
  const buffer = Uint8Array.from([7, 7, 7, ...bytes, 7, 7, 7])
  return readLabel(buffer, 3, 3 + bytes.length)
}

/** What is written, and that nothing else is. */
function write(name: string, value: string): number[] {
  const room = utf8Length(name) + utf8Length(value) + 32
  const buffer = new Uint8Array(room + 8).fill(0xee)
  const end = writeLabel(buffer, 4, name, value)
  expect([...buffer.subarray(0, 4), ...buffer.subarray(end)].every((b) => b === 0xee)).toBe(true)
  return [...buffer.subarray(4, end)]
}

describe('reading a label', () => {
  test.each<[string, Bytes, string, string, boolean]>([
    ['as usual', label('job', 'api'), 'job', 'api', true],
    ['in other alphabets', label('日', 'é😀'), '日', 'é😀', true],
    [
      'that is long',
      label('n'.repeat(100), 'v'.repeat(20_000)),
      'n'.repeat(100),
      'v'.repeat(20_000),
      true,
    ],
    ['with 64 characters', label('n', 'v'.repeat(64)), 'n', 'v'.repeat(64), true],
    ['with 65 characters', label('n', 'v'.repeat(65)), 'n', 'v'.repeat(65), true],
    ['with a byte order mark', label('n', '\ufeffx'), 'n', '\ufeffx', true],
    ['with a NUL', label('n', 'a\0b'), 'n', 'a\0b', true],
    ['with a sign for what is no text', label('n', '\ufffd日\ufffd'), 'n', '\ufffd日\ufffd', true],
    ['without a value', field(1, text(1, 'n')), 'n', '', false],
    ['with an empty value', field(1, [...text(1, 'n'), ...text(2, '')]), 'n', '', false],
    ['without a name', field(1, text(2, 'v')), '', 'v', false],
    ['with an empty name', field(1, [...text(1, ''), ...text(2, 'v')]), '', 'v', false],
    ['without anything', field(1, []), '', '', false],
    ['value first', field(1, [...text(2, 'v'), ...text(1, 'n')]), 'n', 'v', false],
    [
      'the last of two names',
      field(1, [...text(1, 'a'), ...text(1, 'n'), ...text(2, 'v')]),
      'n',
      'v',
      false,
    ],
    [
      'the last of two values',
      field(1, [...text(1, 'n'), ...text(2, 'a'), ...text(2, 'v')]),
      'n',
      'v',
      false,
    ],
    ['with an overlong length', field(1, [...text(1, 'n'), ...text(2, 'v')], 1), 'n', 'v', false],
    [
      'with an overlong length inside',
      field(1, [...field(1, [110], 1), ...text(2, 'v')]),
      'n',
      'v',
      false,
    ],
    ['with an overlong tag', field(1, [0x8a, 0, 1, 110, ...text(2, 'v')]), 'n', 'v', false],
    [
      'with an unknown number',
      field(1, [...text(1, 'n'), ...number(3, 1), ...text(2, 'v')]),
      'n',
      'v',
      false,
    ],
    [
      'with an unknown double',
      field(1, [...double(9, 1), ...text(1, 'n'), ...text(2, 'v')]),
      'n',
      'v',
      false,
    ],
    [
      'with an unknown float',
      field(1, [...text(1, 'n'), ...text(2, 'v'), 0x4d, 1, 2, 3, 4]),
      'n',
      'v',
      false,
    ],
    [
      'with an unknown string',
      field(1, [...text(1, 'n'), ...text(2, 'v'), ...text(5, 'x')]),
      'n',
      'v',
      false,
    ],
    [
      'with a group',
      field(1, [
        ...text(1, 'n'),
        0x5b,
        0x63,
        ...number(1, 1),
        0x64,
        ...text(2, 'x'),
        0x5c,
        ...text(2, 'v'),
      ]),
      'n',
      'v',
      false,
    ],
  ])('%s', (_, bytes, name, value, canonical) => {
    expect(read(bytes)).toEqual({ name, value, valid: true, canonical })
    // The oracle of every case but for groups, which it reads the same way.
    const at = bytes.findIndex((b, i) => i > 0 && b < 128) + 1
    expect(fromBinary(LabelSchema, Uint8Array.from(bytes.slice(at)))).toMatchObject({ name, value })
  })

  test.each<[string, Bytes]>([
    ['a lone byte', [0xff]],
    ['half a character', [0xe6, 0x97]],
    ['an overlong character', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['beyond the last character', [0xf4, 0x90, 0x80, 0x80]],
    ['half a character before a sign for what is no text', [0xf0, 0x9f, 0xef, 0xbf, 0xbd]],
    ['half a sign for what is no text', [0xef, 0xbf, 0xbd, 0xef, 0xbf]],
    ['a byte in the middle of much text', [...Buffer.from('x'.repeat(70)), 0x80, 120]],
  ])('that is no UTF-8 says so: %s', (_, bytes) => {
    for (const bad of [
      field(1, [...text(1, 'n'), ...field(2, bytes)]),
      field(1, [...field(1, bytes), ...text(2, 'v')]),
    ]) {
      expect(read(bad).valid).toBe(false)
    }
  })

  test('takes no more than it is asked for from a list', () => {
    const list = [label('a', '1'), label('b', '2'), label('c', 'x'.repeat(300))]
    const buffer = Uint8Array.from([9, ...list.flat(), 9])
    const names = (most: number) =>
      readLabels(buffer, 1, buffer.length - 1, most).map(({ name, value }) => name + value[0])
    expect([names(0), names(2), names(16)]).toEqual([[], ['a1', 'b2'], ['a1', 'b2', 'cx']])
  })
})

describe('writing a label', () => {
  test.each<[string, string, string]>([
    ['as usual', 'job', 'api'],
    ['around the first length of two bytes', 'n', 'v'.repeat(122)],
    ['past it', 'n', 'v'.repeat(123)],
    ['of 127 bytes', 'n', 'v'.repeat(127)],
    ['of 128 bytes', 'n', 'v'.repeat(128)],
    ['of three bytes of length', 'n'.repeat(300), 'v'.repeat(20_000)],
    ['in other alphabets', '日'.repeat(50), 'é😀'.repeat(30)],
    ['of 64 characters that are more bytes', 'n', 'é'.repeat(64)],
  ])('%s is what protobuf-es writes', (_, name, value) => {
    expect(write(name, value)).toEqual([...field(1, oracle(name, value))])
    expect(read(write(name, value))).toEqual({ name, value, valid: true, canonical: true })
  })

  test('with an empty value leaves the value out', () => {
    expect(write('n', '')).toEqual([...field(1, text(1, 'n'))])
  })

  test('writes half a character as what it is counted as', () => {
    for (const half of [
      '\ud83d',
      '\ude00',
      'a\ud83db',
      '\ud83d\ud83d\ude00',
      `${'x'.repeat(70)}\ud83d`,
    ]) {
      expect(read(write('n', half)).value).toBe(half.toWellFormed())
    }
  })
})

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
)

test('what is written reads back, and is what protobuf-es writes', () => {
  fc.assert(
    fc.property(anyText, anyText, (name, value) => {
      const bytes = write(name, value)
      expect(bytes).toEqual([...field(1, oracle(name, value))])
      expect(read(bytes)).toEqual({ name, value, valid: true, canonical: true })
    }),
    { seed: 4, numRuns: 300 },
  )
})

test('the length of a text is that of its UTF-8, whatever it holds', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.integer({ max: 0xffff }).map((c) => String.fromCharCode(c)) }),
      (s) => {
        expect(utf8Length(s)).toBe(Buffer.byteLength(s))
      },
    ),
    { seed: 5, numRuns: 500 },
  )
})

test('labels of any fields in any order read as protobuf-es reads them', () => {
  const part = fc.oneof(
    fc.tuple(fc.constantFrom(1, 2, 5), anyText).map(([n, s]) => text(n, s)),
    fc.nat(300).map((n) => number(7, n, n % 3)),
    fc.double().map((n) => double(8, n)),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), fc.nat(2), (parts, pad) => {
      const payload = parts.flat()
      const want = fromBinary(LabelSchema, Uint8Array.from(payload))
      const { name, value, canonical } = read([0x0a, ...varint(payload.length, pad), ...payload])
      expect([name, value]).toEqual([want.name, want.value])
      if (canonical) expect([...payload]).toEqual(oracle(want.name, want.value))
    }),
    { seed: 6, numRuns: 500 },
  )
})

function oracle(name: string, value: string): number[] {
  return [...toBinary(LabelSchema, create(LabelSchema, { name, value }))]
}
