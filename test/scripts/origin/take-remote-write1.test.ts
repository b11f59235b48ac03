import { expect, test } from 'vitest'
import { field, label, number, sample } from '../../batch/message.ts'
import { bytes1, found, KINDS, labels, type Message1, series1, T } from './requests.ts'

const kind = KINDS.remotewrite1
const bytes = (...parts: (readonly number[])[]) => Uint8Array.from(parts.flat())
const one = (names: string, ...samples: [number, number][]): Message1 => ({
  timeseries: [series1(names, ...samples)],
})
const UP = '__name__ up job a'
const exemplar = (names: string, timestamp = BigInt(T)): Message1 => ({
  timeseries: [
    { ...series1(UP, [1, 0]), exemplars: [{ labels: labels(names), value: 1, timestamp }] },
  ],
})
const native = (schema: number, more = {}): Message1 => ({
  timeseries: [
    {
      labels: labels(UP),
      histograms: [
        { count: { case: 'countInt', value: 0n }, schema, timestamp: BigInt(T), ...more },
      ],
    },
  ],
})

test.each<[string, Message1]>([
  ['labels sorted by bytes, not by UTF-16', one('__name__ up \uff5e a \u{10000} b', [1, 0])],
  ['samples in time order', one(UP, [1, 0], [2, 1])],
  ['negative times', { timeseries: [{ labels: labels(UP), samples: [{ timestamp: -1n }] }] }],
  ['an exemplar alone', { timeseries: [{ labels: labels(UP), exemplars: [{ value: 1 }] }] }],
  ['metadata alone', { metadata: [{ metricFamilyName: 'up', type: 2 }] }],
  ['a native histogram', native(0)],
  ['nothing', {}],
])('nothing is wrong with %s', (_, message) => {
  expect(found(kind, bytes1(message)).messages).toEqual([])
})

test.each<[string, string[], Message1]>([
  ['labels out of order', ['label_order'], one('job a __name__ up', [1, 0])],
  ['UTF-16 order', ['label_order'], one('__name__ up \u{10000} b \uff5e a', [1, 0])],
  ['a label twice', ['labels'], one('__name__ up job a job b', [1, 0])],
  ['a label twice, apart', ['label_order', 'labels'], one('__name__ up job a b c job b', [1, 0])],
  ['no name', ['labels'], one('job a', [1, 0])],
  ['no labels', ['labels'], one('', [1, 0])],
  [
    'an empty value',
    ['labels'],
    {
      timeseries: [{ labels: [...labels('__name__ up'), { name: 'x', value: '' }], samples: [{}] }],
    },
  ],
  [
    'an empty label name',
    ['labels'],
    { timeseries: [{ labels: [{ name: '', value: 'a' }, ...labels(UP)], samples: [{}] }] },
  ],
  ['no points', ['empty_series'], one(UP)],
  ['a future time', ['time'], one(UP, [1, 700_000])],
  [
    'a time in nanoseconds',
    ['time'],
    { timeseries: [{ labels: labels(UP), samples: [{ timestamp: BigInt(T) * 1_000_000n }] }] },
  ],
  [
    'a time before all clocks',
    ['time'],
    { timeseries: [{ labels: labels(UP), samples: [{ timestamp: -(2n ** 62n) }] }] },
  ],
  ['an older sample', ['out_of_order'], one(UP, [1, 5], [1, 0])],
  ['a sample twice', ['duplicate'], one(UP, [1, 0], [1, 0])],
  ['two values at a time', ['conflict'], one(UP, [1, 0], [2, 0])],
  ['an exemplar with much text', ['exemplar'], exemplar(`id ${'x'.repeat(127)}`)],
  ['an exemplar with a label twice', ['exemplar'], exemplar('id a id b')],
  [
    'an exemplar with a label without a name',
    ['exemplar'],
    {
      timeseries: [
        {
          ...series1(UP, [1, 0]),
          exemplars: [{ labels: [{ name: '', value: 'a' }], value: 1, timestamp: BigInt(T) }],
        },
      ],
    },
  ],
  ['an exemplar of the future', ['time'], exemplar('id a', BigInt(T) * 1000n)],
  ['metadata without a name', ['metadata'], { metadata: [{ type: 1 }] }],
  ['metadata of no type', ['metadata'], { metadata: [{ metricFamilyName: 'up', type: 8 as 7 }] }],
  ['a histogram of an unknown schema', ['histogram'], native(9)],
  ['custom buckets', ['histogram'], native(-53)],
])('%s: %j', (_, codes, message) => {
  expect(found(kind, bytes1(message)).codes).toEqual(codes)
})

test.each<[string, string[], readonly number[]]>([
  ['of the request', ['unknown_field'], number(9, 1)],
  ['that is reserved', ['unknown_field'], number(2, 1)],
  [
    'of a series',
    ['unknown_field'],
    field(1, [...label('__name__', 'up'), ...sample(1, T), ...number(7, 1)]),
  ],
  [
    'of a label',
    ['unknown_field'],
    field(1, [
      ...field(1, [...label('__name__', 'up').slice(2), ...number(3, 1)]),
      ...sample(1, T),
    ]),
  ],
])('an unknown field %s is told', (_, codes, body) => {
  expect(found(kind, bytes(body)).codes).toEqual(codes)
})

test.each<[string, readonly number[]]>([
  ['text that is no UTF-8', field(1, field(1, field(1, [0xc3, 0x28])))],
  ['a length that leads out of the message', [0x0a, 0x7f, 0x00]],
  ['text', [...Buffer.from('hello')]],
])('%s is not decoded, and nothing of it stored', (_, body) => {
  const { codes, store } = found(
    kind,
    bytes(field(1, [...label('__name__', 'up'), ...sample(1, T)]), body),
  )
  expect(codes).toEqual(['not_decoded'])
  expect(store.points).toBe(0)
})

test('order counts across requests, in whatever order labels come, and all is stored', () => {
  const first = bytes1(one(UP, [1, 0], [2, 10]))
  const { codes, store } = found(
    kind,
    first,
    first,
    bytes1(one('job a __name__ up', [3, 5])),
    bytes1(one('__name__ up job b', [3, 5])),
  )
  expect(codes).toEqual(['duplicate x2', 'label_order', 'out_of_order'])
  expect([store.points, store.series]).toEqual([6, 2])
})

test('a problem says where it is', () => {
  expect(found(kind, bytes1(one(UP, [1, 5], [1, 0]))).messages).toEqual([
    'series 0 {__name__="up",job="a"}: 1700000000000 (2023-11-14T22:13:20.000Z) is 5 ms older than one before it',
  ])
})
