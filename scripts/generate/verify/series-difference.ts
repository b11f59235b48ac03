import type { ExpectedSeries } from '../expected.ts'
import type { RunFacts } from './run-facts.ts'

/** How points of a found series are to be taken. */
export type Reading =
  /** As that which was sent; by what they must be. */
  | { readonly read: 'value' | 'count' }
  /** Another part of the same histogram: nothing to check. */
  | 'other part'
  /** Not as it was sent; why. */
  | { readonly difference: string }

/**
 * Compares a found series with the one that was sent: it must have all labels with their values, and may have more. A
 * histogram may be stored as a native one or as the series that ends in `_count`, whichever it was sent as.
 */
export function compareSeries(
  found: Readonly<Record<string, string>>,
  { labels, kind, read }: ExpectedSeries,
  { explicit }: RunFacts,
): Reading {
  const wanted = labels.get('__name__')!
  const name = found.__name__ ?? ''
  let reading: { read: 'value' | 'count' } | undefined = name === wanted ? { read } : undefined
  if (kind === 'histogram') {
    const base = explicit ? wanted.slice(0, -'_count'.length) : wanted
    if (name === `${base}_bucket` || name === `${base}_sum`) return 'other part'
    if (name === base) reading = { read: 'count' }
    if (name === `${base}_count`) reading = { read: 'value' }
  }
  for (const [label, value] of labels) {
    const given = found[label]
    if (given === value || (label === '__name__' && reading !== undefined)) continue
    const instead = given === undefined ? 'is missing' : `is ${JSON.stringify(given)}`
    return { difference: `the label ${label} ${instead}, sent was ${JSON.stringify(value)}` }
  }
  return reading!
}
