import type { Compared } from './in-turns.ts'
import { errorText, middle } from './measured.ts'
import { countText } from './table.ts'

/** The client straight to the sink: what of the latencies is no receiver's. */
const NONE = '(none)'

/**
 * Lines of a table, for each number of connections one a receiver and one of the client straight to the sink: what latency a receiver adds is its median over that. `beside`: the
 * receiver that the others are compared with.
 */
export function comparisonRows(compared: Compared, beside?: string): Record<string, string>[] {
  return compared.connections.flatMap((connections) => [
    ...compared.receivers.map((name) => receiverRow(compared, name, connections, beside)),
    straightRow(compared, connections),
  ])
}

function receiverRow(
  { of, straight, shares }: Compared,
  name: string,
  connections: number,
  beside: string | undefined,
): Record<string, string> {
  const results = of(name, connections)
  const direct = straight(connections)
  const perCpuSecond = middle(results, 'samplesPerCpuSecond')
  const added = (field: 'p50' | 'p99') =>
    milliseconds(middle(results, field) - middle(direct, field))
  return {
    receiver: name,
    connections: String(connections),
    'samples per CPU-second': countText(perCpuSecond),
    ...(beside !== undefined && {
      [`to ${beside}`]: ratio(
        perCpuSecond / middle(of(beside, connections), 'samplesPerCpuSecond'),
      ),
    }),
    'requests per second': countText(middle(results, 'requestsPerSecond')),
    'samples per second': countText(middle(results, 'samplesPerSecond')),
    'p50 ms': milliseconds(middle(results, 'p50')),
    'p99 ms': milliseconds(middle(results, 'p99')),
    'added p50 ms': added('p50'),
    'added p99 ms': added('p99'),
    'sent on': `${(100 * (shares.get(name) ?? Number.NaN)).toFixed(1)} %`,
    'bytes out per sample': middle(results, 'bytesPerSample').toFixed(1),
    'peak MiB': Math.max(...results.map(({ peak }) => peak)).toFixed(0),
    errors: errorText(results),
  }
}

function straightRow(
  { straight, itemsPerRequest }: Compared,
  connections: number,
): Record<string, string> {
  const results = straight(connections)
  const perSecond = middle(results, 'requestsPerSecond')
  return {
    receiver: NONE,
    connections: String(connections),
    'requests per second': countText(perSecond),
    'samples per second': countText(perSecond * itemsPerRequest),
    'p50 ms': milliseconds(middle(results, 'p50')),
    'p99 ms': milliseconds(middle(results, 'p99')),
    errors: errorText(results),
  }
}

function milliseconds(value: number): string {
  return value.toFixed(1)
}

function ratio(value: number): string {
  return Number.isNaN(value) ? '' : `${value.toFixed(2)} x`
}
