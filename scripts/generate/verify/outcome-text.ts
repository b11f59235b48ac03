import { countText } from '../../bench/table.ts'
import type { Shown } from '../secrets.ts'
import { FINDING_KINDS, type Finding } from './findings.ts'
import { isRight, type Outcome } from './outcome.ts'

/** What verification came to, for people. */
export function outcomeText(outcome: Outcome, shown: Shown): string {
  const { acknowledged, found, totals, listed, added, problem } = outcome
  const lines = [
    `  ${countText(acknowledged)} samples were acknowledged, ${countText(found)} are there as they were sent`,
  ]
  if (added.length > 0) lines.push(`  labels added on the way: ${shown(added.join(', '))}`)
  if (problem !== undefined) lines.push(`  not all could be looked at: ${problem}`)
  if (isRight(outcome) && acknowledged === 0) lines.push('  so there is nothing to verify')
  else if (isRight(outcome)) {
    lines.push('  none is lost, doubled or changed')
  } else {
    const counts = FINDING_KINDS.map((kind) => `${countText(totals[kind])} ${kind}`)
    lines.push(`  ${counts.join(', ')}`)
  }
  lines.push(...listed.map((finding) => `  ${findingText(finding, shown)}`))
  const rest = FINDING_KINDS.reduce((sum, kind) => sum + totals[kind], 0) - listed.length
  if (rest > 0) lines.push(`  and ${countText(rest)} more`)
  return lines.map((line) => `${line}\n`).join('')
}

function findingText(finding: Finding, shown: Shown): string {
  const { kind, labels, timestamp, sent, found, what } = finding
  const values = [
    ...(sent === undefined ? [] : [`sent ${sent}`]),
    ...(found === undefined ? [] : [`found ${shown(found)}`]),
    ...(what === undefined ? [] : [shown(what)]),
  ]
  return `${kind.padEnd(8)}${seriesText(labels, shown)} at ${timeText(timestamp)}: ${values.join(', ')}`
}

/** Long values are cut, so that each label can be seen. */
const LONGEST_VALUE = 60

function seriesText(labels: Finding['labels'], shown: Shown): string {
  const { __name__: name = '', ...rest } = labels
  const pairs = Object.entries(rest).map(
    ([label, value]) =>
      `${label}=${JSON.stringify(value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}…` : value)}`,
  )
  return shown(`${name}{${pairs.join(',')}}`)
}

function timeText(timestamp: number): string {
  const date = new Date(timestamp)
  return Number.isNaN(date.getTime()) ? String(timestamp) : date.toISOString()
}
