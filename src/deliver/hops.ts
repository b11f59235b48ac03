import type { Fetch } from './send.ts'

/**
 * Sluices that a request may come through, one after the other. An origin that leads back here would otherwise be
 * asked by its own request, again and again, and each origin more multiplies that.
 */
export const MOST_HOPS = 3

const HEADER = 'Sluice-Hops'

/** How many Sluices a request has come through; 0 when it does not say, or not a number. */
export function hopsOf(headers: { get(name: string): string | null }): number {
  const said = headers.get(HEADER) ?? ''
  return /^\d{1,9}$/.test(said) ? Number(said) : 0
}

/** `fetch` whose requests say that they have come through `hops` Sluices. */
export function withHops(fetch: Fetch, hops: number): Fetch {
  return (url, init) => {
    const headers = new Headers(init.headers)
    headers.set(HEADER, String(hops))
    return fetch(url, { ...init, headers })
  }
}
