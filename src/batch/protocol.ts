import type { Kernel } from '../kernel/kernel.ts'

/** What the message in the kernel is. */
export type Protocol = 'remotewrite1' | 'remotewrite2' | 'otlp'

/** How a walk goes on, and what it is to keep to: see the kernel's resolve functions. */
export interface Walk {
  readonly how: number
  readonly tenant: number
  readonly latest: number
  readonly maxSeries: number
}

/** Walks the message of n bytes in the kernel, or goes on with it. Returns what the kernel's function does. */
export function walk(
  kernel: Kernel,
  protocol: Protocol,
  n: number,
  { how, tenant, latest, maxSeries }: Walk,
): number {
  if (protocol === 'otlp') return kernel.resolveOtlp(n, how, tenant, latest, maxSeries)
  if (protocol === 'remotewrite2') return kernel.resolve2(n, how, tenant, latest, maxSeries)
  return kernel.resolve(n, how, tenant, latest, maxSeries)
}
