import { describe, expect, test } from 'vitest'
import type { OtlpConfig, TranslationStrategy } from '../../src/config/types.ts'
import { LabelPair } from '../../src/relabel/label-pair.ts'
import { createTranslator } from '../../src/translate/translator.ts'
import {
  REASON_ATTRIBUTE_NAME,
  REASON_DUPLICATE_LABEL,
  REASON_METRIC_NAME,
  REASON_UTF8,
} from '../../src/wire/layout.ts'
import { type Bytes, field, text } from '../batch/message.ts'
import golden from '../golden/otlp-points.json' with { type: 'json' }
import { keyValue, otlp, type Value } from './otlp-config.ts'

type Attributes = readonly (readonly [key: string, value: Value] | Bytes)[]

function messages(attributes: Attributes): Bytes[] {
  return attributes.map((a) =>
    typeof a[0] === 'string' ? keyValue(a[0], a[1] as Value) : (a as Bytes),
  )
}

interface Point {
  readonly config?: Partial<OtlpConfig>
  readonly resource?: Attributes
  readonly scope?: Bytes
  readonly schemaUrl?: string
  readonly attributes?: Attributes
}

/** Everything about one point: its labels as an object, or the REASON_ why it is refused. */
function translate(point: Point) {
  const translator = createTranslator(otlp(point.config))
  const bytes = (fields: Bytes) => Uint8Array.from(fields)
  const resource = translator.resource(
    bytes(messages(point.resource ?? []).flatMap((message) => field(1, message))),
  )
  const scope = point.scope && translator.scope(bytes(point.scope), point.schemaUrl ?? '')
  const attributes = messages(point.attributes ?? []).map((message) =>
    translator.attribute(bytes(message)),
  )
  const into: LabelPair[] = [new LabelPair('left', 'over')]
  const problem = translator.labels(resource, scope, attributes, into)
  return { translator, resource, attributes, into, result: problem || object(into) }
}

/** Each name once, or it throws. */
function object(pairs: readonly LabelPair[]): Record<string, string> {
  expect(new Set(pairs.map(({ name }) => name)).size).toBe(pairs.length)
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]))
}

const labels = (point: Point) => translate(point).result

const BAD: Bytes = [...text(1, 'bad'), ...field(2, field(1, [0xff]))]
const VERBATIM = { translationStrategy: 'NoUTF8EscapingWithSuffixes' } as const

describe('attributes', () => {
  test('become labels', () => {
    const attributes: Attributes = [
      ['http.method', 'GET'],
      ['code', 200n],
    ]
    expect(labels({ attributes })).toEqual({ http_method: 'GET', code: '200' })
    expect(labels({ attributes, config: VERBATIM })).toEqual({ 'http.method': 'GET', code: '200' })
  })

  test('lend their labels as they are, so that ids survive', () => {
    const { attributes, into } = translate({
      attributes: [
        ['b.c', 'x'],
        ['a', 'y'],
      ],
    })
    expect(into.map((pair) => attributes.some((attribute) => attribute.pair === pair))).toEqual([
      true,
      true,
    ])
  })

  test('without values make no labels', () => {
    const attributes: Attributes = [['a', ''], ['b', null], text(1, 'c'), ['d', 'x']]
    expect(labels({ attributes })).toEqual({ d: 'x' })
  })

  test('named __name__ make no label, even when only after escaping', () => {
    const attributes: Attributes = [
      ['__name__', 'evil'],
      ['..name__', 'evil'],
      ['a', 'x'],
    ]
    expect(labels({ attributes })).toEqual({ a: 'x' })
  })

  test('refuse the point when they can not be labels', () => {
    const good: Attributes = [['a', 'x']]
    expect(labels({ attributes: [...good, ['___', 'x']] })).toBe(REASON_ATTRIBUTE_NAME)
    expect(labels({ attributes: [...good, BAD] })).toBe(REASON_UTF8)
  })

  test.each<[string, Attributes, Record<string, string>]>([
    [
      'in the order of keys',
      [
        ['a_b', '2'],
        ['a.b', '1'],
      ],
      { a_b: '1;2' },
    ],
    [
      'of keys by bytes',
      [
        ['a\u{10000}', '2'],
        ['a\uff5e', '1'],
      ],
      { a_: '1;2' },
    ],
    [
      'three of them',
      [
        ['a_b', '3'],
        ['a.b', '2'],
        ['a b', '1'],
      ],
      { a_b: '1;2;3' },
    ],
    [
      'equal ones too',
      [
        ['a.b', 'x'],
        ['a_b', 'x'],
      ],
      { a_b: 'x;x' },
    ],
    [
      'not to an empty first one',
      [
        ['a.b', ''],
        ['a_b', 'x'],
      ],
      { a_b: 'x' },
    ],
    [
      'with an empty second one',
      [
        ['a.b', 'x'],
        ['a_b', ''],
      ],
      { a_b: 'x;' },
    ],
    [
      'not when all are empty',
      [
        ['a.b', ''],
        ['a_b', ''],
      ],
      {},
    ],
    [
      'of a repeated key',
      [
        ['a', 'y'],
        ['a', 'x'],
      ],
      { a: 'y;x' },
    ],
    [
      'of a repeated key without a value',
      [
        ['a', 'y'],
        ['a', ''],
      ],
      { a: 'y;' },
    ],
    [
      'beside others',
      [
        ['z', '1'],
        ['a_b', '2'],
        ['m', '3'],
        ['a.b', '4'],
        ['e', ''],
      ],
      { z: '1', a_b: '4;2', m: '3' },
    ],
  ])('with equal names are joined, %s', (_, attributes, expected) => {
    const { result, translator } = translate({ attributes })
    expect(result).toEqual(expected)
    const joined = Object.values(expected).some((value) => value.includes(';'))
    expect(translator.joined).toBe(joined ? 1 : 0)
  })

  test.each<[string, Attributes, Record<string, string>]>([
    [
      'once when equal',
      [
        ['a.b', 'x'],
        ['a_b', 'x'],
      ],
      { a_b: 'x' },
    ],
    [
      'both when not',
      [
        ['a.b', 'x'],
        ['a_b', 'y'],
      ],
      { a_b: 'x;y' },
    ],
    [
      'as the collector compares: with all that is there',
      [
        ['a b', 'x'],
        ['a.b', 'y'],
        ['a_b', 'x'],
      ],
      { a_b: 'x;y;x' },
    ],
  ])(
    'with equal names, when equal values are not repeated, are joined %s',
    (_, attributes, expected) => {
      expect(labels({ attributes, config: { dedupeJoinedValues: true } })).toEqual(expected)
    },
  )

  test('with equal names stay apart where nothing is escaped, and repeated keys are refused', () => {
    const attributes: Attributes = [
      ['a.b', '1'],
      ['a_b', '2'],
    ]
    const config = VERBATIM
    expect(labels({ attributes, config })).toEqual({ 'a.b': '1', a_b: '2' })
    expect(labels({ attributes: [...attributes, ['a.b', '1']], config })).toBe(
      REASON_DUPLICATE_LABEL,
    )
    expect(labels({ attributes: [...attributes, ['a.b', '']], config })).toEqual({
      'a.b': '1',
      a_b: '2',
    })
  })

  test('by the thousand take no time, also when names are equal', () => {
    const many = 20_000
    const distinct = Array.from({ length: many }, (_, i): [string, string] => [`k${i}`, 'v'])
    const equal = Array.from({ length: many }, (_, i): [string, string] => [
      `k${String.fromCharCode(0x4e00 + i)}`,
      'v',
    ])
    const emptied = distinct.flatMap(([key]): [string, string][] => [
      [key, 'v'],
      [key, ''],
    ])
    const begun = performance.now()
    expect(Object.keys(labels({ attributes: distinct })).length).toBe(many)
    expect(labels({ attributes: equal })).toEqual({ k_: Array(many).fill('v').join(';') })
    const config = { promoteAllResourceAttributes: true, targetInfo: false }
    expect(labels({ resource: emptied, config })).toEqual({})
    expect(performance.now() - begun).toBeLessThan(3000)
  })
})

describe('of a resource', () => {
  test.each<[string, Attributes, Record<string, string>]>([
    ['name', [['service.name', 'api']], { job: 'api' }],
    [
      'name and namespace',
      [
        ['service.name', 'api'],
        ['service.namespace', 'shop'],
      ],
      { job: 'shop/api' },
    ],
    [
      'an empty namespace',
      [
        ['service.name', 'api'],
        ['service.namespace', ''],
      ],
      { job: '/api' },
    ],
    [
      'an empty name',
      [
        ['service.name', ''],
        ['service.namespace', 'shop'],
      ],
      { job: 'shop/' },
    ],
    ['an empty name alone', [['service.name', '']], {}],
    ['a namespace alone', [['service.namespace', 'shop']], {}],
    ['instance', [['service.instance.id', 7n]], { instance: '7' }],
    ['an empty instance', [['service.instance.id', '']], {}],
    [
      'the first of two names',
      [
        ['service.name', 'a'],
        ['service.name', 'b'],
      ],
      { job: 'a' },
    ],
    ['nothing', [], {}],
  ])('%s: job and instance', (_, resource, expected) => {
    expect(labels({ resource })).toEqual(expected)
  })

  test('job and instance replace attributes of these names', () => {
    const attributes: Attributes = [
      ['job', 'mine'],
      ['instance', 'mine'],
    ]
    expect(labels({ resource: [['service.name', 'api']], attributes })).toEqual({
      job: 'api',
      instance: 'mine',
    })
  })

  const resource: Attributes = [
    ['service.name', 'api'],
    ['host.name', 'h1'],
    ['cloud.region', 'eu'],
    ['__name__', 'evil'],
  ]

  test('only listed attributes are promoted', () => {
    const config = { promoteResourceAttributes: ['host.name', 'absent', '__name__'] }
    expect(labels({ config, resource })).toEqual({ job: 'api', host_name: 'h1' })
    expect(labels({ config: { ...config, ...VERBATIM }, resource })).toEqual({
      job: 'api',
      'host.name': 'h1',
    })
  })

  test('all are promoted but those to ignore', () => {
    const config = { promoteAllResourceAttributes: true, ignoreResourceAttributes: ['host.name'] }
    expect(labels({ config, resource })).toEqual({
      job: 'api',
      service_name: 'api',
      cloud_region: 'eu',
    })
  })

  test('promoted ones fill gaps only, job and instance win over them', () => {
    const config = { promoteAllResourceAttributes: true }
    const attributes: Attributes = [
      ['host_name', 'mine'],
      ['cloud.region', ''],
    ]
    const all: Attributes = [...resource, ['job', 'other'], ['instance', 'i']]
    expect(labels({ config, resource: all, attributes })).toEqual({
      host_name: 'mine',
      cloud_region: 'eu',
      service_name: 'api',
      job: 'api',
      instance: 'i',
    })
  })

  test('promoted ones with equal names: the last counts, and none when that is empty', () => {
    const config = { promoteAllResourceAttributes: true }
    const of = (last: string): Attributes => [
      ['a.b', 'x'],
      ['a_b', last],
    ]
    expect(labels({ config, resource: of('y') })).toEqual({ a_b: 'y' })
    expect(labels({ config, resource: of('') })).toEqual({})
  })

  test('bad names and bad text refuse its points only where they are to be labels', () => {
    const odd: Attributes = [['___', 'x']]
    const all = { promoteAllResourceAttributes: true }
    expect(labels({ resource: odd })).toEqual({})
    expect(labels({ resource: odd, config: all })).toBe(REASON_ATTRIBUTE_NAME)
    expect(labels({ resource: odd, config: { ...all, ...VERBATIM } })).toBe(REASON_ATTRIBUTE_NAME)
    expect(labels({ resource: [BAD] })).toEqual({})
    expect(labels({ resource: [BAD], config: all })).toBe(REASON_UTF8)
    const ignored = { ...all, ignoreResourceAttributes: ['bad', '___'] }
    expect(labels({ resource: [BAD, ...odd], config: ignored })).toEqual({})
    const name: Bytes = [...text(1, 'service.name'), ...field(2, field(1, [0xff]))]
    expect(labels({ resource: [name] })).toBe(REASON_UTF8)
  })
})

describe('target_info', () => {
  const identity: Attributes = [
    ['service.name', 'api'],
    ['service.instance.id', 'i1'],
  ]
  const target = (resource: Attributes, config: Partial<OtlpConfig> = {}) => {
    const read = translate({ resource, config }).resource
    return read.targetInfoProblem || (read.targetInfo && object(read.targetInfo))
  }
  const own = { __name__: 'target_info', job: 'api', instance: 'i1' }

  test('has all attributes but those that identify', () => {
    const resource: Attributes = [...identity, ['host.name', 'h'], ['empty', '']]
    expect(target(resource)).toEqual({ ...own, host_name: 'h' })
    expect(target(resource, VERBATIM)).toEqual({ ...own, 'host.name': 'h' })
  })

  test('has these too when they are to be kept', () => {
    const config = { keepIdentifyingResourceAttributes: true }
    const expected = { ...own, host_name: 'h', service_name: 'api', service_instance_id: 'i1' }
    expect(target([...identity, ['host.name', 'h']], config)).toEqual(expected)
  })

  test('has no promoted labels beside its own, and job and instance win', () => {
    const config = { promoteResourceAttributes: ['host.name'] }
    const resource: Attributes = [...identity, ['host.name', 'h'], ['job', 'x'], ['__name__', 'x']]
    expect(target(resource, config)).toEqual({ ...own, host_name: 'h' })
  })

  test('joins values of equal names', () => {
    const resource: Attributes = [...identity, ['a_b', '2'], ['a.b', '1']]
    expect(target(resource)).toEqual({ ...own, a_b: '1;2' })
    const repeated: Attributes = [...identity, ['a', '2'], ['a', '1']]
    expect(target(repeated, VERBATIM)).toBe(REASON_DUPLICATE_LABEL)
  })

  test.each<[string, Attributes, Partial<OtlpConfig>]>([
    ['it is off', [...identity, ['a', 'x']], { targetInfo: false }],
    ['there are only attributes that identify', [...identity, ['service.namespace', 'n']], {}],
    ['also when they are kept', identity, { keepIdentifyingResourceAttributes: true }],
    [
      'neither job nor instance is known',
      [
        ['a', 'x'],
        ['service.namespace', 'n'],
        ['___', 'x'],
      ],
      {},
    ],
    ['the resource is empty', [], {}],
    ['its points are refused', [...identity, ['___', 'x']], { promoteAllResourceAttributes: true }],
  ])('is not due when %s', (_, resource, config) => {
    expect(target(resource, config)).toBe(undefined)
  })

  test('is due when an attribute says the job', () => {
    expect(target([['job', 'x']])).toEqual({ __name__: 'target_info', job: 'x' })
  })

  test('has a problem of its own: the points are not refused', () => {
    for (const [bad, problem] of [
      [['___', 'x'], REASON_ATTRIBUTE_NAME],
      [BAD, REASON_UTF8],
    ] as const) {
      const resource: Attributes = [...identity, bad]
      expect(target(resource)).toBe(problem)
      expect(labels({ resource })).toEqual({ job: 'api', instance: 'i1' })
    }
  })
})

describe('a scope', () => {
  const config = { promoteScopeMetadata: true }
  const scope: Bytes = [
    ...text(1, 'lib'),
    ...text(2, '1.2'),
    ...field(3, keyValue('a.b', 'x')),
    ...field(3, keyValue('version', 'evil')),
  ]

  test('gives labels that replace others', () => {
    const attributes: Attributes = [
      ['otel_scope_name', 'mine'],
      ['otel.scope.a.b', 'mine'],
      ['c', 'y'],
    ]
    const expected = {
      c: 'y',
      otel_scope_name: 'lib',
      otel_scope_version: '1.2',
      otel_scope_schema_url: 'http://s',
      otel_scope_a_b: 'x',
    }
    expect(labels({ config, scope, schemaUrl: 'http://s', attributes })).toEqual(expected)
    const { otel_scope_a_b, ...rest } = expected
    expect(labels({ config: { ...config, ...VERBATIM }, scope, schemaUrl: 'http://s' })).toEqual({
      ...rest,
      c: undefined,
      'otel_scope_a.b': otel_scope_a_b,
    })
  })

  test('without a version or a schema has no such labels, nor have its points', () => {
    const attributes: Attributes = [
      ['otel_scope_version', 'mine'],
      ['otel_scope_schema_url', 'mine'],
    ]
    const bare = [...text(1, 'lib'), ...field(3, keyValue('version', 'evil'))]
    expect(labels({ config, scope: bare, attributes })).toEqual({ otel_scope_name: 'lib' })
  })

  test('with attributes of equal names: the last counts', () => {
    const of = (last: string) => [
      ...text(1, 'lib'),
      ...field(3, keyValue('a.b', 'x')),
      ...field(3, keyValue('a_b', last)),
    ]
    expect(labels({ config, scope: of('y') })).toEqual({
      otel_scope_name: 'lib',
      otel_scope_a_b: 'y',
    })
    expect(labels({ config, scope: of('') })).toEqual({ otel_scope_name: 'lib' })
  })

  test('without a name gives nothing', () => {
    const attributes: Attributes = [['otel_scope_version', 'mine']]
    const nameless = [...text(2, '1.2'), ...field(3, BAD)]
    expect(labels({ config, scope: nameless, schemaUrl: 'x', attributes })).toEqual({
      otel_scope_version: 'mine',
    })
    expect(labels({ config, scope: [], attributes })).toEqual({ otel_scope_version: 'mine' })
  })

  test('with text that is no UTF-8 refuses its points', () => {
    expect(labels({ config, scope: field(1, [0xff]) })).toBe(REASON_UTF8)
    expect(labels({ config, scope: [...text(1, 'lib'), ...field(3, BAD)] })).toBe(REASON_UTF8)
    const translator = createTranslator(otlp(config))
    const lib = Uint8Array.from(text(1, 'lib'))
    expect(translator.scope(lib, Uint8Array.of(0xff)).problem).toBe(REASON_UTF8)
    expect(translator.scope(lib, Uint8Array.of(0x61)).problem).toBe(0)
    expect(translator.scope(new Uint8Array(), Uint8Array.of(0xff)).problem).toBe(0)
  })
})

describe('a metric', () => {
  const translator = createTranslator(otlp())

  test('has a name, a type, a unit, and the same label each time', () => {
    const metric = translator.metric('http.server.duration', 's', 'histogram')
    expect(metric).toMatchObject({
      name: 'http_server_duration_seconds',
      problem: 0,
      type: 3,
      unit: 'seconds',
    })
    const bucket = metric.pair('_bucket')
    expect(bucket).toEqual(new LabelPair('__name__', 'http_server_duration_seconds_bucket'))
    expect(metric.pair('_bucket')).toBe(bucket)
    expect(metric.pair('').value).toBe('http_server_duration_seconds')
    expect(metric.pair('_sum').value).toBe('http_server_duration_seconds_sum')
    expect(metric.pair('_count').value).toBe('http_server_duration_seconds_count')
  })

  test.each([
    ['counter', 1],
    ['gauge', 2],
    ['up-down-counter', 2],
    ['histogram', 3],
    ['exponential-histogram', 3],
    ['summary', 5],
  ] as const)('that is a %s has type %i', (kind, type) => {
    expect(translator.metric('a', '', kind).type).toBe(type)
  })

  test.each<[TranslationStrategy, string]>([
    ['UnderscoreEscapingWithSuffixes', 'a_b_bytes_per_second_total'],
    ['UnderscoreEscapingWithoutSuffixes', 'a_b'],
    ['NoUTF8EscapingWithSuffixes', 'a.b_bytes_per_second_total'],
    ['NoTranslation', 'a.b'],
  ])('is named by %s; the unit of its metadata is not', (translationStrategy, name) => {
    const metric = createTranslator(otlp({ translationStrategy })).metric('a.b', 'By/s', 'counter')
    expect(metric).toMatchObject({ name, unit: 'bytes_per_second' })
    expect(metric.pair('_count').value).toBe(`${name}_count`)
  })

  test('reads bytes', () => {
    const metric = translator.metric(Buffer.from('é.a'), Buffer.from('s'), 'gauge')
    expect(metric).toMatchObject({ name: 'a_seconds', problem: 0 })
  })

  test('has a problem when nothing is left of its name', () => {
    const problem = { name: '', problem: REASON_METRIC_NAME }
    expect(translator.metric('日本', '', 'gauge')).toMatchObject(problem)
    expect(translator.metric('', '', 'gauge')).toMatchObject(problem)
    const verbatim = createTranslator(otlp({ translationStrategy: 'NoTranslation' }))
    expect(verbatim.metric('', '', 'histogram')).toMatchObject(problem)
  })

  test('has a problem when its name is no UTF-8, or its unit where that becomes part of the name', () => {
    const bad = Uint8Array.of(0x61, 0xff)
    expect(translator.metric(bad, '', 'gauge')).toMatchObject({ name: '', problem: REASON_UTF8 })
    expect(translator.metric('a', bad, 'gauge')).toMatchObject({ name: 'a_a_', problem: 0 })
    expect(createTranslator(otlp(VERBATIM)).metric('a', bad, 'gauge').problem).toBe(REASON_UTF8)
    const untouched = createTranslator(otlp({ translationStrategy: 'NoTranslation' }))
    expect(untouched.metric('a', bad, 'gauge').problem).toBe(0)
  })
})

test('no message is needed: all fields may be absent, and unknown ones may be there', () => {
  const translator = createTranslator(otlp({ promoteScopeMetadata: true }))
  const unknown = Uint8Array.from([...text(2, 'x'), ...field(99, [1]), 0x4b, 0x4c])
  for (const bytes of [new Uint8Array(), unknown]) {
    const into: LabelPair[] = []
    const resource = translator.resource(bytes)
    expect(translator.labels(resource, translator.scope(bytes, ''), [], into)).toBe(0)
    expect(into).toEqual([])
  }
})

describe('points recorded from Prometheus', () => {
  const TYPES: Readonly<Record<string, number>> = { counter: 1, gauge: 2, histogram: 3, summary: 5 }
  const decode = (base64: string) => Uint8Array.from(Buffer.from(base64, 'base64'))

  test.each(golden.points.map((point, i) => [i, point.name, point] as const))(
    '%i: %j',
    (_, name, point) => {
      const translator = createTranslator(otlp(point.config as Partial<OtlpConfig>))
      const { promoteScopeMetadata } = point.config
      const resource = translator.resource(decode(point.resource))
      const scope = promoteScopeMetadata
        ? translator.scope(decode(point.scope), point.url)
        : undefined
      const attributes = point.attributes.map((bytes) => translator.attribute(decode(bytes)))
      const kind = point.kind as Parameters<typeof translator.metric>[2]
      const metric = translator.metric(name, point.unit, kind)
      const into: LabelPair[] = []
      const problem = metric.problem || translator.labels(resource, scope, attributes, into)
      expect(problem === 0).toBe(point.series !== undefined)
      if (point.series !== undefined) {
        const suffix = kind === 'histogram' || kind === 'summary' ? '_count' : ''
        const { family, metadata } = point
        expect(object([...into, metric.pair(suffix)])).toEqual(Object.fromEntries(point.series))
        expect([metric.name, metric.type, metric.unit]).toEqual([
          family,
          TYPES[metadata![0]!],
          metadata![1],
        ])
      }
      // Prometheus makes it before it looks at the points.
      if (resource.problem === 0) {
        const target = resource.targetInfo && object(resource.targetInfo)
        expect(target).toEqual(point.targetInfo && Object.fromEntries(point.targetInfo))
      }
    },
  )
})
