import { differences, type SeriesMap } from './series.ts'

/**
 * Reads until there is no difference to `want`, for at most 20 s, and returns the differences of the last read: none when
 * all is well. Data that comes late is waited for; data that is wrong stays wrong.
 */
export async function settled(
  want: SeriesMap,
  read: () => Promise<SeriesMap>,
): Promise<readonly string[]> {
  const end = Date.now() + 20_000
  for (;;) {
    const left = differences(want, await read())
    if (left.length === 0 || Date.now() > end) return left
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
