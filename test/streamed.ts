/** A POST whose body tells whether anybody asked for it; endless where `chunk` is given, else empty. */
export function streamed(path: string, headers: Record<string, string>, chunk = 0) {
  let asked = false
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        asked = true
        if (chunk > 0) controller.enqueue(new Uint8Array(chunk))
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const request = new Request(`http://sluice.test${path}`, { method: 'POST', headers, body })
  return { request, pulled: () => asked }
}
