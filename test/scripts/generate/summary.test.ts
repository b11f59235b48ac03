import { expect, test } from 'vitest'
import { summaryOf } from '../../../scripts/generate/summary.ts'
import { summaryText } from '../../../scripts/generate/summary-text.ts'
import { createCounting } from '../../../scripts/generate/totals.ts'

const body = (text: string) => new Uint8Array(Buffer.from(text))
const FACTS = { milliseconds: 2000, interrupted: false, unsent: 0, ahead: 0 }

test('a summary counts what was sent, answered and acknowledged', () => {
  const counting = createCounting('remotewrite1', (text) => text)
  for (let i = 0; i < 4; i++) counting.begun(100, 10_000, 1000)
  expect(counting.ended({ status: 204, headers: {}, body: body('') }, 100, 10)).toBe(true)
  expect(counting.ended({ status: 503, headers: {}, body: body('busy') }, 100, 20)).toBe(false)
  counting.ended({ failure: 'timeout', message: 'none' }, 100, 5000)
  counting.ended({ failure: 'connection refused', message: 'none' }, 100, 0.1)
  const summary = summaryOf(counting, { ...FACTS, unsent: 3, ahead: 400_000 })
  expect(summary).toEqual({
    seconds: 2,
    interrupted: false,
    requests: 4,
    samples: 400,
    samplesPerSecond: 200,
    acknowledged: { requests: 1, samples: 100 },
    bytes: { raw: 40_000, compressed: 4000 },
    statuses: { 204: 1, 503: 1 },
    failures: { timeout: 1, 'connection refused': 1 },
    latency: { p50: expect.closeTo(20, 0), p90: 5000, p99: 5000, max: 5000 },
    unsent: 3,
    ahead: 400_000,
    firstError: '503 busy',
  })
  expect(JSON.parse(JSON.stringify(summary))).toEqual(summary)
  expect(summaryText(summary)).toBe(`\
  requests      4 in 2.0 s
  samples       400, 200 a second
  acknowledged  100 in 1 requests
  bytes         3.91 KiB sent, 39.1 KiB before compression; 10.0 sent a sample
  answers       204: 1, 503: 1
  no answer     timeout: 1, connection refused: 1
  latency       p50 20.0 ms, p90 5,000 ms, p99 5,000 ms, max 5,000 ms
  never sent    3 requests that were due
  time          samples' times got 400 s ahead of the clock: receivers may refuse them
  first error   503 busy
`)
})

test('a summary of nothing has no latency', () => {
  const summary = summaryOf(createCounting('otlp', String), { ...FACTS, milliseconds: 0 })
  expect([summary.latency, summary.samplesPerSecond]).toEqual([null, 0])
  expect(summaryText(summary)).not.toContain('NaN')
})
