import type { Config, OriginConfig } from './config/types.ts'
import { COMMON_PROTOCOL, isCommon } from './deliver/protocol.ts'

/** How long an origin that refused a protocol is sent the common one. Milliseconds. */
export const DOWNGRADED_FOR = 3_600_000

/** Which origins have refused the protocol that the config gives them. Of this isolate. */
export interface Downgrades {
  /** This origin has just refused. */
  add(origin: OriginConfig): void
  /** The config as it is to be followed now: the same object for as long as nothing about it changes. */
  apply(config: Config): Config
}

/** Nothing refused yet. `now` is in epoch milliseconds. */
export function createDowngrades(now: () => number): Downgrades {
  /** By url and protocol: a reload makes new objects, and may choose another protocol. */
  const until = new Map<string, number>()
  let last: { of: Config; key: string; applied: Config } | undefined
  const isDown = (origin: OriginConfig) =>
    !isCommon(origin) && (until.get(keyOf(origin)) ?? 0) > now()
  return {
    add: (origin) => void until.set(keyOf(origin), now() + DOWNGRADED_FOR),
    apply(config) {
      if (until.size === 0) return config
      const key = config.origins.map((origin) => Number(isDown(origin))).join('')
      if (last?.of === config && last.key === key) return last.applied
      if (!key.includes('1')) return config
      const origins = config.origins.map((origin) =>
        isDown(origin) ? { ...origin, ...COMMON_PROTOCOL } : origin,
      )
      last = { of: config, key, applied: { ...config, origins } }
      return last.applied
    },
  }
}

function keyOf({ message, compression, url }: OriginConfig): string {
  return `${message} ${compression} ${url}`
}
