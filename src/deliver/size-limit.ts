/** What an origin's answers have said about how large a request it takes. */
export interface SizeLimit {
  /** A request of `size` bytes was taken. */
  taken(size: number): void
  /** One was refused as too large. */
  refused(size: number): void
  /** One as large has been refused, and no answer since contradicts that. */
  exceeds(size: number): boolean
}

/**
 * Learns from 413s, so that pieces which would be refused too are halved before they cost a request
 * each. Size is taken for the reason only as long as nothing as large is taken: one huge series
 * must not have all others sent alone.
 */
export function sizeLimit(): SizeLimit {
  let largestTaken = 0
  let smallestRefused = Number.POSITIVE_INFINITY
  return {
    taken(size) {
      largestTaken = Math.max(largestTaken, size)
      if (size >= smallestRefused) smallestRefused = Number.POSITIVE_INFINITY
    },
    refused(size) {
      if (size > largestTaken) smallestRefused = Math.min(smallestRefused, size)
    },
    exceeds: (size) => size >= smallestRefused,
  }
}
