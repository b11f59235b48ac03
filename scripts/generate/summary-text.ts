import { bytesText, countText, timeText } from '../bench/table.ts'
import type { Summary } from './summary.ts'

/** Receivers refuse what is ten minutes ahead of them: it is told before. */
const FAR_AHEAD = 5 * 60_000

/** A summary as a table for people. */
export function summaryText(summary: Summary): string {
  const { requests, samples, seconds, acknowledged, bytes, latency, unsent, ahead } = summary
  const rows: (readonly [string, string])[] = [
    ['requests', `${countText(requests)} in ${seconds.toFixed(1)} s`],
    ['samples', `${countText(samples)}, ${countText(summary.samplesPerSecond)} a second`],
    [
      'acknowledged',
      `${countText(acknowledged.samples)} in ${countText(acknowledged.requests)} requests`,
    ],
    ['bytes', bytesLine(bytes, samples)],
    ['answers', countsText(summary.statuses)],
    ['no answer', countsText(summary.failures)],
    ['latency', latency === null ? '' : latencyText(latency)],
    ['never sent', unsent === 0 ? '' : `${countText(unsent)} requests that were due`],
    [
      'time',
      ahead < FAR_AHEAD
        ? ''
        : `samples' times got ${countText(ahead / 1000)} s ahead of the clock: receivers may refuse them`,
    ],
    ['first error', summary.firstError ?? ''],
  ]
  const shown = rows.filter(([, text]) => text !== '')
  const width = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, text]) => `  ${name.padEnd(width)}  ${text}\n`).join('')
}

function bytesLine({ raw, compressed }: Summary['bytes'], samples: number): string {
  if (samples === 0) return ''
  const each = (compressed / samples).toFixed(1)
  return `${bytesText(compressed)} sent, ${bytesText(raw)} before compression; ${each} sent a sample`
}

function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name}: ${countText(count)}`)
    .join(', ')
}

function latencyText(latency: NonNullable<Summary['latency']>): string {
  const names = ['p50', 'p90', 'p99', 'max'] as const
  return names.map((name) => `${name} ${timeText(latency[name] * 1e6)}`).join(', ')
}
