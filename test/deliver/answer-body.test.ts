import { expect, test } from 'vitest'
import { readStart } from '../../src/deliver/answer-body.ts'
import { type VirtualTime, virtualTime } from './virtual-time.ts'

function read(time: VirtualTime, body: BodyInit | null) {
  const response = new Response(body)
  return time.run(readStart(response, { ms: 1000, sleep: time.sleep }))
}

/** A body of these chunks that then ends, breaks or hangs. */
function bodyOf(chunks: Uint8Array[], end: 'close' | 'break' | 'hang') {
  const seen = { pulled: 0, cancelled: false }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[seen.pulled++]
        if (chunk !== undefined) return controller.enqueue(chunk)
        if (end === 'close') controller.close()
        if (end === 'break') controller.error(new Error('connection lost'))
        return end === 'hang' ? new Promise(() => undefined) : undefined
      },
      cancel() {
        seen.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, seen }
}

const utf8 = (text: string) => new TextEncoder().encode(text)

test('a short body is read whole', async () => {
  const time = virtualTime()
  expect(await read(time, 'out of order')).toEqual({ text: 'out of order', cut: false })
  expect(await read(time, '')).toEqual({ text: '', cut: false })
  expect(await read(time, null)).toEqual({ text: '', cut: false })
  expect(time.pending()).toBe(0)
})

test('of a long body 1024 bytes are read and the rest is cancelled', async () => {
  const { stream, seen } = bodyOf(Array(1000).fill(utf8('x'.repeat(1000))), 'close')
  const { text, cut } = await read(virtualTime(), stream)
  expect(text).toBe('x'.repeat(1024))
  expect(cut).toBe(true)
  expect(seen.cancelled).toBe(true)
  expect(seen.pulled).toBeLessThan(4)
})

test('a body that breaks off gives what had come', async () => {
  const { stream } = bodyOf([utf8('out of')], 'break')
  expect(await read(virtualTime(), stream)).toEqual({ text: 'out of', cut: true })
})

test('a body that hangs gives what had come, when patience ends, and is cancelled', async () => {
  const time = virtualTime()
  const { stream, seen } = bodyOf([utf8('out of')], 'hang')
  const start = time.now()
  expect(await read(time, stream)).toEqual({ text: 'out of', cut: true })
  expect(time.now() - start).toBe(1000)
  expect(seen.cancelled).toBe(true)
})

test('invalid UTF-8 is replaced, and a character in two chunks is one', async () => {
  const { stream } = bodyOf([Uint8Array.of(0xff, 0x61, 0xe6), Uint8Array.of(0x97, 0xa5)], 'close')
  expect(await read(virtualTime(), stream)).toEqual({ text: '\ufffda日', cut: false })
})
