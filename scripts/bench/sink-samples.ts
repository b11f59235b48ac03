import SnappyJS from 'snappyjs'
import { readPlain1, readPlain2 } from './plain-messages.ts'

/**
 * Samples in a payload of remote write, in snappy. Without those of target_info, which some receivers make of a resource and others don't.
 */
export function samplesIn(body: Uint8Array, version: 1 | 2): number {
  const message = new Uint8Array(SnappyJS.uncompress(body))
  const series = version === 2 ? readPlain2(message) : readPlain1(message)
  return series
    .filter(({ labels }) => labels.get('__name__') !== 'target_info')
    .reduce((sum, { samples }) => sum + samples.length, 0)
}
