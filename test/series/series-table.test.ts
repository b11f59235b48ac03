import { describe, expect, test } from 'vitest'
import { requestBodies } from '../../scripts/bench/shape.ts'
import { config, configWith, NOW, Sluice, seriesText } from '../batch/harness.ts'
import {
  type Bytes,
  field,
  label,
  message,
  number,
  sample,
  series,
  text,
  varint,
} from '../batch/message.ts'

const T = NOW - 60_000
const up = label('__name__', 'up')

/** The series of one body as each stream gets them, in order. */
function out(sluice: Sluice, bytes: Uint8Array): string[][] {
  return sluice
    .run(bytes)
    .out.map((pieces) =>
      pieces.flatMap(({ timeseries }) => timeseries.map(({ labels }) => seriesText(labels))),
    )
}

/** What becomes of a series with these labels, new and known. */
function outcome(yaml: ReturnType<typeof config>, ...labels: Bytes[]) {
  const sluice = new Sluice(yaml)
  const body = message(series(...labels, sample(1, T)))
  const first = out(sluice, body)
  expect(out(sluice, body)).toEqual(first)
  return first
}

/** What the first origin gets, or why none does. */
function one(rules: string, more: Parameters<typeof configWith>[1], ...labels: Bytes[]) {
  const sluice = new Sluice(configWith(rules, more))
  const run = () => sluice.run(message(series(...labels, sample(1, T))))
  const { batch } = run()
  const reason = batch.rejected[0]?.code
  expect(run().batch.rejected[0]?.code).toBe(reason)
  if (reason) return reason
  return out(sluice, message(series(...labels, sample(1, T))))[0]![0] ?? 'dropped'
}

describe('a series that is met for the first time', () => {
  const twice = (first: string, name: string, value: string): Bytes =>
    field(1, [...text(1, first), ...text(2, value), ...text(1, name)])
  const overlong = (name: string, value: string): Bytes => {
    const bytes = [...Buffer.from(name)]
    return field(1, [0x0a, ...varint(bytes.length, 1), ...bytes, ...text(2, value)])
  }
  const backwards = (name: string, value: string): Bytes =>
    field(1, [...text(2, value), ...text(1, name)])
  const withMore = (name: string, value: string): Bytes =>
    field(1, [...text(1, name), ...text(2, value), ...number(9, 7)])

  test.each<[string, Bytes[], string]>([
    ['as usual', [up, label('a', '1'), label('b', '2')], '__name__="up",a="1",b="2"'],
    ['unsorted', [label('b', '2'), up, label('a', '1')], '__name__="up",a="1",b="2"'],
    ['capitals first', [label('a', '1'), label('Z', '2'), up], 'Z="2",__name__="up",a="1"'],
    [
      'one a start of the other',
      [label('aa', '1'), label('a', '2'), up],
      '__name__="up",a="2",aa="1"',
    ],
    ['an empty value', [label('a', ''), up, label('b', '1')], '__name__="up",b="1"'],
    ['value before name', [backwards('b', '2'), up, label('a', '1')], '__name__="up",a="1",b="2"'],
    ['unknown fields', [withMore('b', '2'), up, withMore('a', '1')], '__name__="up",a="1",b="2"'],
    [
      'a name written twice',
      [twice('a', 'z', '1'), label('b', '2'), label('c', '3'), up],
      '__name__="up",b="2",c="3",z="1"',
    ],
    [
      'a name written twice, in front',
      [twice('A', 'z', '1'), up, label('b', '2')],
      '__name__="up",b="2",z="1"',
    ],
    [
      'an overlong length',
      [overlong('z', '1'), label('_', '0'), label('a', '2'), up],
      '_="0",__name__="up",a="2",z="1"',
    ],
    ['an overlong length, in front', [overlong('z', '1'), up], '__name__="up",z="1"'],
    ['long values', [label('b', 'x'.repeat(200)), up], `__name__="up",b="${'x'.repeat(200)}"`],
    [
      'names of other alphabets',
      [label('é', '1'), label('日', '2'), up],
      '__name__="up",é="1",日="2"',
    ],
  ])('comes out sorted: %s', (_, labels, want) => {
    expect(one('[]', {}, ...labels)).toBe(want)
  })

  test.each<[string, Bytes[]]>([
    ['as usual', [up, label('a', '1'), label('a', '2')]],
    ['with another between', [label('a', '1'), up, label('a', '1')]],
    ['backwards', [up, label('a', '1'), backwards('a', '2')]],
    ['a name written twice', [up, twice('a', 'job', '1'), label('job', '2')]],
    ['an overlong length', [up, overlong('job', '1'), label('job', '2')]],
    ['an overlong length, in front', [overlong('__name__', '1'), up]],
    ['the metric name', [up, label('__name__', 'other')]],
  ])('is rejected when it has a label twice: %s', (_, labels) => {
    expect(one('[]', {}, ...labels)).toBe('duplicate_label')
  })

  test('may have a label twice when one of them is empty', () => {
    expect(one('[]', {}, up, label('a', ''), label('a', '1'))).toBe('__name__="up",a="1"')
  })

  test('is one with a series that is written another way', () => {
    const { batch, out } = new Sluice(configWith()).run(
      message(
        series(up, label('a', '1'), sample(1, T)),
        series(withMore('a', '1'), up, sample(2, T + 1)),
        series(up, label('a', '1'), label('b', ''), sample(3, T + 2)),
      ),
    )
    expect(out[0]![0]!.timeseries.map((s) => [seriesText(s.labels), s.samples.length])).toEqual([
      ['__name__="up",a="1"', 3],
    ])
    expect(batch.missed).toBe(3)
  })
})

describe('external labels', () => {
  const more = { global: 'external_labels: {edge: fra, a: ext}' }
  test.each<[string, Bytes[], string]>([
    ['are added', [up], '__name__="up",a="ext",edge="fra"'],
    ['never replace', [up, label('a', 'own')], '__name__="up",a="own",edge="fra"'],
    ['fill in for an empty value', [up, label('a', '')], '__name__="up",a="ext",edge="fra"'],
    ['go where they belong', [label('z', '1'), up], '__name__="up",a="ext",edge="fra",z="1"'],
  ])('%s', (_, labels, want) => {
    expect(one('[]', more, ...labels)).toBe(want)
  })

  test('come after the ingress rules and before the origin rules', () => {
    const rule = (target: string) => `{source_labels: [edge, a], target_label: ${target}}`
    const want = '__name__="up",a="ext",edge="fra",seen_after="fra;ext"'
    expect(
      one(
        `[${rule('seen_after')}]`,
        { ...more, sluice: `relabel_configs: [${rule('seen_before')}]` },
        up,
      ),
    ).toBe(want.replace('seen_after="fra;ext"', 'seen_after="fra;ext",seen_before=";"'))
  })

  test('can be kept out by an ingress rule that sets the label first', () => {
    const sluice = 'relabel_configs: [{target_label: a, replacement: set}]'
    expect(one('[]', { ...more, sluice }, up)).toBe('__name__="up",a="set",edge="fra"')
  })

  test('can be dropped or changed by the rules of an origin', () => {
    const rules =
      '[{regex: edge, action: labeldrop}, {source_labels: [a], target_label: a, replacement: "$1!"}]'
    expect(one(rules, more, up)).toBe('__name__="up",a="ext!"')
  })

  test('stay right after the table has turned over', () => {
    const sluice = new Sluice(configWith('[{target_label: made, replacement: x}]', more))
    const body = message(series(up, sample(1, T)))
    const want = [['__name__="up",a="ext",edge="fra",made="x"']]
    for (let turn = 0; turn < 4; turn++) {
      expect(out(sluice, body)).toEqual(want)
      expect(out(sluice, message(series(up, label('turn', `${turn}`), sample(1, T))))).toEqual([
        [`__name__="up",a="ext",edge="fra",made="x",turn="${turn}"`],
      ])
      turnOver(sluice)
    }
  })
})

describe('rules', () => {
  test.each<[string, string, Bytes[], string]>([
    [
      'that remove the metric name drop',
      '[{regex: __name__, action: labeldrop}]',
      [up, label('a', '1')],
      'dropped',
    ],
    ['that remove every label drop', '[{regex: ".*", action: labeldrop}]', [up], 'dropped'],
    ['that keep no name drop', '[{regex: a, action: labelkeep}]', [up, label('a', '1')], 'dropped'],
    ['that empty the name drop', '[{target_label: __name__, replacement: ""}]', [up], 'dropped'],
    ['that rename keep', '[{target_label: __name__, replacement: new}]', [up], '__name__="new"'],
    [
      'that empty a label remove it',
      '[{target_label: a, replacement: ""}]',
      [up, label('a', '1')],
      '__name__="up"',
    ],
    [
      'that make an empty name are not passed on',
      '[{action: labelmap, regex: "x(.*)", replacement: "$1"}]',
      [up, label('x', '1')],
      'empty_label_name',
    ],
    [
      'that make names out of order are sorted',
      '[{target_label: A, replacement: x}]',
      [up, label('a', '1')],
      'A="x",__name__="up",a="1"',
    ],
  ])('%s', (_, rules, labels, want) => {
    expect(one(rules, {}, ...labels)).toBe(want)
    // The same at ingress, where what is dropped is dropped for all.
    if (want !== 'empty_label_name')
      expect(one('[]', { sluice: `relabel_configs: ${rules}` }, ...labels)).toBe(want)
  })

  test.each([
    '{regex: up, source_labels: [__name__], action: drop}',
    '{regex: __name__, action: labeldrop}',
  ])('at ingress drop for all at once, and are counted once: %s', (rule) => {
    const yaml = configWith('[]', { sluice: `relabel_configs: [${rule}]` })
    const { batch } = new Sluice(yaml).run(message(series(up, sample(1, T), sample(2, T + 1))))
    expect([batch.dropped.samples, batch.cargos[0]!.dropped.samples]).toEqual([2, 0])
    const own = new Sluice(configWith(`[${rule}]`))
    const { batch: later } = own.run(message(series(up, sample(1, T), sample(2, T + 1))))
    expect([later.dropped.samples, later.cargos[0]!.dropped.samples]).toEqual([0, 2])
  })

  test('cannot mend a series that has no name, as it is rejected first', () => {
    expect(one('[{target_label: __name__, replacement: new}]', {}, label('a', '1'))).toBe('no_name')
  })

  test('are each origin’s own', () => {
    const yaml = config(`
remote_write:
  - {name: a, url: "http://a.test/", write_relabel_configs: [{source_labels: [a], regex: "1", action: drop}]}
  - {name: b, url: "http://b.test/", write_relabel_configs: [{target_label: b, replacement: x}]}
  - {name: c, url: "http://c.test/"}
  - {name: d, url: "http://d.test/", write_relabel_configs: [{target_label: b, replacement: x}]}
sluice: {auth: none}
`)
    expect(outcome(yaml, up, label('a', '1'))).toEqual([
      [],
      ['__name__="up",a="1",b="x"'],
      ['__name__="up",a="1"'],
    ])
    expect(outcome(yaml, up, label('a', '2'))).toEqual([
      ['__name__="up",a="2"'],
      ['__name__="up",a="2",b="x"'],
      ['__name__="up",a="2"'],
    ])
  })
})

describe('limits', () => {
  const five = { sluice: 'limits: {labels: 5, label_name: 10, label_value: 10}' }
  const four = [label('a', '1'), label('b', '2'), label('c', '3'), label('d', '4')]
  test.each<[string, string, Bytes[], string]>([
    ['are kept to exactly', '[]', [up, ...four], '__name__="up",a="1",b="2",c="3",d="4"'],
    ['reject one label more', '[]', [up, ...four, label('e', '5')], 'too_many_labels'],
    [
      'do not count empty values',
      '[]',
      [up, ...four, label('e', '')],
      '__name__="up",a="1",b="2",c="3",d="4"',
    ],
    [
      'look at what rules leave',
      '[{regex: "[b-e]", action: labeldrop}]',
      [up, ...four, label('e', '5')],
      '__name__="up",a="1"',
    ],
    [
      'look at what rules add',
      '[{target_label: e, replacement: x}]',
      [up, ...four],
      'too_many_labels',
    ],
    [
      'hold for names in bytes',
      '[]',
      [up, label('é'.repeat(5), '1')],
      `__name__="up",${'é'.repeat(5)}="1"`,
    ],
    [
      'hold for longer names in bytes',
      '[]',
      [up, label(`${'é'.repeat(5)}x`, '1')],
      'label_name_too_long',
    ],
    ['hold for values in bytes', '[]', [up, label('a', '日日日x')], '__name__="up",a="日日日x"'],
    ['hold for longer values in bytes', '[]', [up, label('a', '日日日xx')], 'label_value_too_long'],
    [
      'hold for values that rules make',
      '[{source_labels: [a, a], target_label: a}]',
      [up, label('a', '123456')],
      'label_value_too_long',
    ],
    [
      'do not mind what is dropped',
      '[{regex: up, source_labels: [__name__], action: drop}]',
      [up, ...four, label('e', '5')],
      'dropped',
    ],
  ])('%s', (_, rules, labels, want) => {
    expect(one(rules, five, ...labels)).toBe(want)
  })
})

describe('the table', () => {
  test('holds 100,000 series of a cluster in its default size', () => {
    const sluice = new Sluice(configWith())
    let missed = 0
    const pass = (time: number) => {
      missed = 0
      for (const body of requestBodies({ shape: 'kubernetes', series: 100_000 })) {
        body.stamp(time)
        const { batch } = sluice.run(body.bytes)
        missed += batch.missed
        expect(batch.cargos[0]!.pieces.reduce((sum, { counts }) => sum + counts.samples, 0)).toBe(
          2000,
        )
      }
    }
    pass(T)
    expect(missed).toBe(100_000)
    expect(sluice.workspace.use.series).toBe(100_000)
    pass(T + 15_000)
    expect(missed).toBe(0)
    expect(sluice.workspace.use.series).toBe(100_000)
  })

  test('keeps what is in use when it turns over', () => {
    const sluice = new Sluice(configWith('[{target_label: made, replacement: x}]'))
    const body = (i: number) => message(series(up, label('i', `${i}`), sample(i, T)))
    for (let i = 0; i < 10; i++) sluice.run(body(i))
    for (let turn = 0; turn < 5; turn++) {
      turnOver(sluice)
      for (let i = 0; i < 9; i++) {
        expect(sluice.run(body(i)).batch.missed, `series ${i} after turn ${turn}`).toBe(0)
        expect(out(sluice, body(i))).toEqual([[`__name__="up",i="${i}",made="x"`]])
      }
    }
    expect(sluice.run(body(9)).batch.missed).toBe(1)
  })

  test('keeps series right whose rules made hundreds of kilobytes of labels', () => {
    const rules = '[{action: labelmap, regex: "(x.*)", replacement: "copy_$1"}]'
    const more = { origin: 'max_bytes_per_send: 8MB' }
    const sluice = new Sluice(configWith(rules, more))
    const big = Array.from({ length: 30 }, (_, i) => label(`x${i}`, `${i} `.repeat(5000)))
    const body = message(series(up, ...big, sample(1, T)))
    const first = sluice.run(body)
    for (let turn = 0; turn < 3; turn++) {
      turnOver(sluice)
      const again = sluice.run(body)
      expect(again.batch.missed).toBe(0)
      expect(again.raw[0]!.map((piece) => Buffer.from(piece).equals(first.raw[0]![0]!))).toEqual([
        true,
      ])
    }
  })

  test('finds by bytes: series that only look alike stay apart', () => {
    const sluice = new Sluice(configWith())
    const alike = [
      [label('__name__', 'm'), label('ab', 'c')],
      [label('__name__', 'm'), label('a', 'bc')],
      [label('__name__', 'm'), label('a', 'b'), label('c', 'd')],
      [label('__name__', 'ma'), label('b', 'c')],
    ]
    const body = message(...alike.map((labels, i) => series(...labels, sample(i, T))))
    const first = out(sluice, body)
    expect(new Set(first[0]).size).toBe(4)
    expect(out(sluice, body)).toEqual(first)
  })
})

/** As it happens when the young generation is full. */
function turnOver({ workspace, config }: Sluice): void {
  workspace.enter(config, ({ kernel, table }) =>
    kernel.use(() => {
      kernel.nextPart(true)
      table.forget()
    }),
  )
}
