import { type Counts, hasPoints, type Sent } from './payload.ts'

/** The kinds that are points, each with its header (spec 2.4). */
const HEADERS = [
  ['samples', 'X-Prometheus-Remote-Write-Samples-Written'],
  ['histograms', 'X-Prometheus-Remote-Write-Histograms-Written'],
  ['exemplars', 'X-Prometheus-Remote-Write-Exemplars-Written'],
] as const

const INT64_MAX = 2n ** 63n - 1n

/**
 * How much of a remote write 2.0 payload its receiver says it has written; undefined where it says nothing, as one of
 * 1.0. Never more of a kind than was sent, never less than nothing. One header of three is enough, and those that are
 * missing mean 0, as does one that is no decimal int64 (both as Prometheus has it). Metadata has no header: it is written
 * with a 2xx, and with anything else when some points were.
 */
export function writtenOf(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  { protocol, counts }: Sent,
): Counts | undefined {
  if (protocol.message !== 2) return undefined
  const said = HEADERS.map(([kind, name]) => [kind, headers.get(name) ?? ''] as const)
  if (said.every(([, value]) => value === '')) return undefined
  const points = Object.fromEntries(
    said.map(([kind, value]) => [kind, Math.min(numberOf(value), counts[kind])]),
  ) as Record<(typeof HEADERS)[number][0], number>
  const taken = (status >= 200 && status < 300) || hasPoints({ ...points, metadata: 0 })
  return { ...points, metadata: taken ? counts.metadata : 0 }
}

/** `only 3 of 5 samples and 0 of 2 exemplars`: the kinds of which not all was written. */
export function shareOf(written: Counts, sent: Counts): string {
  const kinds = HEADERS.map(([kind]) => kind).filter((kind) => written[kind] < sent[kind])
  return `only ${kinds.map((kind) => `${written[kind]} of ${sent[kind]} ${kind}`).join(' and ')}`
}

/** 0 for what is below, or none. More than 2^53 loses its last digits, which is far more than anything that was sent. */
function numberOf(text: string): number {
  if (!/^[+-]?\d{1,19}$/.test(text)) return 0
  const number = BigInt(text)
  return number > 0n && number <= INT64_MAX ? Number(number) : 0
}
