import { expect, it } from 'vitest'
import { exportAnswer } from '../../src/otlp/answer.ts'
import { protobufFromJson } from '../../src/otlp/protobuf-from-json.ts'

it('works the same in workerd: long numbers, escapes, answers in binary', async () => {
  const points = '[{"timeUnixNano":"1544712660300000001","asDouble":0.12345678901234567}]'
  const metrics = `[{"n\\u0061me":"\\u00e9😀","gauge":{"dataPoints":${points}}},{"unit":1}]`
  const text = `{"resourceMetrics":[{"scopeMetrics":[{"metrics":${metrics}}]}]}`
  const { message, rejected } = protobufFromJson(new TextEncoder().encode(text), 1000)
  const hex = Array.from(message, (byte) => byte.toString(16).padStart(2, '0')).join('')
  expect(hex).toBe('0a221220121e0a06c3a9f09f98802a140a121901eb3af5faeb6f15215ef64637dd9abf3f')
  expect(rejected).toHaveLength(1)
  const answer = exportAnswer('protobuf', { rejected: 1, message: 'x' })
  expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([10, 5, 8, 1, 18, 1, 120])
})
