import { expect, test } from 'vitest'
import { GENERATED_LABELS } from '../../../scripts/bench/cases/generate.ts'
import { plainBody, plainMessage, plainText } from '../../../scripts/bench/plain-generate.ts'
import { messageWriter, requestWriter } from '../../../scripts/generate/request-writer.ts'
import { seriesSet } from '../../../scripts/generate/series-set.ts'
import { compileTemplate } from '../../../scripts/generate/template.ts'

// What is compared must do the same work.

const TIME = 1_700_000_000_000
const series = seriesSet({ labels: GENERATED_LABELS })

test.each([
  [0, 1],
  [98_500, 1_000],
])('from series %d on, %d at once, both write the same bytes', (first, count) => {
  const plain = plainMessage(GENERATED_LABELS, first, count, TIME, 7)
  const message = messageWriter({ protocol: 'remotewrite1', series }).write(
    first,
    count,
    TIME,
    7,
    0,
  )
  expect(Buffer.compare(message.written(), plain)).toBe(0)
  const writer = requestWriter({ protocol: 'remotewrite1', encoding: 'snappy', series })
  const { body } = writer.write(first, count, TIME, 7, 0)
  expect(Buffer.compare(body, plainBody(GENERATED_LABELS, first, count, TIME, 7))).toBe(0)
})

test('both make the same texts', () => {
  for (const text of Object.values(GENERATED_LABELS)) {
    const template = compileTemplate(text)
    for (const id of [0, 9, 10, 12_345_678_901]) {
      expect(template.evaluate(id)).toBe(plainText(text, id))
    }
  }
})
