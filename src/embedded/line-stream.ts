/** Characters after which a piece is given away. */
const PIECE = 64 * 1024

/** A body of `lines`, made as it is read. */
export function lineStream(lines: Iterator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    pull(controller) {
      let piece = ''
      while (piece.length < PIECE) {
        const next = lines.next()
        if (next.done) {
          if (piece !== '') controller.enqueue(encoder.encode(piece))
          controller.close()
          return
        }
        piece += next.value
      }
      controller.enqueue(encoder.encode(piece))
    },
  })
}
