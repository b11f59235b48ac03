import { expect, it } from 'vitest'
import { expose } from '../../src/telemetry/exposition.ts'
import { counter, gauge } from '../../src/telemetry/instrument.ts'

it('shows help, type and samples, in order', () => {
  const requests = counter('requests_total', 'Requests.', ['code', 'path'])
  requests.with('204', '/write').add(3)
  requests.with('400', '/push')
  const size = gauge('size_bytes', 'Size.', [])
  size.with().set(1.5)
  expect(expose([requests, size])).toBe(
    [
      '# HELP requests_total Requests.',
      '# TYPE requests_total counter',
      'requests_total{code="204",path="/write"} 3',
      'requests_total{code="400",path="/push"} 0',
      '# HELP size_bytes Size.',
      '# TYPE size_bytes gauge',
      'size_bytes 1.5',
      '',
    ].join('\n'),
  )
})

it('escapes help and values', () => {
  const odd = counter('odd_total', 'A "\\" and\na line.', ['name'])
  odd.with('a "\\" and\na line')
  expect(expose([odd])).toBe(
    '# HELP odd_total A "\\\\" and\\na line.\n# TYPE odd_total counter\n' +
      'odd_total{name="a \\"\\\\\\" and\\na line"} 0\n',
  )
})

it('leaves out what has no children', () => {
  expect(expose([counter('empty_total', 'Empty.', ['code'])])).toBe('')
})

it.each([
  [Number.NaN, 'NaN'],
  [Number.POSITIVE_INFINITY, '+Inf'],
  [Number.NEGATIVE_INFINITY, '-Inf'],
  [2 ** 53, '9007199254740992'],
  [1e21, '1e+21'],
  [-0.5, '-0.5'],
])('writes %d as %s', (value, want) => {
  const one = gauge('one', 'One.', [])
  one.with().set(value)
  expect(expose([one])).toContain(`\none ${want}\n`)
})
