import SnappyJS from 'snappyjs'
import { claimedLength } from '../../src/embedded/claimed-length.ts'

/**
 * What is in a snappy block. Throws when it is corrupt, or claims a length that its elements do not have, which the
 * library itself lets pass. The caller has looked at the length that it claims.
 */
export function unsnappy(block: Uint8Array): Uint8Array {
  const claimed = claimedLength(block)
  const length = elementsLength(block)
  if (claimed === undefined || length === undefined) throw new Error('its end is missing')
  if (claimed !== length) throw new Error(`it claims ${claimed} bytes and has ${length}`)
  // Of a Buffer the library would make another, whose memory is shared.
  return SnappyJS.uncompress(new Uint8Array(block.buffer, block.byteOffset, block.length))
}

/** Bytes that the elements of a block come to (snappy's format description, 2); undefined when the last one is cut. */
function elementsLength(block: Uint8Array): number | undefined {
  let at = 0
  while ((block[at++] ?? 0) >= 0x80);
  let length = 0
  while (at < block.length) {
    const tag = block[at++]!
    const kind = tag & 3
    if (kind === 0) {
      const more = Math.max(0, (tag >> 2) - 59)
      let literal = tag >> 2
      if (more > 0) {
        literal = 0
        for (let i = more - 1; i >= 0; i--) literal = literal * 256 + (block[at + i] ?? 0)
      }
      at += more + literal + 1
      length += literal + 1
    } else {
      at += kind === 3 ? 4 : kind
      length += kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1
    }
  }
  return at === block.length ? length : undefined
}
