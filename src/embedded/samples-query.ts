/** Which samples to list: one page of them. */
export interface SamplesQuery {
  /** Only series with this label; all when it is empty. */
  readonly label: string
  /** The value that the label has. Never empty where `label` is not. */
  readonly value: string
  /** Only of requests that came after the one with this id; `newest` is the one that came last. */
  readonly after: number | 'newest'
}

/** Longest name or value of the label, in characters. */
export const MAX_MATCHER = 1000

/** Reads `label`, `value` and `after` of a query string; a string is what is wrong with them. */
export function parseSamplesQuery(parameters: URLSearchParams): SamplesQuery | string {
  const label = parameters.get('label') ?? ''
  const value = parameters.get('value') ?? ''
  if (label.length > MAX_MATCHER || value.length > MAX_MATCHER) {
    return `label and value have up to ${MAX_MATCHER} characters`
  }
  if ((label === '') !== (value === '')) return 'label and value belong together'
  const after = parameters.get('after') || '0'
  if (after === 'newest') return { label, value, after }
  if (!/^[0-9]{1,15}$/.test(after)) return 'after is neither a number nor newest'
  return { label, value, after: Number(after) }
}

/** The query string that `parseSamplesQuery` reads. */
export function samplesQueryText({ label, value, after }: SamplesQuery): string {
  return String(new URLSearchParams({ label, value, after: String(after) }))
}
