import { expect, test } from 'vitest'
import { documentText, reportText } from '../../../scripts/bench/document.ts'
import type { Group, Report } from '../../../scripts/bench/group.ts'

const group = { title: 'Title', text: 'What it is.' } as Group

test('a report has its table, its goals met or missed, and what was skipped', () => {
  const report: Report = {
    tables: [{ rows: [{ case: 'a', Sluice: '1.00 ms' }] }],
    goals: [
      { text: 'fast', measured: '20 x', met: true },
      { text: 'small', measured: '9 MiB', met: false },
    ],
    raw: {},
    skipped: ['b: skipped, it is not there'],
  }
  expect(reportText(group, report)).toBe(`## Title

What it is.

| case | Sluice  |
| ---- | ------- |
| a    | 1.00 ms |

| goal  | measured |        |
| ----- | -------- | ------ |
| fast  | 20 x     | met    |
| small | 9 MiB    | missed |

b: skipped, it is not there`)
})

test('a report without goals has no table of them', () => {
  const report: Report = { tables: [], goals: [], raw: {}, skipped: [] }
  expect(reportText(group, report)).toBe('## Title\n\nWhat it is.')
})

test('the document names the machine before the numbers', () => {
  const text = documentText(['2026-11-30', 'a machine'], ['## Title\n\n1'])
  expect(text).toMatch(/^# Benchmarks\n/)
  expect(text).toContain('- 2026-11-30\n- a machine\n\n## Title\n\n1\n')
})
