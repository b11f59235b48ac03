/** Connections that one invocation may hold open on Workers while they wait for an answer. */
const CONNECTIONS = 6

/**
 * How many requests may be in flight to each of `origins` origins: an equal share of the six, at
 * least one.
 */
export function connectionsPerOrigin(origins: number): number {
  return Math.max(1, Math.floor(CONNECTIONS / Math.max(1, origins)))
}

/** Runs a job as soon as there is room; settles as the job does. */
export type Limiter = <T>(job: () => Promise<T>) => Promise<T>

/**
 * Lets at most `size` jobs run at a time, first come, first served. A job that finds room is
 * started before the call returns.
 */
export function limiter(size: number): Limiter {
  const waiting: (() => void)[] = []
  let free = size
  return async (job) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await job()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
