import { expect, test } from 'vitest'
import { exemplarLabels } from '../../src/series/exemplar-labels.ts'
import type { Attribute } from '../../src/translate/attribute.ts'
import { readLabels } from '../../src/wire/label.ts'
import {
  REASON_ATTRIBUTE_NAME,
  REASON_LABEL_VALUE_TOO_LONG,
  REASON_UTF8,
} from '../../src/wire/layout.ts'

const attribute = (key: string, value: string, problem = 0): Attribute => ({
  key,
  value,
  name: undefined,
  pair: undefined,
  problem,
})

/** Its code points and labels. */
function read(attributes: readonly Attribute[], own = 0) {
  const bytes = exemplarLabels(attributes, own)
  if (bytes === undefined) return undefined
  const labels = readLabels(bytes, 4, bytes.length, 100)
  return [
    new DataView(bytes.buffer).getUint32(0, true),
    ...labels.map(({ name, value }) => `${name}=${value}`),
  ]
}

test.each<[string, Attribute[], number, unknown]>([
  ['keep their raw keys', [attribute('a.b', '1'), attribute('ü', '2')], 0, [6, 'a.b=1', 'ü=2']],
  ['count code points', [attribute('k', '𝄞é')], 0, [3, 'k=𝄞é']],
  ['without a key or a value make none', [attribute('', 'x'), attribute('y', '')], 0, [0]],
  [
    'need no names of Prometheus',
    [attribute('__', 'x', REASON_ATTRIBUTE_NAME), attribute('\ufffd', 'y', REASON_ATTRIBUTE_NAME)],
    0,
    [5, '__=x', '\ufffd=y'],
  ],
  [
    'that are no UTF-8 make none of them',
    [attribute('a', 'b'), attribute('c', 'd', REASON_UTF8)],
    0,
    undefined,
  ],
  [
    'that were too long to keep make none',
    [attribute('', '', REASON_LABEL_VALUE_TOO_LONG)],
    0,
    undefined,
  ],
  ['of thousands of letters make none', [attribute('a', 'v'.repeat(20_000))], 0, undefined],
  [
    'named as an id that is there give way',
    [attribute('trace_id', 'x'), attribute('span_id', 'y')],
    1,
    [8, 'span_id=y'],
  ],
  ['named as both ids give way', [attribute('trace_id', 'x'), attribute('span_id', 'y')], 3, [0]],
  ['named as an id that is not there stay', [attribute('trace_id', 'x')], 2, [9, 'trace_id=x']],
])('attributes of exemplars %s', (_, attributes, own, want) => {
  expect(read(attributes, own)).toEqual(want)
})
