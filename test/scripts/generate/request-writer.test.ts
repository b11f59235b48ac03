// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import { compress } from 'snappyjs'
import { describe, expect, test } from 'vitest'
import { encodingsOf } from '../../../scripts/generate/encode-body.ts'
import { expected } from '../../../scripts/generate/expected.ts'
import { type PresetName, presets } from '../../../scripts/generate/presets.ts'
import {
  type Encoding,
  LARGEST_VALUE,
  type Protocol,
  requestWriter,
} from '../../../scripts/generate/request-writer.ts'
import { type SeriesSet, seriesSet, shapeOf } from '../../../scripts/generate/series-set.ts'
import { seriesShape } from '../../../scripts/generate/series-shape.ts'
import { seeded } from '../../../scripts/seeded.ts'
import { decoded, decompressed, rewritten } from './decoded.ts'

const PROTOCOLS = ['remotewrite1', 'remotewrite2', 'otlp', 'otlp-json'] as const
const ENCODINGS = ['snappy', 'zstd', 'gzip', 'none'] as const
const NOW = 1_764_550_000_123

/** Of which the message is looked at, not how it is compressed. */
const encodingFor = (protocol: Protocol): Encoding =>
  protocol.startsWith('otlp') ? 'none' : 'snappy'

interface Batch {
  readonly first: number
  readonly count: number
  readonly timestamp: number
  readonly value: number
  readonly round: number
}

/** Writes batches one after the other and compares what protobuf-es reads with what is expected of each. */
function check(
  protocol: Protocol,
  series: SeriesSet,
  batches: readonly Batch[],
  extraLabels: Record<string, string> = {},
): void {
  const encoding = encodingFor(protocol)
  const writer = requestWriter({ protocol, encoding, series, extraLabels })
  const of = expected(protocol, series, extraLabels)
  for (const { first, count, timestamp, value, round } of batches) {
    const { body, rawBytes } = writer.write(first, count, timestamp, value, round)
    const message = decompressed(encoding, body)
    expect(message.length).toBe(rawBytes)
    const samples = decoded(protocol, message)
    expect(samples.length).toBe(count)
    samples.forEach((sample, i) => {
      const { labels, read, kind } = of.series(first + i, round)
      expect(sample).toMatchObject({ read, value, timestamp: BigInt(timestamp) })
      expect(sample.labels).toEqual([...labels])
      if (protocol !== 'remotewrite1') expect(sample.type).toBe(kind)
    })
  }
}

describe('what protobuf-es reads is what is expected', () => {
  const batches: Batch[] = [
    { first: 0, count: 700, timestamp: NOW, value: 1, round: 0 },
    { first: 700, count: 300, timestamp: NOW + 1, value: 2, round: 1 },
    { first: 0, count: 700, timestamp: NOW + 15_000, value: 1_000, round: 7 },
    { first: 999_999_990, count: 60, timestamp: NOW, value: 0, round: 40 },
  ]
  for (const name of Object.keys(presets) as PresetName[]) {
    const small = name === 'wide' || name === 'long-values'
    const some = small ? batches.map((batch) => ({ ...batch, count: 60 })) : batches
    test.each(PROTOCOLS)(`${name} in %s`, (protocol) => {
      check(protocol, presets[name].series(), some, { generate_run: 'f00d' })
    })
  }
})

test.each(PROTOCOLS)('random templates, batches and values in %s', (protocol) => {
  const random = seeded(6)
  const below = (most: number) => Math.floor(random() * most)
  const literals = ['', 'x', '"\\\n\u0001', 'ключ', '🦥', '$', '{', '}', 'a'.repeat(130)]
  const literal = () => literals[below(literals.length)]!
  const expression = () =>
    ['${series_id}', `\${series_id/${1 + below(99)}}`, `\${series_id%${1 + below(999)}}`][below(3)]!
  const template = () =>
    literal() + expression() + (below(2) === 0 ? literal() + expression() : '') + literal()
  for (let i = 0; i < 40; i++) {
    const labels: Record<string, string> = { __name__: `m${below(9)}_\${series_id%3}_total` }
    for (let j = below(12); j > 0; j--) labels[`${'aZq'[below(3)]}${below(50)}`] = template()
    if (below(2) === 0) labels.job = template()
    if (below(2) === 0) labels.instance = `i-\${series_id/${1 + below(20)}}`
    const kind = (['gauge', 'counter', 'histogram'] as const)[below(3)]!
    const help = literal()
    if (kind !== 'gauge') labels.__name__ = 'm_${series_id%3}_total'
    const series = { shapes: [seriesShape({ labels, kind, help })] }
    check(
      protocol,
      series,
      Array.from({ length: 3 }, () => ({
        first: below(2 ** (3 + below(45))),
        count: 1 + below(200),
        timestamp: 1 + below(2 ** 42),
        value: below(2 ** (1 + below(51))),
        round: below(100),
      })),
    )
  }
})

test.each(['remotewrite1', 'remotewrite2', 'otlp'] as const)(
  '%s is written as protobuf-es writes it, to the byte',
  (protocol) => {
    for (const name of Object.keys(presets) as PresetName[]) {
      const encoding = encodingFor(protocol)
      const series = presets[name].series()
      const writer = requestWriter({ protocol, encoding, series, startTime: NOW - 60_000 })
      for (const value of [0, 1, 77, LARGEST_VALUE]) {
        const message = decompressed(encoding, writer.write(3, 90, NOW, value, 2).body)
        expect(Buffer.compare(message, rewritten(protocol, message)), name).toBe(0)
      }
    }
  },
)

test('labels are sorted by their bytes', () => {
  const labels = { __name__: 'm', a: '1', B: '2', Zz: '3', z: '4', _x: '5', a_b: '6', aB: '7' }
  const series = seriesSet({ labels })
  for (const protocol of ['remotewrite1', 'remotewrite2'] as const) {
    const writer = requestWriter({ protocol, encoding: 'snappy', series, extraLabels: { M: '8' } })
    const [sample] = decoded(protocol, decompressed('snappy', writer.write(0, 1, NOW, 1, 0).body))
    const names = sample!.labels.map(([name]) => name)
    expect(names).toEqual(['B', 'M', 'Zz', '__name__', '_x', 'a', 'aB', 'a_b', 'z'])
  }
})

test('remote write 2.0 has help and unit of every series', () => {
  const series = presets.node_exporter.series()
  const writer = requestWriter({ protocol: 'remotewrite2', encoding: 'zstd', series })
  const message = decompressed('zstd', writer.write(0, 236, NOW, 1, 0).body)
  decoded('remotewrite2', message).forEach(({ help, unit }, id) => {
    expect({ help, unit }).toEqual({
      help: shapeOf(series, id).help,
      unit: shapeOf(series, id).unit,
    })
    expect(help).not.toBe('')
  })
})

test('a table of symbols grows beyond what it began with and begins anew in each request', () => {
  const labels = { __name__: 'm', a: 'a-${series_id}', b: 'b-${series_id}', c: '${series_id}' }
  check('remotewrite2', seriesSet({ labels }), [
    { first: 0, count: 6_000, timestamp: NOW, value: 1, round: 0 },
    { first: 5_990, count: 20, timestamp: NOW, value: 1, round: 0 },
    { first: 0, count: 1, timestamp: NOW, value: 1, round: 0 },
  ])
})

test('OTLP puts what belongs together under one resource and one metric', () => {
  const series = presets.node_exporter.series()
  const writer = requestWriter({ protocol: 'otlp-json', encoding: 'none', series })
  const shapes = series.shapes.length
  const text = Buffer.from(writer.write(0, 2 * shapes, NOW, 1, 0).body).toString()
  const names = series.shapes.map(({ labels }) => labels.get('__name__')!.text)
  const { resourceMetrics } = JSON.parse(text)
  expect(resourceMetrics.length).toBe(2)
  expect(resourceMetrics[0].scopeMetrics[0].metrics.length).toBe(new Set(names).size)
})

test('OTLP has a metric for each kind, also when their names are the same', () => {
  const kinds = ['gauge', 'counter', 'histogram'] as const
  const shapes = kinds.map((kind) =>
    seriesShape({ labels: { __name__: 'm_total', a: `${kind}\${series_id}` }, kind }),
  )
  for (const protocol of ['otlp', 'otlp-json'] as const) {
    check(protocol, { shapes }, [{ first: 1, count: 9, timestamp: NOW, value: 5, round: 0 }])
  }
})

test('OTLP says since when counters and histograms count, when it is known', () => {
  const labels = { __name__: 'm_total' }
  const kinds = ['counter', 'histogram', 'gauge'] as const
  for (const protocol of ['otlp', 'otlp-json'] as const) {
    for (const kind of kinds) {
      const series = { shapes: [seriesShape({ labels, kind })] }
      const writer = requestWriter({ protocol, encoding: 'none', series, startTime: NOW })
      const { body } = writer.write(0, 1, NOW + 1, 1, 0)
      const nanoseconds = `${NOW}000000`
      const bytes = Buffer.alloc(9, 0x11)
      bytes.writeBigUInt64LE(BigInt(nanoseconds), 1)
      const said = protocol === 'otlp' ? bytes : `"startTimeUnixNano":"${nanoseconds}"`
      expect(Buffer.from(body).includes(said), `${protocol} ${kind}`).toBe(kind !== 'gauge')
    }
  }
})

describe('encodings', () => {
  const series = seriesSet({ labels: { __name__: 'm', a: '${series_id}' } })

  test.each(PROTOCOLS)(
    'of %s: those that are possible come back, the others are refused',
    (protocol) => {
      for (const encoding of ENCODINGS) {
        const make = () => requestWriter({ protocol, encoding, series })
        if (!encodingsOf[protocol].includes(encoding)) {
          expect(make).toThrow(
            protocol.startsWith('otlp')
              ? `${protocol} is not sent with the encoding snappy, but with gzip, zstd or none`
              : `${protocol} is not sent with the encoding ${encoding}, but with snappy or zstd`,
          )
          continue
        }
        const writer = make()
        const { body, rawBytes } = writer.write(0, 500, NOW, 1, 0)
        const message = decompressed(encoding, body)
        expect(message.length).toBe(rawBytes)
        expect(decoded(protocol, message).length).toBe(500)
        expect(writer.headers['content-encoding']).toBe(encoding === 'none' ? undefined : encoding)
        expect(writer.headers['user-agent']).toMatch(/^sluice-generate\/\d/)
      }
    },
  )

  test.each([
    ['remotewrite1', 'application/x-protobuf', '0.1.0'],
    ['remotewrite2', 'application/x-protobuf;proto=io.prometheus.write.v2.Request', '2.0.0'],
    ['otlp', 'application/x-protobuf', undefined],
    ['otlp-json', 'application/json', undefined],
  ] as const)('%s has its content type and version', (protocol, type, version) => {
    const { headers } = requestWriter({ protocol, encoding: 'zstd', series })
    expect(headers['content-type']).toBe(type)
    expect(headers['x-prometheus-remote-write-version']).toBe(version)
  })
})

describe('the memory of a body', () => {
  const series = presets.kubernetes.series()

  test.each(['remotewrite1', 'remotewrite2'] as const)(
    'of %s in snappy is used again, and nothing of longer requests is left in it',
    (protocol) => {
      const writer = requestWriter({ protocol, encoding: 'snappy', series })
      const { buffer } = writer.write(50, 600, NOW, 1, 0).body
      for (const count of [500, 1, 0, 63, 500, 7]) {
        const { body } = writer.write(50, count, NOW, 2, 1)
        expect(body.buffer === buffer, `${count} series`).toBe(true)
        const fresh = requestWriter({ protocol, encoding: 'snappy', series })
        expect(Buffer.compare(body, fresh.write(50, count, NOW, 2, 1).body)).toBe(0)
        expect(decoded(protocol, decompressed('snappy', body)).length).toBe(count)
      }
    },
  )

  test('in snappy grows, and then holds what snappyjs makes of the message', () => {
    const writer = requestWriter({ protocol: 'remotewrite1', encoding: 'snappy', series })
    for (const count of [1, 10, 100, 1_000, 3_000]) {
      const { body } = writer.write(0, count, NOW, 1, 0)
      const plain = compress(decompressed('snappy', body))
      expect(Buffer.compare(body, plain), `${count} series`).toBe(0)
    }
  })

  test.each(PROTOCOLS)("is each writer's own in %s", (protocol) => {
    for (const encoding of encodingsOf[protocol]) {
      const [one, other] = [1, 2].map(() => requestWriter({ protocol, encoding, series }))
      const { body } = one!.write(0, 100, NOW, 1, 0)
      const before = Buffer.from(body)
      other!.write(300, 100, NOW + 1, 2, 0)
      expect(Buffer.compare(body, before), encoding).toBe(0)
    }
  })
})

describe('refused are', () => {
  const series = seriesSet({ labels: { __name__: 'm' } })
  const writer = requestWriter({ protocol: 'remotewrite1', encoding: 'snappy', series })

  test.each([-1, 0.5, Number.NaN, LARGEST_VALUE + 1, Number.POSITIVE_INFINITY])(
    'the value %s',
    (value) => {
      expect(() => writer.write(0, 1, NOW, value, 0)).toThrow(/a value is a whole number from 0/)
    },
  )

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 44])('the time %s', (time) => {
    expect(() => writer.write(0, 1, time, 1, 0)).toThrow(/a time is whole milliseconds/)
  })

  test.each([
    [-3, 1, 0],
    [1.5, 1, 0],
    [0, 2.5, 0],
    [0, -1, 0],
    [0, 1, 0.5],
    [0, 1, -1],
    [Number.MAX_SAFE_INTEGER, 1, 0],
    [0, Number.NaN, 0],
  ])('series from %d on, %d at once, in round %d', (first, count, round) => {
    expect(() => writer.write(first, count, NOW, 1, round)).toThrow(/series and rounds are whole/)
  })

  test.each(['_run', 'a__b'])('the extra label %s with OTLP, where it would be changed', (name) => {
    const options = { encoding: 'none', series, extraLabels: { [name]: 'x' } } as const
    for (const protocol of ['otlp', 'otlp-json'] as const) {
      expect(() => requestWriter({ protocol, ...options })).toThrow(
        `OTLP receivers would change the name of the label ${name}`,
      )
    }
  })

  test.each([
    [{ '1a': 'x' }, '"1a" is no name of a label'],
    [{ a: '' }, 'the label a has an empty value'],
    [{ __name__: 'x' }, 'the series have a label __name__ already'],
  ])('the extra labels %j', (extraLabels, message) => {
    const options = { protocol: 'remotewrite1', encoding: 'snappy', series } as const
    expect(() => requestWriter({ ...options, extraLabels })).toThrow(message)
  })

  test.each([
    ['a:b', 'gauge', 'with :, __ or _ at an end'],
    ['a__b', 'gauge', 'with :, __ or _ at an end'],
    ['a', 'counter', "a counter's ends in _total"],
  ] as const)('the name %s of a %s with OTLP, where it would be changed', (__name__, kind, why) => {
    const changed = seriesSet({ labels: { __name__ }, kind })
    const make = () => requestWriter({ protocol: 'otlp', encoding: 'none', series: changed })
    expect(make).toThrow(why)
  })
})

test('an extra label is text: nothing is filled in', () => {
  check(
    'remotewrite2',
    seriesSet({ labels: { __name__: 'm' } }),
    [{ first: 0, count: 3, timestamp: NOW, value: 1, round: 0 }],
    { run: '${series_id}' },
  )
})
