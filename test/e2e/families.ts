import type { Labels } from './series.ts'

/** One exposed point. Its series is `name` with `labels`. */
export interface ExposedPoint {
  readonly name: string
  readonly labels: Labels
  readonly value: number
  readonly exemplar?: { readonly labels: Labels; readonly value: number }
}

/** A metric family as a scrape shows it. */
export interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly points: readonly ExposedPoint[]
}

/** After so many scrapes `e2e_coming` is shown instead of `e2e_leaving`. */
export const LEAVES_AFTER = 4

const specials: Record<string, number> = {
  nan: Number.NaN,
  'plus infinity': Number.POSITIVE_INFINITY,
  'minus infinity': Number.NEGATIVE_INFINITY,
  negative: -273.15,
  smallest: Number.MIN_VALUE,
  largest: Number.MAX_VALUE,
  'seventeen digits': 0.30000000000000004,
}

const gauge = (name: string, labels: Labels, value: number): Family => ({
  name,
  type: 'gauge',
  help: `The ${name} of the test.`,
  points: [{ name, labels, value }],
})

/** What the `n`th scrape shows, counted from 0: always the same for the same `n`. */
export function familiesAt(n: number): Family[] {
  const families = [
    requests(n),
    latency(n),
    {
      name: 'e2e_special',
      type: 'gauge',
      help: 'Values that a careless hand\nwould "repair", \\ and all.',
      points: Object.entries(specials).map(([kind, value]) => ({
        name: 'e2e_special',
        labels: { kind },
        value,
      })),
    } satisfies Family,
    gauge('e2e_unicode', { city: '東京', animal: '🦊', quoted: 'a"b\\c\nd' }, n),
    gauge('e2e_unicode', { city: '', animal: 'é' }, n),
    gauge('e2e_node', { node: 'Node-A', container: 'shim' }, 20 + n / 3),
    gauge('go_goroutines', {}, 7),
    gauge('scratch_value', {}, n),
  ]
  if (n < LEAVES_AFTER) families.push(gauge('e2e_leaving', { why: 'restart' }, n))
  else families.push(gauge('e2e_coming', { why: 'restart' }, n))
  return mergedByName(families)
}

function requests(n: number): Family {
  const points = ['get', 'post'].flatMap((method) =>
    ['200', '404', '503'].map((status, i) => ({
      name: 'e2e_requests_total',
      labels: { method, status, pod: `web-${i}`, namespace: 'shop' },
      value: (n + 1) * (i + 1) * 1000.25,
      exemplar:
        status === '200'
          ? { labels: { trace_id: `${method}-${n}`, span_id: `ü${n}` }, value: n + 0.5 }
          : undefined,
    })),
  )
  return { name: 'e2e_requests', type: 'counter', help: 'Requests served.', points }
}

function latency(n: number): Family {
  const bounds = ['0.1', '1.0', '+Inf']
  const buckets = bounds.map((le, i) => ({
    name: 'e2e_latency_seconds_bucket',
    labels: { le },
    value: (n + 1) * (i + 1),
    exemplar: le === '1.0' ? { labels: { trace_id: `latency-${n}` }, value: 0.7 } : undefined,
  }))
  const points = [
    ...buckets,
    { name: 'e2e_latency_seconds_count', labels: {}, value: (n + 1) * bounds.length },
    { name: 'e2e_latency_seconds_sum', labels: {}, value: (n + 1) * 1.1 },
  ]
  return { name: 'e2e_latency_seconds', type: 'histogram', help: 'How long it took.', points }
}

function mergedByName(families: readonly Family[]): Family[] {
  const byName = new Map<string, Family>()
  for (const family of families) {
    const known = byName.get(family.name)
    byName.set(
      family.name,
      known ? { ...known, points: [...known.points, ...family.points] } : family,
    )
  }
  return [...byName.values()]
}
