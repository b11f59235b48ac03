import { expect, test } from 'vitest'
import { documentText, reportText } from '../../../scripts/bench/document.ts'
import type { Group, Report } from '../../../scripts/bench/group.ts'

const group = { title: 'Title', text: 'What it is.' } as Group

test('a report says of which run it is, has its table, its goals met or missed, and what was skipped', () => {
  const report: Report = {
    tables: [{ rows: [{ case: 'a', Sluice: '1.00 ms' }] }],
    goals: [
      { text: 'fast', measured: '20 x', met: true },
      { text: 'small', measured: '9 MiB', met: false },
    ],
    raw: {},
    skipped: ['b: skipped, it is not there'],
  }
  expect(reportText(group, report, '2026-12-01 02:27 UTC')).toBe(`## Title

Measured: 2026-12-01 02:27 UTC

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
  expect(reportText(group, report, 'now')).toBe('## Title\n\nMeasured: now\n\nWhat it is.')
})

const titles = ['A', 'B', 'C']
const monday = { time: 'Monday', text: 'one machine' }
const tuesday = { time: 'Tuesday', text: 'another machine' }
const section = (title: string, { time }: { time: string }, text = '1') =>
  `## ${title}\n\nMeasured: ${time}\n\n${text}`

/** Without what is the same in all documents. */
const rest = (document: string) => document.slice(document.indexOf('\n- ') + 1)

test('the document names the machine before the numbers', () => {
  const text = documentText('', monday, [section('A', monday)], titles)
  expect(text).toMatch(/^# Benchmarks\n/)
  expect(rest(text)).toBe('- Monday: one machine\n\n## A\n\nMeasured: Monday\n\n1\n')
})

test('a run takes the place of the sections that it measured, and leaves the others', () => {
  const before = documentText('', monday, [section('A', monday), section('C', monday)], titles)
  const sections = [section('B', tuesday), section('A', tuesday, '2')]
  expect(rest(documentText(before, tuesday, sections, titles))).toBe(`- Monday: one machine
- Tuesday: another machine

${section('A', tuesday, '2')}

${section('B', tuesday)}

${section('C', monday)}
`)
})

test('a run of which nothing is left is not mentioned', () => {
  const before = documentText('', monday, [section('A', monday)], titles)
  const after = documentText(before, tuesday, [section('A', tuesday)], titles)
  expect(rest(after)).toBe(`- Tuesday: another machine\n\n${section('A', tuesday)}\n`)
})

test('sections that no group has, or that do not say when they were measured, are left out', () => {
  const before = `# Benchmarks\n\n- Monday: m\n\n${section('Old', monday)}\n\n## B\n\nno date\n`
  const after = documentText(before, tuesday, [section('A', tuesday)], titles)
  expect(rest(after)).toBe(`- Tuesday: another machine\n\n${section('A', tuesday)}\n`)
})
