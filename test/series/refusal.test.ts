import { expect, test } from 'vitest'
import { describeRefusal, reasonCode } from '../../src/series/refusal.ts'
import {
  REASON_DUPLICATE_LABEL,
  REASON_FUTURE,
  REASON_NO_NAME,
  REASONS,
  STATUS_DROPPED,
} from '../../src/wire/layout.ts'

const reasons = Array.from({ length: REASONS }, (_, i) => i).filter((i) => i > STATUS_DROPPED)

test('every reason has a name of its own in metrics, and words of its own', () => {
  const codes = reasons.map(reasonCode)
  expect(new Set(codes).size).toBe(reasons.length)
  for (const code of codes) expect(code).toMatch(/^[a-z]+(_[a-z0-9]+)*$/)
  expect(codes).not.toContain('unknown')
  const texts = reasons.map((reason) => describeRefusal(reason, []))
  expect(new Set(texts).size).toBe(reasons.length)
  for (const text of texts) expect(text).not.toContain('is rejected')
})

const pairs = (labels: Record<string, string>) =>
  Object.entries(labels).map(([name, value]) => ({ name, value }))

test.each<[number, Record<string, string>, number, string]>([
  [REASON_NO_NAME, {}, 0, 'series {} has no __name__'],
  [REASON_NO_NAME, { job: 'a' }, 0, 'series {job="a"} has no __name__'],
  [
    REASON_DUPLICATE_LABEL,
    { job: 'a', __name__: 'up', x: 'say "hi"' },
    0,
    'series up{job="a",x="say \\"hi\\""} has a label twice',
  ],
  [
    REASON_FUTURE,
    { __name__: 'up' },
    123,
    'series up{} has a point too far in the future (limits.future), at 123',
  ],
  [REASON_NO_NAME, { a: 'line\nbreak' }, 0, 'series {a="line\\nbreak"} has no __name__'],
])('reason %i of %o reads as the sender can use it', (reason, labels, time, want) => {
  expect(describeRefusal(reason, pairs(labels), time)).toBe(want)
})

test('is short, whatever the series is', () => {
  const long = pairs({ __name__: 'n'.repeat(9000), a: 'v'.repeat(9000), b: 'w'.repeat(9000) })
  const text = describeRefusal(REASON_DUPLICATE_LABEL, long)
  expect(text.length).toBeLessThan(300)
  expect(text).toMatch(/^series n+\{a="v+.*… has a label twice$/)
  const many = Array.from({ length: 500 }, (_, i) => ({ name: `l${i}`, value: 'x' }))
  expect(describeRefusal(REASON_DUPLICATE_LABEL, many).length).toBeLessThan(300)
})
