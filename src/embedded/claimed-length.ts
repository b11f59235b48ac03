/** The decoded length that a snappy block claims in its first bytes (a varint of 32 bits); undefined when it has none. */
export function claimedLength(block: Uint8Array): number | undefined {
  let length = 0
  for (let i = 0; i < 5; i++) {
    const byte = block[i]
    if (byte === undefined) return undefined
    length += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) return length < 2 ** 32 ? length : undefined
  }
  return undefined
}
