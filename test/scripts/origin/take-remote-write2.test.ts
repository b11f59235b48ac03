import { expect, test } from 'vitest'
import { number } from '../../batch/message.ts'
import { bytes1, bytes2, found, KINDS, type Message2, series1, T } from './requests.ts'

const kind = KINDS.remotewrite2
const SYMBOLS = ['', '__name__', 'up', 'job', 'a', 'help']
const UP = [1, 2, 3, 4]
const sample = (after = 0, more = {}) => ({ value: 1, timestamp: BigInt(T + after), ...more })
const native = (more = {}) => ({
  count: { case: 'countInt' as const, value: 0n },
  timestamp: BigInt(T),
  ...more,
})
type Series2 = NonNullable<Message2['timeseries']>[number]
const one = (series: Series2, symbols = SYMBOLS): Message2 => ({
  symbols,
  timeseries: [{ labelsRefs: UP, ...series } as Series2],
})

test.each<[string, Message2]>([
  ['a sample', one({ samples: [sample()] })],
  ['a start', one({ samples: [sample(0, { startTimestamp: 1n })] })],
  ['a histogram', one({ histograms: [native()] })],
  ['metadata', one({ samples: [sample()], metadata: { type: 1, helpRef: 5 } })],
  ['custom buckets', one({ histograms: [native({ schema: -53, customValues: [1] })] })],
  ['nothing', {}],
])('nothing is wrong with %s', (_, message) => {
  expect(found(kind, bytes2(message)).messages).toEqual([])
})

test.each<[string, string[], Message2]>([
  [
    'no empty symbol',
    ['symbols'],
    one({ labelsRefs: [0, 1], samples: [sample()] }, ['__name__', 'up']),
  ],
  ['a symbol twice', ['symbols'], one({ samples: [sample()] }, [...SYMBOLS, 'up'])],
  ['a reference too many', ['refs'], one({ labelsRefs: [...UP, 5], samples: [sample()] })],
  [
    'a reference out of the table',
    ['refs', 'labels'],
    one({ labelsRefs: [1, 2, 3, 6], samples: [sample()] }),
  ],
  ['help out of the table', ['refs'], one({ samples: [sample()], metadata: { helpRef: 6 } })],
  ['a unit out of the table', ['refs'], one({ samples: [sample()], metadata: { unitRef: 6 } })],
  ['metadata of no type', ['metadata'], one({ samples: [sample()], metadata: { type: 8 as 7 } })],
  ['labels out of order', ['label_order'], one({ labelsRefs: [3, 4, 1, 2], samples: [sample()] })],
  ['no name', ['labels'], one({ labelsRefs: [3, 4], samples: [sample()] })],
  ['an empty value', ['labels'], one({ labelsRefs: [1, 2, 3, 0], samples: [sample()] })],
  [
    'samples beside histograms',
    ['mixed_series'],
    one({ samples: [sample()], histograms: [native({ timestamp: BigInt(T + 1) })] }),
  ],
  ['no points', ['empty_series'], one({})],
  ['an exemplar alone', ['empty_series'], one({ exemplars: [sample()] })],
  [
    'an exemplar without a time',
    ['exemplar'],
    one({ samples: [sample()], exemplars: [{ value: 1 }] }),
  ],
  [
    'an exemplar with a reference too many',
    ['refs'],
    one({ samples: [sample()], exemplars: [{ ...sample(), labelsRefs: [4] }] }),
  ],
  [
    'a start after its time',
    ['time'],
    one({ samples: [sample(0, { startTimestamp: BigInt(T + 1) })] }),
  ],
  [
    'a created time as of old',
    ['unknown_field'],
    one({ samples: [sample()], createdTimestamp: 1n }),
  ],
  ['an older sample', ['out_of_order'], one({ samples: [sample(5), sample()] })],
  [
    'an older histogram',
    ['out_of_order'],
    one({ histograms: [native({ timestamp: BigInt(T + 5) }), native()] }),
  ],
  ['a histogram twice', ['duplicate'], one({ histograms: [native(), native()] })],
  ['two histograms at a time', ['conflict'], one({ histograms: [native(), native({ sum: 1 })] })],
  [
    'a histogram whose start is after its time',
    ['time'],
    one({ histograms: [native({ startTimestamp: BigInt(T + 1) })] }),
  ],
])('%s: %j', (_, codes, message) => {
  expect(found(kind, bytes2(message)).codes).toEqual(codes)
})

test('a message of 1.0 is fields that nobody knows', () => {
  const body = bytes1({ timeseries: [series1('__name__ up', [1, 0])] })
  expect(found(kind, body).codes).toEqual(['unknown_field'])
})

test('an unknown field beside the message is told', () => {
  const body = Uint8Array.from([...bytes2(one({ samples: [sample()] })), ...number(6, 1)])
  expect(found(kind, body).codes).toEqual(['unknown_field'])
})

test('what counts as written is what nothing is wrong with', () => {
  const { written, came } = found(
    kind,
    bytes2({
      symbols: SYMBOLS,
      timeseries: [
        { labelsRefs: UP, samples: [sample(5), sample(), sample(6)], exemplars: [sample()] },
        { labelsRefs: [3, 4], samples: [sample()] },
        { labelsRefs: [1, 4], histograms: [native()] },
      ],
    }),
  )
  expect(came).toEqual({ samples: 4, histograms: 1, exemplars: 1 })
  expect(written).toEqual({ samples: 2, histograms: 1, exemplars: 1 })
})
