import type { Compared } from './in-turns.ts'

/** The numbers of every round, for `--json`. */
export function comparisonRaw({ receivers, connections, of, straight, shares }: Compared): unknown {
  return connections.map((n) => ({
    connections: n,
    ...Object.fromEntries(receivers.map((name) => [name, of(name, n)])),
    straight: straight(n),
    shares: Object.fromEntries(shares),
  }))
}
