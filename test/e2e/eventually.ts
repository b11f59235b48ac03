/**
 * Calls `probe` ten times a second until it gives something truthy, and returns that. After `timeout` ms it throws, with
 * what `probe` threw last as the cause.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false>,
  timeout = 30_000,
): Promise<T> {
  const end = Date.now() + timeout
  let last: unknown
  while (Date.now() < end) {
    try {
      const value = await probe()
      if (value) return value
      last = undefined
    } catch (error) {
      last = error
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${what}: not within ${timeout / 1000} s`, { cause: last })
}
