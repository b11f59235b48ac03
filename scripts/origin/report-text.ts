import { bytesText, countText } from '../bench/table.ts'
import { PROBLEMS, type ProblemCode } from './problems.ts'
import type { Report } from './report.ts'

/** Problems that the text lists; the JSON has more. */
const MAX_LINES = 20

/** A report as lines for people. */
export function reportText(report: Report): string {
  const { requests, seconds, bytes, points, kept, problems } = report
  const rows: (readonly [string, string])[] = [
    ['requests', `${countText(requests)} in ${seconds.toFixed(1)} s`],
    ['protocols', listText(report.protocols)],
    ['encodings', listText(report.encodings)],
    ['answers', listText(report.answers)],
    ['bytes', `${bytesText(bytes.received)}, decoded ${bytesText(bytes.decoded)}`],
    ...Object.entries(points).map(([kind, count]) => [kind, countText(count)] as const),
    ['series kept', countText(kept.series)],
    ['points kept', `${countText(kept.points)}${droppedText(kept.dropped)}`],
    ...report.steps.map(
      ({ step, requests }) => ['step', `${step} (for ${countText(requests)})`] as const,
    ),
    ['problems', problems.total === 0 ? 'none' : countText(problems.total)],
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
  return [...lines, ...problemLines(report), ''].join('\n')
}

function listText(counts: Readonly<Record<string, number | undefined>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${countText(count ?? 0)}`)
    .join(', ')
}

function droppedText(dropped: number): string {
  return dropped === 0 ? '' : `, ${countText(dropped)} older ones had to go (--keep)`
}

function problemLines({ problems }: Report): string[] {
  if (problems.total === 0) return []
  const counts = Object.entries(problems.counts) as [ProblemCode, number][]
  const listed = problems.listed.slice(0, MAX_LINES)
  const rest = problems.total - listed.length
  return [
    '',
    ...counts.map(([code, count]) => `  ${countText(count)} x ${code}: ${PROBLEMS[code]}`),
    '',
    ...listed.map(
      ({ request, code, where, message }) => `  request ${request}: ${code}: ${where}: ${message}`,
    ),
    ...(rest > 0 ? [`  and ${countText(rest)} more`] : []),
  ]
}
