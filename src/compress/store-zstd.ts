/** RFC 8878 3.1.1.2.4: Block_Maximum_Size. */
const BLOCK = 128 * 1024
/** Magic number; a descriptor that says "single segment, four bytes of content size". */
const HEADER = [0x28, 0xb5, 0x2f, 0xfd, 0xa0]

/** The bytes, fewer than 4 GiB, as a zstd frame of raw blocks (RFC 8878 3.1.1): any decoder reads it, nothing is compressed. The result is the caller's. */
export function storeZstd(bytes: Uint8Array): Uint8Array {
  const blocks = Math.max(1, Math.ceil(bytes.length / BLOCK))
  const frame = new Uint8Array(HEADER.length + 4 + 3 * blocks + bytes.length)
  const view = new DataView(frame.buffer)
  frame.set(HEADER)
  view.setUint32(HEADER.length, bytes.length, true)
  let at = HEADER.length + 4
  for (let from = 0, block = 1; block <= blocks; from += BLOCK, block++) {
    const part = bytes.subarray(from, from + BLOCK)
    // Bit 0: the last block; bits 1 and 2: raw; above: its size.
    const header = (part.length << 3) | Number(block === blocks)
    view.setUint16(at, header & 0xffff, true)
    frame[at + 2] = header >> 16
    frame.set(part, at + 3)
    at += 3 + part.length
  }
  return frame
}
