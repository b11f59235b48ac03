import type { Config, OriginConfig } from '../config/types.ts'
import { EXEMPLARS, HISTOGRAMS, METADATA, SAMPLES } from '../wire/layout.ts'

/** Origins that get the same bytes: their rules, wants and limits are the same, so they are cut and compressed once. */
export interface Stream {
  /** Whose outputs go out: an index of `Variants.rules`. */
  readonly variant: number
  /** A bit for each kind of point that is wanted. */
  readonly kinds: number
  /** Remote write 1 or 2. */
  readonly message: 1 | 2
  readonly compression: 'snappy' | 'zstd'
  /** With message 1: classic series instead of native histograms with custom buckets, which it can't carry. */
  readonly expand: boolean
  /** Points of one request at the most. */
  readonly points: number
  /** Uncompressed bytes of one request at the most. */
  readonly bytes: number
  /** Indices of the origins, in the config's order. */
  readonly origins: readonly number[]
}

/** Groups the origins of a config. `ofOrigin` is the variant of each. */
export function planStreams(config: Config, ofOrigin: readonly number[]): Stream[] {
  const streams: (Stream & { origins: number[] })[] = []
  config.origins.forEach((origin, i) => {
    const stream = {
      variant: ofOrigin[i]!,
      kinds: kindsOf(origin),
      message: origin.message,
      compression: origin.compression,
      expand: origin.customBuckets === 'expand',
      points: origin.maxSamplesPerSend,
      bytes: origin.maxBytesPerSend,
    }
    const equal = streams.find(
      (other) =>
        other.variant === stream.variant &&
        other.kinds === stream.kinds &&
        other.message === stream.message &&
        other.compression === stream.compression &&
        other.expand === stream.expand &&
        other.points === stream.points &&
        other.bytes === stream.bytes,
    )
    if (equal) equal.origins.push(i)
    else streams.push({ ...stream, origins: [i] })
  })
  // The kernel links a variant's chains once when its streams come one behind the other.
  return streams.sort((a, b) => a.variant - b.variant)
}

function kindsOf(origin: OriginConfig): number {
  return (
    (1 << SAMPLES) |
    (origin.sendNativeHistograms ? 1 << HISTOGRAMS : 0) |
    (origin.sendExemplars ? 1 << EXEMPLARS : 0) |
    (origin.sendMetadata ? 1 << METADATA : 0)
  )
}
