import { describe, expect, test } from 'vitest'
import { RequestError } from '../../src/wire/request-error.ts'
import wire from '../golden/wire.json' with { type: 'json' }
import { configWith, NOW, Sluice, seriesText } from './harness.ts'
import {
  type Bytes,
  double,
  exemplar,
  field,
  histogram,
  label,
  message,
  number,
  sample,
  series,
  text,
  varint,
} from './message.ts'

const up = [label('__name__', 'up'), label('job', 'api')]
const T = NOW - 60_000

/** Series and samples that come out for a message, as text. */
function out(bytes: Uint8Array, rules?: string, more = {}): string[] {
  const { out } = new Sluice(configWith(rules, more)).run(bytes)
  return out[0]!
    .flatMap(({ timeseries }) => timeseries)
    .map(
      ({ labels, samples, histograms, exemplars }) =>
        `${seriesText(labels)} ${[
          ...samples.map((s) => `${s.value}@${Number(s.timestamp) - T}`),
          ...histograms.map((h) => `h${h.sum}@${Number(h.timestamp) - T}`),
          ...exemplars.map((e) => `x${e.value}@${Number(e.timestamp) - T}`),
        ].join(' ')}`,
    )
}

const one = '__name__="up",job="api"'

describe('a message of remote write 1.0', () => {
  test.each([
    ['as the golden vector has it', wire.v1_one_sample],
    ['with a stale marker, bit for bit', wire.v1_stale],
    ['with metadata alone', wire.v1_metadata],
  ])('passes %s', (_, hex) => {
    const { raw } = new Sluice(configWith()).run(Uint8Array.from(Buffer.from(hex, 'hex')))
    expect(raw[0]!.map((piece) => Buffer.from(piece).toString('hex'))).toEqual([hex])
  })

  test('that is empty gives nothing', () => {
    expect(new Sluice(configWith()).run(message()).raw).toEqual([[]])
  })

  test.each<[string, Bytes[], string[]]>([
    ['labels in order', [series(...up, sample(1, T))], [`${one} 1@0`]],
    ['labels unsorted', [series(up[1]!, up[0]!, sample(1, T))], [`${one} 1@0`]],
    ['labels behind the samples', [series(sample(1, T), ...up)], [`${one} 1@0`]],
    ['labels around the samples', [series(up[0]!, sample(1, T), up[1]!)], [`${one} 1@0`]],
    ['a value of zero', [series(...up, sample(0, T))], [`${one} 0@0`]],
    ['a negative time', [series(...up, sample(1, -5))], [`${one} 1@${-5 - T}`]],
    ['a time of zero', [series(...up, sample(1, 0))], [`${one} 1@${-T}`]],
    ['an overlong time', [series(...up, sample(1, T, 2))], [`${one} 1@0`]],
    ['an empty value', [series(...up, label('x', ''), sample(1, T))], [`${one} 1@0`]],
    ['a series without points', [series(...up)], []],
    ['two samples', [series(...up, sample(1, T), sample(2, T + 1))], [`${one} 1@0 2@1`]],
    [
      'all kinds, in any order',
      [
        series(
          exemplar({ a: 'b' }, 9, T),
          ...up,
          histogram(5, T),
          sample(1, T),
          exemplar({}, 8, T),
        ),
      ],
      [`${one} 1@0 h7.5@0 x9@0 x8@0`],
    ],
    [
      'unknown fields everywhere',
      [
        field(9, [1, 2, 3]),
        series(
          number(7, 7),
          ...up,
          double(8, 1),
          field(2, [...double(1, 1), ...number(2, T), ...number(3, 9)]),
        ),
        [...varint((5 << 3) | 5), 1, 2, 3, 4],
      ],
      [`${one} 1@0`],
    ],
    [
      'groups, nested',
      [series([0x5b, 0x63, 0x08, 0x01, 0x64, 0x5c], ...up, sample(1, T))],
      [`${one} 1@0`],
    ],
    [
      'a label whose value comes first, with an unknown field',
      [
        series(
          up[0]!,
          field(1, [...text(2, 'api'), ...number(5, 1), ...text(1, 'job')]),
          sample(1, T),
        ),
      ],
      [`${one} 1@0`],
    ],
    [
      'a label whose name comes twice: the last counts',
      [
        series(
          up[0]!,
          field(1, [...text(1, 'x'), ...text(1, 'job'), ...text(2, 'api')]),
          sample(1, T),
        ),
      ],
      [`${one} 1@0`],
    ],
    [
      'a label with an overlong length',
      [series(field(1, [...text(1, '__name__'), ...text(2, 'up')], 2), up[1]!, sample(1, T))],
      [`${one} 1@0`],
    ],
    [
      'overlong tags',
      [
        series([0x8a, 0x00, ...up[0]!.slice(1)], up[1]!, [
          0x92,
          0x80,
          0x00,
          ...sample(1, T).slice(1),
        ]),
      ],
      [`${one} 1@0`],
    ],
    [
      'names beyond the basic plane, by bytes',
      [series(label('\u{10000}', '1'), label('\uff5e', '2'), ...up, sample(1, T))],
      [`${one},\uff5e="2",\u{10000}="1" 1@0`],
    ],
  ])('with %s comes out right', (_, fields, want) => {
    expect(out(message(...fields))).toEqual(want)
    // Known by now, the series come out the same.
    const proxy = new Sluice(configWith())
    const first = proxy.run(message(...fields)).raw
    const again = proxy.run(message(...fields))
    expect(again.raw).toEqual(first)
    expect(again.batch.missed).toBe(0)
  })

  test.each<[string, Bytes]>([
    ['a truncated series', series(...up, sample(1, T)).slice(0, -1)],
    ['a length past the end', [0x0a, 0x50, 1, 2]],
    ['a length of 64 bits', [0x0a, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]],
    ['a varint of eleven bytes', [0x08, ...Array(10).fill(0x80), 1]],
    ['field number 0', [0x02, 0]],
    ['a wire type that does not exist', [0x0f]],
    ['an end of group without a start', [0x0c]],
    ['a group without an end', [0x2b]],
    ['series as a number', [0x08, 1]],
    ['labels as a number', series([0x08, 1], sample(1, T))],
    ['a label name as a number', series(field(1, number(1, 1)), sample(1, T))],
    ['samples as a number', series(...up, [0x10, 1])],
    ['a sample value as a number', series(...up, field(2, number(1, 1)))],
    ['a sample time as a double', series(...up, field(2, double(2, 1)))],
    ['a sample cut short', series(...up, field(2, [0x09, 1, 2, 3]))],
    ['a label past its series', series([0x0a, 9, 1])],
    ['a label that is no message', series(field(1, [0x0a, 9, 1]), sample(1, T))],
    ['a broken label in a series without points', series(field(1, [0x0a, 9, 1]))],
    ['a broken label behind good points', series(...up, sample(1, T), field(1, [0x0a, 9, 1]))],
    ['a histogram with a bad span', series(...up, field(4, field(8, [0x0a, 9])))],
    ['a histogram with bad deltas', series(...up, field(4, field(12, [0x80])))],
    ['a histogram with a cut list of doubles', series(...up, field(4, field(13, [1, 2, 3])))],
    ['an exemplar with a bad label', series(...up, field(3, field(1, [0x0a, 9])))],
    ['metadata with a number for a name', field(3, number(2, 1))],
    ['metadata as a number', [0x18, 1]],
    ['rubbish behind good series', [...series(...up, sample(1, T)), 0xff]],
  ])('with %s is refused whole with 400', (_, bytes) => {
    const good = series(label('__name__', 'good'), sample(1, T))
    const proxy = new Sluice(configWith())
    expect(() => proxy.run(message(good, bytes))).toThrow(RequestError)
    expect(() => proxy.run(message(good, bytes))).toThrow(/not a valid prometheus.WriteRequest/)
    expect(proxy.workspace.pool.idle).toBe(0)
  })
})

describe('a series that can not be accepted', () => {
  const bad = (bytes: number[]) => field(1, [...text(1, 'x'), ...field(2, bytes)])
  test.each<[string, Bytes[], string, string]>([
    ['no labels', [], 'no_name', 'series {} has no __name__'],
    ['no name', [label('job', 'a')], 'no_name', 'series {job="a"} has no __name__'],
    ['an empty name', [label('__name__', ''), label('a', 'b')], 'no_name', 'has no __name__'],
    [
      'a label twice',
      [...up, label('job', 'b')],
      'duplicate_label',
      'up{job="api",job="b"} has a label twice',
    ],
    ['the same label twice', [...up, label('job', 'api')], 'duplicate_label', 'has a label twice'],
    [
      'a label without a name',
      [...up, label('', 'x')],
      'empty_label_name',
      'has a label without a name',
    ],
    ['a label that is no UTF-8', [...up, bad([0xff])], 'invalid_utf8', 'is not valid UTF-8'],
    ['half a character', [...up, bad([0xe6, 0x97])], 'invalid_utf8', 'is not valid UTF-8'],
    [
      'a surrogate in UTF-8',
      [...up, bad([0xed, 0xa0, 0x80])],
      'invalid_utf8',
      'is not valid UTF-8',
    ],
    ['too many labels', [...up, ...many(63)], 'too_many_labels', 'is over limits.labels'],
    [
      'more labels than can be counted',
      [...up, ...many(300)],
      'too_many_labels',
      'is over limits.labels',
    ],
    [
      'a long label name',
      [...up, label('n'.repeat(1025), 'x')],
      'label_name_too_long',
      'limits.label_name',
    ],
    [
      'a long label value',
      [...up, label('x', 'é'.repeat(8193))],
      'label_value_too_long',
      'limits.label_value',
    ],
    [
      'labels of 3 MB',
      [...up, label('x', 'v'.repeat(3e6))],
      'too_many_labels',
      'is over limits.labels',
    ],
  ])('for %s is named, and the rest is written', (_, labels, code, message_) => {
    const proxy = new Sluice(configWith())
    const body = message(
      series(label('__name__', 'before'), sample(1, T)),
      series(...labels, sample(1, T), sample(2, T + 1), histogram(3, T)),
      series(label('__name__', 'after'), sample(1, T)),
    )
    for (const round of [1, 2]) {
      const { batch, out } = proxy.run(body)
      const counts = { samples: 2, histograms: 1, exemplars: 0, metadata: 0 }
      expect(batch.rejected, `round ${round}`).toEqual([{ code, counts }])
      expect(batch.refusals).toHaveLength(1)
      expect(batch.refusals[0]).toContain(message_)
      expect(out[0]!.flatMap((m) => m.timeseries.map((s) => s.labels[0]!.value))).toEqual([
        'before',
        'after',
      ])
      expect(batch.received).toEqual({ samples: 4, histograms: 1, exemplars: 0, metadata: 0 })
    }
  })

  test('only for points too far ahead loses those points', () => {
    const late = NOW + 600_001
    const body = message(
      series(
        ...up,
        sample(1, T),
        sample(2, late),
        sample(3, T + 3),
        histogram(1, late),
        exemplar({}, 4, late),
      ),
    )
    const { batch, out } = new Sluice(configWith()).run(body)
    expect(out[0]![0]!.timeseries.map((s) => s.samples.map((x) => x.value))).toEqual([[1, 3]])
    expect(batch.rejected).toEqual([
      { code: 'future', counts: { samples: 1, histograms: 1, exemplars: 1, metadata: 0 } },
    ])
    expect(batch.refusals[0]).toContain(`at ${late}`)
    expect(batch.received).toEqual({ samples: 3, histograms: 1, exemplars: 1, metadata: 0 })
  })

  test('is counted among others, new and known', () => {
    const sluice = new Sluice(
      configWith('[]', {
        sluice: 'relabel_configs: [{source_labels: [i], regex: "[^.]*3", action: drop}]',
      }),
    )
    const body = message(
      ...Array.from({ length: 50 }, (_, i) =>
        series(label(i % 7 ? '__name__' : 'x', 'up'), label('i', `${i}`), sample(i, T)),
      ),
    )
    for (const missed of [50, 0]) {
      const { batch, out } = sluice.run(body)
      expect(batch).toMatchObject({ missed, series: 50, received: { samples: 50 } })
      expect(batch.rejected.map(({ code, counts }) => [code, counts.samples])).toEqual([
        ['no_name', 8],
      ])
      expect(batch.refusals).toHaveLength(4)
      expect(batch.dropped.samples).toBe(5)
      expect(out[0]![0]!.timeseries).toHaveLength(37)
    }
  })

  test('is described by the first ones only', () => {
    const bodies = Array.from({ length: 50 }, (_, i) => series(label('job', `j${i}`), sample(1, T)))
    const { batch } = new Sluice(configWith()).run(message(...bodies))
    expect(batch.refusals.length).toBe(4)
    expect(batch.rejected[0]!.counts.samples).toBe(50)
  })
})

describe('series that become equal', () => {
  const pod = (name: string, ...points: Bytes[]) =>
    series(label('__name__', 'up'), label('pod', name), ...points)
  const drop = '[{regex: pod, action: labeldrop}]'

  test.each<[string, Bytes[], string[], number]>([
    [
      'in order',
      [pod('a', sample(1, T)), pod('b', sample(2, T + 1))],
      ['__name__="up" 1@0 2@1'],
      0,
    ],
    [
      'out of order',
      [pod('a', sample(1, T + 1)), pod('b', sample(2, T))],
      ['__name__="up" 2@0 1@1'],
      0,
    ],
    [
      'at the same time',
      [pod('a', sample(1, T)), pod('b', sample(2, T))],
      ['__name__="up" 2@0'],
      1,
    ],
    [
      'interleaved with others',
      [
        pod('a', sample(1, T)),
        series(label('__name__', 'x'), sample(9, T)),
        pod('b', sample(2, T + 1)),
      ],
      ['__name__="up" 1@0 2@1', '__name__="x" 9@0'],
      0,
    ],
    [
      'of different kinds',
      [
        pod('a', sample(1, T)),
        pod('b', histogram(2, T), exemplar({}, 3, T)),
        pod('c', histogram(4, T)),
      ],
      ['__name__="up" 1@0 h6@0 x3@0'],
      1,
    ],
    [
      'three at a time, the last wins',
      [
        pod('a', sample(1, T), sample(2, T + 2)),
        pod('b', sample(3, T + 2)),
        pod('c', sample(4, T + 2), sample(5, T + 1)),
      ],
      ['__name__="up" 1@0 5@1 4@2'],
      2,
    ],
  ])('%s are merged in time order', (_, fields, want, superseded) => {
    expect(out(message(...fields), drop)).toEqual(want)
    const proxy = new Sluice(configWith(drop))
    proxy.run(message(...fields))
    const { batch } = proxy.run(message(...fields))
    const { samples, histograms } = batch.cargos[0]!.superseded
    expect(samples + histograms).toBe(superseded)
  })

  test('by being sent twice are merged too', () => {
    expect(out(message(series(...up, sample(1, T)), series(...up, sample(2, T + 5))))).toEqual([
      `${one} 1@0 2@5`,
    ])
  })

  test('in one origin only stay apart in the other', () => {
    const both = configWith(drop)
    const config = {
      ...both,
      origins: [both.origins[0]!, { ...both.origins[0]!, name: 'b', writeRelabelConfigs: [] }],
    }
    const { out } = new Sluice(config).run(message(pod('a', sample(1, T)), pod('b', sample(2, T))))
    expect(out.map((pieces) => pieces.flatMap((p) => p.timeseries).length)).toEqual([1, 2])
  })
})

test('a chain too long to merge goes out as it came, in order, one piece after the other', () => {
  const half = (from: number) =>
    series(
      ...up,
      ...Array.from({ length: 40_000 }, (_, i) => sample(from + i, T - i)),
      exemplar({}, 1, T),
    )
  const origin = 'queue_config: {max_samples_per_send: 30000}, send_exemplars: false'
  const { batch, out } = new Sluice(configWith('[]', { origin })).run(
    message(half(0), half(40_000)),
  )
  const { unwanted, superseded, pieces } = batch.cargos[0]!
  expect(unwanted.exemplars).toBe(2)
  expect(superseded.samples).toBe(0)
  expect(pieces.map((piece) => piece.after)).toEqual([false, true, true])
  const values = out[0]!.flatMap((p) => p.timeseries.flatMap((s) => s.samples.map((x) => x.value)))
  expect(values.findIndex((value, i) => value !== i)).toBe(-1)
  expect(values).toHaveLength(80_000)
})

describe('cutting', () => {
  const values = (n: number, from = 0) =>
    Array.from({ length: n }, (_, i) => sample(from + i + 1, T + from + i))
  const pieces = (message: Uint8Array, origin = '', bytes?: number) => {
    const { batch, out } = new Sluice(configWith('[]', { origin, bytes })).run(message)
    return out[0]!.map((piece, i) => ({
      samples: piece.timeseries.flatMap((s) => s.samples.map((x) => x.value)),
      after: batch.cargos[0]!.pieces[i]!.after,
      bytes: batch.cargos[0]!.pieces[i]!.uncompressed,
    }))
  }

  test('by samples keeps series whole where it can', () => {
    const body = message(
      ...Array.from({ length: 5 }, (_, i) => series(label('__name__', `m${i}`), sample(i, T))),
    )
    const got = pieces(body, 'queue_config: {max_samples_per_send: 2}')
    expect(got.map((p) => p.samples)).toEqual([[0, 1], [2, 3], [4]])
    expect(got.map((p) => p.after)).toEqual([false, false, false])
  })

  test('inside one long series makes later pieces wait', () => {
    const got = pieces(
      message(series(...up, ...values(7))),
      'queue_config: {max_samples_per_send: 3}',
    )
    expect(got.map((p) => p.samples)).toEqual([[1, 2, 3], [4, 5, 6], [7]])
    expect(got.map((p) => p.after)).toEqual([false, true, true])
  })

  test('inside a merged series goes on where it stopped', () => {
    const body = message(series(...up, ...values(4, 3)), series(...up, ...values(3)))
    const got = pieces(body, 'queue_config: {max_samples_per_send: 3}')
    expect(got.map((p) => p.samples)).toEqual([[1, 2, 3], [4, 5, 6], [7]])
    expect(got.map((p) => p.after)).toEqual([false, true, true])
  })

  test.each([100, 200, 333, 1000])('by %i bytes obeys them', (cap) => {
    const body = message(
      ...Array.from({ length: 20 }, (_, i) => series(label('__name__', `m${i}`), ...values(i))),
    )
    const got = pieces(body, '', cap)
    expect(got.flatMap((p) => p.samples)).toHaveLength(190)
    for (const { bytes } of got) expect(bytes).toBeLessThanOrEqual(cap)
  })

  test('never loses a point that is too large alone: it is counted', () => {
    const body = message(
      series(label('__name__', 'x'.repeat(300)), sample(1, T)),
      series(...up, sample(2, T)),
    )
    const { batch, out } = new Sluice(configWith('[]', { bytes: 100 })).run(body)
    expect(batch.cargos[0]!.oversize.samples).toBe(1)
    expect(out[0]!.flatMap((p) => p.timeseries).length).toBe(1)
  })

  test('into more requests than may be sent makes them larger, else says so', () => {
    const body = message(
      ...Array.from({ length: 300 }, (_, i) => series(label('__name__', `m${i}`), sample(i, T))),
    )
    const fine = 'queue_config: {max_samples_per_send: 2}'
    expect(pieces(body, fine)).toHaveLength(1)
    expect(() => pieces(body, fine, 100)).toThrow(/limits.subrequests is 50/)
  })

  test('one series of a million points obeys the batch limit', () => {
    const times = Array.from({ length: 1_000_000 }, (_, i) => i)
    const first = T - times.length
    const chunk = times.flatMap((i) => [0x12, 0x07, 0x10, ...varint(first + i)])
    const body = Uint8Array.from([...up.flat(), ...chunk])
    const head = varint(body.length)
    const message = new Uint8Array(1 + head.length + body.length)
    message.set([0x0a, ...head])
    message.set(body, 1 + head.length)
    const { batch, out } = new Sluice(
      configWith('[]', { origin: 'queue_config: {max_samples_per_send: 30000}' }),
    ).run(message)
    expect(batch.cargos[0]!.pieces.map((p) => p.counts.samples)).toEqual([
      ...Array(33).fill(30000),
      10000,
    ])
    const got = out[0]!.flatMap((piece) => piece.timeseries[0]!.samples)
    expect(got.findIndex((s, i) => Number(s.timestamp) !== first + i)).toBe(-1)
  })
})

function many(n: number): Bytes[] {
  return Array.from({ length: n }, (_, i) => label(`l${i}`, 'v'))
}
