import { type RequestError, unavailable } from '../wire/request-error.ts'

/**
 * What all requests of an isolate may hold across awaits together: bodies, and payloads that wait.
 * Bytes.
 */
export const memoryBudgetBytes = 32 * 1024 * 1024

/**
 * Longest life of a lease, milliseconds. Workers may end a request whose sender hung up without
 * running its `finally`; what it held must not be missing for good.
 */
export const LONGEST_LEASE = 120_000

/**
 * A share of the budget. Belongs to whoever reserved it, who releases it in `finally`, whatever
 * happened in between.
 */
export interface Lease {
  /** Bytes held now; 0 once released. */
  readonly bytes: number
  /**
   * Takes more. False, and nothing taken, when the budget has no room or the lease was released.
   */
  grow(bytes: number): boolean
  /** Gives back some; giving back more than is held gives back all. */
  shrink(bytes: number): void
  /** Gives everything back. Once is enough; again does nothing. */
  release(): void
}

/** Bytes that live across awaits, counted for the whole isolate. */
export interface MemoryBudget {
  /** Bytes held by all leases now. */
  readonly used: number
  readonly limit: number
  /**
   * Undefined when there is no room for so many bytes. A lease of 0 bytes is always to be had.
   * Leases older than `LONGEST_LEASE` are released first.
   */
  reserve(bytes: number): Lease | undefined
}

/** What a budget is made of besides its limit. */
export interface MemoryBudgetOptions {
  /** Hears of every change of `used`: a gauge, and nothing slow. */
  readonly onChange?: (used: number) => void
  /** Milliseconds. */
  readonly now?: () => number
}

/** The 503 for a request that the budget has no room for. */
export function budgetFull(): RequestError {
  return unavailable('memory_budget', 'too many requests are being served, send it again', {
    retryAfter: 1,
  })
}

/** A budget of `limit` bytes. */
export function createMemoryBudget(
  limit: number,
  { onChange = () => {}, now = Date.now }: MemoryBudgetOptions = {},
): MemoryBudget {
  let used = 0
  /** Oldest first. */
  const leases = new Map<Lease, number>()

  function take(bytes: number): boolean {
    if (!(bytes >= 0)) throw new Error(`BUG: ${bytes} bytes asked of the memory budget`)
    if (bytes > limit - used) return false
    change(bytes)
    return true
  }

  function change(bytes: number): void {
    if (bytes === 0) return
    used += bytes
    onChange(used)
  }

  function releaseAbandoned(): void {
    const oldest = now() - LONGEST_LEASE
    for (const [lease, since] of leases) {
      if (since > oldest) return
      lease.release()
    }
  }

  function createLease(bytes: number): Lease {
    let held = bytes
    const lease: Lease = {
      get bytes() {
        return held
      },
      grow(by) {
        if (!leases.has(lease) || !take(by)) return false
        held += by
        return true
      },
      shrink(by) {
        if (!(by >= 0)) throw new Error(`BUG: ${by} bytes given back to the memory budget`)
        const back = Math.min(by, held)
        held -= back
        change(-back)
      },
      release() {
        leases.delete(lease)
        lease.shrink(held)
      },
    }
    leases.set(lease, now())
    return lease
  }

  return {
    get used() {
      return used
    },
    limit,
    reserve(bytes) {
      releaseAbandoned()
      return take(bytes) ? createLease(bytes) : undefined
    },
  }
}
