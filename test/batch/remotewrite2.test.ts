import { describe, expect, test } from 'vitest'
import { RequestError } from '../../src/wire/request-error.ts'
import { config, NOW, type Outcome, Sluice } from './harness.ts'
import {
  type Bytes,
  double,
  exemplar,
  field,
  histogram,
  label,
  message,
  metadata,
  number,
  sample,
  series,
  text,
  varint,
} from './message.ts'
import { asHistogram2, request, Symbols, sample2 } from './message2.ts'
import { lines1, lines2 } from './request2.ts'

const T = NOW - 60_000
const V2 = 'protobuf_message: io.prometheus.write.v2.Request'

/** Origin a takes 1.0, b 2.0. */
function both(more: { rules?: string; a?: string; b?: string; sluice?: string } = {}) {
  const origin = (name: string, extra: string) =>
    `  - {name: ${name}, url: "http://${name}.test/", write_relabel_configs: ${more.rules ?? '[]'}${extra}}`
  return new Sluice(
    config(`
remote_write:
${origin('a', more.a ? `, ${more.a}` : '')}
${origin('b', `, ${V2}${more.b ? `, ${more.b}` : ''}`)}
sluice: {auth: none${more.sluice ? `, ${more.sluice}` : ''}}
`),
  )
}

interface Results {
  readonly one: string[]
  readonly two: string[]
  readonly outcome: Outcome
}

function results(outcome: Outcome): Results {
  const at = (message: 1 | 2) =>
    outcome.batch.cargos.findIndex(({ stream }) => stream.message === message)
  return { outcome, one: lines1(outcome, at(1), T), two: lines2(outcome.raw[at(2)]!, T) }
}

function send(
  make: (symbols: Symbols) => readonly Bytes[],
  sluice = both(),
  symbolsLast = false,
): Results {
  const symbols = new Symbols()
  const fields = make(symbols)
  return results(sluice.run(request(symbols, fields, symbolsLast), 0, 'remotewrite2'))
}

const up = [
  ['__name__', 'up'],
  ['job', 'api'],
] as const
const named = (name: string) => [['__name__', name]] as const

describe('a message of remote write 2.0', () => {
  const plain = (symbols: Symbols) => [[symbols.labels(up), sample2(1, T)].flat()]

  test.each<[string, (s: Symbols) => readonly Bytes[], string[], string[]?]>([
    ['one sample', plain, ['up,job=api 1@0']],
    [
      'a start timestamp, which 1.0 does not get',
      (s) => [[...s.labels(up), ...sample2(1, T, T - 5)]],
      ['up,job=api 1@0'],
      ['up,job=api 1@0 start -5'],
    ],
    [
      'a created timestamp of older senders, for points without a start',
      (s) => [
        [...s.labels(up), ...sample2(1, T), ...sample2(2, T + 1, T - 1), ...number(6, T - 9)],
      ],
      ['up,job=api 1@0', 'up,job=api 2@1'],
      ['up,job=api 1@0 start -9', 'up,job=api 2@1 start -1'],
    ],
    [
      'the same with a histogram',
      (s) => [[...number(6, T - 9), ...s.labels(up), ...asHistogram2(histogram(2, T))]],
      ['up,job=api h3@0'],
      ['up,job=api h3@0 start -9'],
    ],
    [
      'labels unsorted',
      (s) => [[...s.labels([...up].reverse()), ...sample2(1, T)]],
      ['up,job=api 1@0'],
    ],
    [
      'labels behind the samples, unpacked, in two fields',
      (s) => [[...s.labels([up[0]]), ...sample2(1, T), ...s.labels([up[1]], false)]],
      ['up,job=api 1@0'],
    ],
    [
      'an empty value',
      (s) => [[...s.labels([...up, ['x', '']]), ...sample2(1, T)]],
      ['up,job=api 1@0'],
    ],
    [
      'samples and histograms in one series, which 2.0 gets apart',
      (s) => [[...s.labels(up), ...sample2(1, T), ...asHistogram2(histogram(2, T))]],
      ['up,job=api 1@0', 'up,job=api h3@0'],
    ],
    [
      'an exemplar on a sample',
      (s) => [[...s.labels(up), ...sample2(1, T), ...s.exemplar({ trace_id: 'é 1' }, 9, T)]],
      ['up,job=api 1@0', 'up,job=api x9@0 trace_id=é 1'],
    ],
    [
      'an exemplar in a series of its own is attached',
      (s) => [
        [...s.labels(up), ...s.exemplar({ a: 'b' }, 9, T)],
        [...s.labels([...up].reverse()), ...sample2(1, T)],
      ],
      ['up,job=api 1@0', 'up,job=api x9@0 a=b'],
    ],
    [
      'an exemplar that nothing is there to carry goes to 1.0 only',
      (s) => [[...s.labels(up), ...s.exemplar({ a: 'b' }, 9, T)]],
      ['up,job=api x9@0 a=b'],
      [],
    ],
    [
      'a stale marker, bit for bit',
      (s) => [[...s.labels(up), ...sample2([2, 0, 0, 0, 0, 0, 0xf0, 0x7f], T)]],
      ['up,job=api NaN@0'],
    ],
    ['no series', () => [], []],
    ['a series without points', (s) => [s.labels(up)], []],
    [
      'labels of more bytes than one length takes',
      (s) => [[...s.labels([...up, ['x', 'v'.repeat(300)]]), ...sample2(1, T)]],
      [`up,job=api,x=${'v'.repeat(300)} 1@0`],
    ],
    [
      'more labels than one length of refs takes',
      (s) => [
        [
          ...s.labels([
            ...up,
            ...Array.from({ length: 58 }, (_, i) => [`l${i + 10}`, `v${i}`] as const),
          ]),
          ...sample2(1, T),
        ],
      ],
      [`up,job=api,${Array.from({ length: 58 }, (_, i) => `l${i + 10}=v${i}`)} 1@0`],
    ],
    [
      'unknown fields',
      (s) => [[...s.labels(up), ...field(9, [1]), ...sample2(1, T), ...number(7, 1)]],
      ['up,job=api 1@0'],
    ],
  ])('with %s', (_, make, one, two = one) => {
    for (const last of [false, true]) {
      const sluice = both({ sluice: 'limits: {labels: 70}' })
      // The second time, its series are known.
      for (let round = 0; round < 2; round++) {
        const got = send(make, sluice, last)
        expect(got.one).toEqual(one)
        expect(got.two).toEqual(two)
        expect(got.outcome.batch.rejected).toEqual([])
      }
    }
  })

  test('is copied byte by byte where it can be', () => {
    const symbols = new Symbols()
    const fields = [
      [...symbols.labels(named('a')), ...sample2(0.1, T), ...sample2(0, T + 1, T)],
      [...symbols.labels(named('h')), ...asHistogram2(histogram(3, T))],
    ]
    const body = request(symbols, fields)
    const { raw } = both().run(body, 0, 'remotewrite2')
    const out = raw.map((pieces) => Buffer.from(pieces[0]!).toString('hex'))
    expect(out).toContain(Buffer.from(body).toString('hex'))
  })
})

describe('a body that is refused whole', () => {
  const one = text(4, '')
  const bodies: [string, Bytes, RegExp][] = [
    [
      'a ref behind the last symbol',
      [...one, ...field(5, [...field(1, [0, 1]), ...sample2(1, T)])],
      /symbol/,
    ],
    [
      'a ref of 33 bits',
      [...one, ...field(5, [...field(1, [0, ...varint(2n ** 32n)]), ...sample2(1, T)])],
      /symbol/,
    ],
    [
      'an odd number of refs',
      [...one, ...field(5, [...field(1, [0]), ...sample2(1, T)])],
      /symbol/,
    ],
    ['an odd number of refs without points', [...one, ...field(5, field(1, [0, 0, 0]))], /symbol/],
    ['a first symbol that is not empty', [...text(4, 'a'), ...field(5, sample2(1, T))], /symbol/],
    ['no symbols', field(5, sample2(1, T)), /symbol/],
    ['a help ref to nowhere', [...one, ...field(5, field(5, number(3, 9)))], /symbol/],
    ['a unit ref to nowhere', [...one, ...field(5, field(5, number(4, 9)))], /symbol/],
    [
      'a ref of an exemplar to nowhere',
      [...one, ...field(5, field(4, field(1, [0, 7])))],
      /symbol/,
    ],
    [
      'an odd number of refs of an exemplar',
      [...one, ...field(5, field(4, number(1, 0)))],
      /symbol/,
    ],
    ['a series of 1.0', series(label('__name__', 'up'), sample(1, T)), /1\.0 message/],
    ['metadata of 1.0', metadata(1, 'up', 'help'), /1\.0 message/],
    ['a series that is no message', [...one, ...number(5, 1)], /not a valid io/],
    [
      'refs that are no numbers',
      [...one, ...field(5, [...field(1, [0x80]), ...sample2(1, T)])],
      /symbol/,
    ],
    ['a length too large', [...one, 0x2a, 9, 1], /not a valid io/],
    ['a sample that is a number', [...one, ...field(5, number(2, 1))], /not a valid io/],
    [
      'a start timestamp that is text',
      [...one, ...field(5, field(2, text(3, 'x')))],
      /not a valid io/,
    ],
  ]
  test.each(bodies)('has %s', (_, bytes, why) => {
    expect(() => both().run(message(bytes), 0, 'remotewrite2')).toThrow(why)
  })

  test('may have any number of good series before what is wrong', () => {
    const symbols = new Symbols()
    const good = Array.from({ length: 50 }, (_, i) => [
      ...symbols.labels([...named(`m${i}`)]),
      ...sample2(i, T),
    ])
    const sluice = both()
    const run = (last: Bytes) =>
      sluice.run(request(symbols, [...good, last]), 0, 'remotewrite2').batch.received.samples
    expect(() => run([...field(1, [0, 99]), ...sample2(1, T)])).toThrow(RequestError)
    expect(sluice.workspace.pool.idle).toBe(0)
    expect(() => run([...field(1, [0]), ...sample2(1, T)])).toThrow(RequestError)
    expect(run([])).toBe(50)
    const named0 = [...text(4, '__name__'), ...field(5, [...field(1, [0, 0]), ...sample2(1, T)])]
    expect(() => sluice.run(message(named0), 0, 'remotewrite2')).toThrow(RequestError)
  })

  test('is one of 2.0 under a content type that says 1.0', () => {
    const symbols = new Symbols()
    const body = request(symbols, [[...symbols.labels(up), ...sample2(1, T)]])
    expect(() => both().run(body)).toThrow(/2\.0 message under a content type that says 1\.0/)
    expect(() => both().run(message(field(5, [])))).toThrow(/2\.0 message/)
  })

  test('has more symbols than are taken', () => {
    const many = (n: number) => new Uint8Array(2 * n).fill(0).map((_, i) => (i % 2 ? 0 : 0x22))
    expect(both().run(many(131_072), 0, 'remotewrite2').raw).toEqual([[], []])
    expect(() => both().run(many(131_073), 0, 'remotewrite2')).toThrow(/more symbols/)
  })

  test('names few large labels very often', () => {
    const symbols = new Symbols()
    const sluice = both({ sluice: 'limits: {labels: 100, label_value: 60000B}' })
    const long = Array.from({ length: 60 }, (_, i) => [`l${i}`, 'v'.repeat(50_000 + i)] as const)
    const fields = Array.from({ length: 2000 }, (_, i) => [
      ...symbols.labels([...named(`m${i}`), ...long]),
      ...sample2(1, T),
    ])
    const before = performance.now()
    expect(() => sluice.run(request(symbols, fields), 0, 'remotewrite2')).toThrow(
      /many times as long/,
    )
    expect(performance.now() - before).toBeLessThan(5000)
  })
})

describe('a series that is rejected leaves the others', () => {
  const bad: [string, (s: Symbols) => Bytes, string][] = [
    ['without a name', (s) => [...s.labels([up[1]]), ...sample2(1, T)], 'no_name'],
    [
      'with an empty name',
      (s) => [...s.labels([['__name__', ''], up[1]]), ...sample2(1, T)],
      'no_name',
    ],
    ['without labels', () => sample2(1, T), 'no_name'],
    [
      'with a label twice',
      (s) => [...s.labels([...up, ['job', 'b']]), ...sample2(1, T)],
      'duplicate_label',
    ],
    [
      'with a label without a name',
      (s) => [...s.labels([...up, ['', 'b']]), ...sample2(1, T)],
      'empty_label_name',
    ],
    ['in the future', (s) => [...s.labels(up), ...sample2(1, NOW + 1e9)], 'future'],
    [
      'with more labels than there may be',
      (s) => [
        ...s.labels(Array.from({ length: 200 }, (_, i) => [`l${i}`, 'v'] as const)),
        ...sample2(1, T),
      ],
      'too_many_labels',
    ],
  ]
  test.each(bad)('%s', (_, make, code) => {
    const sluice = both()
    for (let round = 0; round < 2; round++) {
      const { one, two, outcome } = send(
        (s) => [
          [...s.labels(named('a')), ...sample2(1, T)],
          make(s),
          [...s.labels(named('z')), ...sample2(2, T)],
        ],
        sluice,
      )
      expect(one).toEqual(['a 1@0', 'z 2@0'])
      expect(two).toEqual(['a 1@0', 'z 2@0'])
      expect(outcome.batch.rejected).toMatchObject([{ code, counts: { samples: 1 } }])
      expect(outcome.batch.refusals).toHaveLength(1)
      expect(outcome.batch.received.samples).toBe(3)
    }
  })

  test('with a histogram whose buckets do not make its count, the sample beside it kept', () => {
    const wrong = asHistogram2(field(4, [...number(1, 5), ...double(3, 1), ...number(15, T)]))
    const { one, outcome } = send((s) => [[...s.labels(up), ...wrong, ...sample2(1, T)]])
    expect(one).toEqual(['up,job=api 1@0'])
    expect(outcome.batch.rejected).toMatchObject([
      { code: 'invalid_histogram', counts: { histograms: 1 } },
    ])
  })

  test('of a schema that is reserved, unless it can be reduced', () => {
    const of = (schema: number) => (s: Symbols) => [
      [...s.labels(up), ...asHistogram2(field(4, [...number(4, schema * 2), ...number(15, T)]))],
    ]
    expect(send(of(9)).two).toEqual(['up,job=api h0@0'])
    expect(send(of(9)).one).toEqual(['up,job=api h0@0'])
    expect(send(of(53)).outcome.batch.rejected).toHaveLength(1)
    const v1 = both().run(
      message(series(label('__name__', 'h'), field(4, [...number(4, 106), ...number(15, T)]))),
    )
    expect(v1.batch.rejected).toHaveLength(1)
  })
})

describe('text that is not UTF-8', () => {
  const bad = [0xff, 0xfe]
  const badSymbol = (symbols: Symbols, fields: Bytes) => {
    // The symbol behind the last one.
    const body = request(symbols, [fields])
    const count = symbols.fields().length
    return message([...body.subarray(0, count)], field(4, bad), [...body.subarray(count)])
  }

  test('in an exemplar rejects it, in metadata is left out, in both versions', () => {
    const symbols = new Symbols()
    const labels = symbols.labels(up)
    const a = symbols.ref('a')
    const last = a + 1
    const fields = [
      ...labels,
      ...sample2(1, T),
      ...field(4, [...field(1, [a, last]), ...number(3, T)]),
      ...field(5, [...number(1, 1), ...number(3, last)]),
    ]
    const first = results(both().run(badSymbol(symbols, fields), 0, 'remotewrite2'))
    expect(first.two).toEqual(['# 1 /', 'up,job=api 1@0'])
    expect(first.one).toEqual(['up,job=api 1@0', '# up 1 /'])
    expect(first.outcome.batch.rejected).toMatchObject([
      { code: 'invalid_utf8', counts: { exemplars: 1 } },
    ])
    const second = results(
      both().run(
        message(
          series(
            label('__name__', 'up'),
            sample(1, T),
            field(3, [...field(1, [...text(1, 'a'), ...field(2, bad)]), ...number(3, T)]),
          ),
        ),
      ),
    )
    expect(second.two).toEqual(['up 1@0'])
    expect(second.outcome.batch.rejected).toMatchObject([{ counts: { exemplars: 1 } }])
  })

  test('in a label rejects the series', () => {
    const symbols = new Symbols()
    symbols.ref('__name__')
    const fields = [...field(1, [1, 2]), ...sample2(1, T)]
    const { outcome } = results(both().run(badSymbol(symbols, fields), 0, 'remotewrite2'))
    expect(outcome.batch.rejected).toMatchObject([{ code: 'invalid_utf8' }])
  })
})

describe('metadata', () => {
  const about =
    (name: string, type: number, help = '', unit = '') =>
    (s: Symbols) => [...s.labels(named(name)), ...sample2(1, T), ...s.metadata(type, help, unit)]

  test('of series goes to 2.0 as it came and to 1.0 by family, once', () => {
    const { one, two, outcome } = send((s) => [
      about('a_total', 1, 'A.', 's')(s),
      about('h_bucket', 3, 'H.')(s),
      about('h_count', 3, 'H.')(s),
      about('h_sum', 3, 'H.')(s),
      about('s_sum', 5, 'S.')(s),
      about('g_count', 2, 'G.')(s),
      about('n', 0)(s),
      [
        ...s.labels([...named('a_total'), ['x', 'y']]),
        ...sample2(1, T),
        ...s.metadata(1, 'A.', 's'),
      ],
    ])
    expect(two).toEqual([
      '# 1 A./s',
      'a_total 1@0',
      '# 3 H./',
      'h_bucket 1@0',
      '# 3 H./',
      'h_count 1@0',
      '# 3 H./',
      'h_sum 1@0',
      '# 5 S./',
      's_sum 1@0',
      '# 2 G./',
      'g_count 1@0',
      'n 1@0',
      '# 1 A./s',
      'a_total,x=y 1@0',
    ])
    expect(one.filter((line) => line.startsWith('#'))).toEqual([
      '# a_total 1 A./s',
      '# h 3 H./',
      '# s 5 S./',
      '# g_count 2 G./',
    ])
    expect(outcome.batch.received.metadata).toBe(4)
  })

  test('of a series without points is taken', () => {
    const { one, two, outcome } = send((s) => [[...s.labels(up), ...s.metadata(1, 'Up.')]])
    expect(one).toEqual(['# up 1 Up./'])
    expect(two).toEqual([])
    expect(outcome.batch.rejected).toEqual([])
  })

  test('that came apart, in 1.0, is remembered for 2.0, by tenant', () => {
    const sluice = both()
    const body = (...names: string[]) =>
      message(...names.map((name) => series(label('__name__', name), sample(1, T))))
    const families = message(
      metadata(3, 'h', 'H.'),
      metadata(1, 'c_total', 'C.'),
      metadata(2, 'g', 'G.'),
    )
    sluice.run(families, 1)
    const names = ['c_total', 'g', 'g_sum', 'h_bucket', 'h_sum', 'other']
    expect(results(sluice.run(body(...names), 1)).two.filter((line) => /^#/.test(line))).toEqual([
      '# 1 C./',
      '# 2 G./',
      '# 3 H./',
      '# 3 H./',
    ])
    expect(results(sluice.run(body(...names), 2)).two.filter((line) => /^#/.test(line))).toEqual([])
    sluice.run(message(metadata(1, 'g', 'Anew.')), 1)
    expect(results(sluice.run(body('g'), 1)).two[0]).toBe('# 1 Anew./')
  })

  test('of very many families is forgotten at times, and never wrong', () => {
    const sluice = both()
    let found = 0
    for (let round = 0; round < 30; round++) {
      const fields = Array.from({ length: 400 }, (_, i) =>
        metadata(1 + (i % 2), `m${round}_${i}`, `Help ${round} ${i} ${'.'.repeat(i)}`),
      )
      sluice.run(message(...fields))
      const names = Array.from({ length: 400 }, (_, i) => `m${round}_${i}`)
      const { two } = results(
        sluice.run(message(...names.map((name) => series(label('__name__', name), sample(1, T))))),
      )
      two.forEach((line, at) => {
        if (!line.startsWith('#')) return
        found++
        const [, i] = /^m\d+_(\d+) /.exec(two[at + 1]!)!
        expect(line).toBe(`# ${1 + (Number(i) % 2)} Help ${round} ${i} ${'.'.repeat(Number(i))}/`)
      })
    }
    expect(found).toBeGreaterThan(6000)
  })
})

describe('exemplars on the way to 2.0', () => {
  const chain = (samples: number, exemplars: number) =>
    message(
      series(
        label('__name__', 'm'),
        ...Array.from({ length: samples }, (_, i) => sample(i, T + i)),
        ...Array.from({ length: exemplars }, (_, i) => exemplar({ id: `${i}` }, i, T + i)),
      ),
    )
  const most = (n: number) => both({ b: `queue_config: {max_samples_per_send: ${n}}` })

  test.each([
    // samples, exemplars, points a piece; exemplars that go out
    [2, 5, 1000, 5],
    [3, 3, 2, 3],
    [3, 6, 3, 6],
    [3, 7, 3, 6],
    [1, 7, 3, 2],
    [5, 1, 2, 1],
    [4, 4, 1, 0],
  ])('%i samples and %i exemplars in pieces of %i', (samples, exemplars, n, kept) => {
    const { two, outcome } = results(most(n).run(chain(samples, exemplars)))
    expect(two.filter((line) => / x/.test(line))).toHaveLength(kept)
    expect(two.filter((line) => !/ x/.test(line))).toHaveLength(samples)
    const cargo = outcome.batch.cargos.find(({ stream }) => stream.message === 2)!
    expect(cargo.unwanted.exemplars).toBe(exemplars - kept)
    for (const { counts } of cargo.pieces) {
      expect(counts.samples).toBeGreaterThan(0)
      expect(counts.samples + counts.exemplars).toBeLessThanOrEqual(n)
    }
  })

  test('wait for a piece with room when the one point to carry them is met', () => {
    const body = message(
      series(label('__name__', 'a'), sample(1, T), sample(2, T + 1)),
      series(label('__name__', 'b'), sample(1, T), exemplar({ id: 'x' }, 1, T)),
    )
    const { two } = results(most(3).run(body))
    expect(two).toEqual(['a 1@0', 'a 2@1', 'b 1@0', 'b x1@0 id=x'])
  })
})
