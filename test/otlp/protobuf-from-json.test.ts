import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { MAX_DROPPED, MAX_TOLD } from '../../src/otlp/protobuf-from-json.ts'
import { ExportMetricsServiceRequestSchema } from '../../src/wire/gen/opentelemetry_pb.js'
import { convert, firstPoint, gauge, metricsOf, read, refusal, withMetrics } from './document.ts'

const GOOD = gauge('{"asInt":"1"}')
const point = (json: string) => firstPoint(withMetrics(gauge(json)))
const histogramPoint = (json: string) =>
  firstPoint(withMetrics(`{"histogram":{"dataPoints":[${json}]}}`))
const exponentialPoint = (json: string) =>
  firstPoint(withMetrics(`{"exponentialHistogram":{"dataPoints":[${json}]}}`))
const attribute = (value: string) =>
  point(`{"attributes":[{"key":"k","value":${value}}]}`).attributes[0].value.value
const exemplar = (json: string) => point(`{"exemplars":[{${json}}]}`).exemplars[0]

/** What is told of a metric with such a point, which has a good metric before and one behind it. */
function rejection(pointJson: string): string {
  const { message, points, rejected } = convert(withMetrics(GOOD, gauge(pointJson), GOOD))
  const metrics = metricsOf(fromBinary(ExportMetricsServiceRequestSchema, message))
  expect(metrics).toHaveLength(2)
  expect(points).toBe(2)
  expect(rejected).toHaveLength(1)
  expect(rejected[0]!.points).toBe(1)
  expect(rejected[0]!.reason).toMatch(/^metric "m": /)
  return rejected[0]!.reason.slice('metric "m": '.length)
}

describe('64-bit integers are exact', () => {
  it.each([
    ['"1544712660300000001"', 1544712660300000001n],
    ['1544712660300000001', 1544712660300000001n],
    ['0', 0n],
    ['"0"', 0n],
    ['-0', 0n],
    ['999999999999999', 999999999999999n],
    ['1000000000000000', 1000000000000000n],
    ['9007199254740993', 9007199254740993n],
    ['"18446744073709551615"', 2n ** 64n - 1n],
    ['18446744073709551615', 2n ** 64n - 1n],
    ['4294967295', 2n ** 32n - 1n],
    ['4294967296', 2n ** 32n],
    ['1.5e9', 1500000000n],
    ['"1.5E+9"', 1500000000n],
    ['1.8446744073709551615e19', 2n ** 64n - 1n],
    ['10.0', 10n],
    ['1000e-3', 1n],
    ['100000000000000000000000e-5', 10n ** 18n],
    ['0e999999999', 0n],
    ['0.000', 0n],
  ])('timeUnixNano %s', (json, value) => {
    expect(point(`{"timeUnixNano":${json}}`).timeUnixNano).toBe(value)
  })

  it.each([
    ['-1', -1n],
    ['"-9223372036854775808"', -(2n ** 63n)],
    ['-9223372036854775808', -(2n ** 63n)],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['-4294967296', -(2n ** 32n)],
    ['-1.5e3', -1500n],
  ])('asInt and intValue %s', (json, value) => {
    expect(point(`{"asInt":${json}}`).value).toEqual({ case: 'asInt', value })
    expect(attribute(`{"intValue":${json}}`)).toEqual({ case: 'intValue', value })
  })

  it.each([
    ['1.5', 'a whole number'],
    ['1e-1', 'a whole number'],
    ['""', 'a whole number'],
    ['"-"', 'a whole number'],
    ['" 1"', 'a whole number'],
    ['"1 "', 'a whole number'],
    ['"0x10"', 'a whole number'],
    ['"007"', 'a whole number'],
    ['"NaN"', 'a whole number'],
    ['true', 'a whole number'],
    ['{}', 'a whole number'],
    ['[1]', 'a whole number'],
    ['1e30', 'a whole number'],
    ['100000000000000000000', 'a whole number'],
    ['-1', 'a whole number of 64 bits without sign'],
    ['18446744073709551616', 'a whole number of 64 bits without sign'],
    ['"99999999999999999999"', 'a whole number of 64 bits without sign'],
  ])('timeUnixNano %s is wrong', (json, expected) => {
    expect(rejection(`{"timeUnixNano":${json}}`)).toMatch(
      new RegExp(`^timeUnixNano: expected ${expected}, found . at byte \\d+$`),
    )
  })

  it.each(['9223372036854775808', '-9223372036854775809'])('asInt %s is wrong', (json) => {
    expect(rejection(`{"asInt":${json}}`)).toContain('a whole number of 64 bits with sign')
  })

  it('the place that is told is that of the value', () => {
    const text = withMetrics(gauge('{"asInt": \n true}'))
    expect(convert(text).rejected[0]!.reason).toBe(
      `metric "m": asInt: expected a whole number, found t at byte ${text.indexOf('true')}`,
    )
  })
})

describe('32-bit integers', () => {
  it.each([
    ['4294967295', 4294967295],
    ['"1"', 1],
    ['1e0', 1],
  ])('flags %s', (json, value) => {
    expect(point(`{"flags":${json}}`).flags).toBe(value)
  })

  it.each(['4294967296', '-1', '0.5', '"x"'])('flags %s is wrong', (json) => {
    expect(rejection(`{"flags":${json}}`)).toMatch(/^flags: expected a whole number/)
  })

  it.each([
    ['-2147483648', -2147483648],
    ['2147483647', 2147483647],
    ['"-3"', -3],
    ['0', 0],
  ])('scale and offset %s', (json, value) => {
    const got = exponentialPoint(`{"scale":${json},"positive":{"offset":${json}}}`)
    expect([got.scale, got.positive.offset]).toEqual([value, value])
  })

  it.each(['-2147483649', '2147483648'])('scale %s is wrong', (json) => {
    const metric = `{"name":"m","exponentialHistogram":{"dataPoints":[{"scale":${json}}]}}`
    expect(convert(withMetrics(metric)).rejected).toHaveLength(1)
  })
})

describe('doubles', () => {
  it.each([
    ['0', 0],
    ['-0', -0],
    ['-0.0', -0],
    ['"-0"', -0],
    ['1', 1],
    ['0.1', 0.1],
    ['"0.1"', 0.1],
    ['1e5', 1e5],
    ['-1.25E-3', -1.25e-3],
    ['1E+22', 1e22],
    ['1e23', 1e23],
    ['0.12345678901234567', 0.12345678901234566],
    ['9007199254740993', 9007199254740992],
    ['123456789012345678901234567890', 1.2345678901234568e29],
    ['5e-324', 5e-324],
    ['1e-400', 0],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['"NaN"', Number.NaN],
    ['"Infinity"', Number.POSITIVE_INFINITY],
    ['"-Infinity"', Number.NEGATIVE_INFINITY],
  ])('asDouble %s', (json, value) => {
    expect(point(`{"asDouble":${json}}`).value).toEqual({ case: 'asDouble', value })
  })

  it.each([
    '1e400',
    '-1e400',
    '"nan"',
    '"inf"',
    '"+Infinity"',
    '"Inf"',
    '"NaNs"',
    '""',
    '" 1"',
    '"1 "',
    '"0x1"',
    '"1."',
    '"01"',
    '".5"',
    '"1e"',
    '"1.2.3"',
    'true',
    '[]',
    '{}',
  ])('asDouble %s is wrong', (json) => {
    expect(rejection(`{"asDouble":${json}}`)).toMatch(/^asDouble: expected a number/)
  })

  it('NaN has the bits that it has in Prometheus', () => {
    const { message } = convert(withMetrics(gauge('{"asDouble":"NaN"}')))
    expect(Buffer.from(message.slice(-8)).toString('hex')).toBe('010000000000f87f')
  })
})

describe('presence', () => {
  it('sum, min and max of 0 are there, and absent ones are not', () => {
    expect(histogramPoint('{"sum":0,"min":0,"max":-0}')).toMatchObject({ sum: 0, min: 0, max: -0 })
    const absent = histogramPoint('{"sum":null}')
    expect([absent.sum, absent.min, absent.max]).toEqual([undefined, undefined, undefined])
  })

  it('an as_int of 0 is a value', () => {
    expect(point('{"asInt":0}').value).toEqual({ case: 'asInt', value: 0n })
    expect(point('{}').value).toEqual({ case: undefined })
  })

  it('null is absent, everywhere', () => {
    const text = `{"resourceMetrics":[{"resource":null,"schemaUrl":null,"scopeMetrics":[{"scope":null,
      "metrics":[{"name":null,"sum":null,"gauge":{"dataPoints":[{"attributes":null,"asInt":null,
      "flags":null,"exemplars":null,"timeUnixNano":null}]}}]}]}]}`
    expect(metricsOf(read(text))[0]!.data.case).toBe('gauge')
    expect(read('{"resourceMetrics":null}').resourceMetrics).toEqual([])
  })

  it('an empty gauge is a gauge, and has no points', () => {
    const { points, rejected } = convert(withMetrics('{"name":"m","gauge":{}}'))
    expect([points, rejected]).toEqual([0, []])
    expect(metricsOf(read(withMetrics('{"name":"m","gauge":{}}')))[0]!.data.case).toBe('gauge')
  })

  it('null in a list is wrong', () => {
    expect(rejection('null')).toBe('dataPoints: expected an object, found n at byte 136')
  })
})

describe('temporality', () => {
  const temporality = (json: string) =>
    metricsOf(read(withMetrics(`{"sum":{"aggregationTemporality":${json}}}`)))[0]!.data.value
  it.each([
    ['0', 0],
    ['1', 1],
    ['2', 2],
    ['"2"', 2],
    ['7', 7],
    ['-1', -1],
    ['"AGGREGATION_TEMPORALITY_UNSPECIFIED"', 0],
    ['"AGGREGATION_TEMPORALITY_DELTA"', 1],
    ['"AGGREGATION_TEMPORALITY_CUMULATIVE"', 2],
  ])('%s', (json, value) => {
    expect(temporality(json)).toMatchObject({ aggregationTemporality: value })
  })

  it.each(['"DELTA"', '"aggregation_temporality_delta"', '1.5', 'true', `"${'A'.repeat(99)}"`])(
    '%s is wrong',
    (json) => {
      const text = withMetrics(`{"sum":{"dataPoints":[{},{}],"aggregationTemporality":${json}}}`)
      const [rejected] = convert(text).rejected
      expect(rejected!.points).toBe(2)
      expect(rejected!.reason).toMatch(
        /^metric without a name: aggregationTemporality: expected a whole/,
      )
    },
  )
})

it.each([
  ['true', true],
  ['false', false],
])('isMonotonic %s', (json, isMonotonic) => {
  const metric = metricsOf(read(withMetrics(`{"sum":{"isMonotonic":${json}}}`)))[0]!
  expect(metric.data.value).toMatchObject({ isMonotonic })
})

it.each(['"true"', '1', 'truth', '{}'])('isMonotonic %s is wrong', (json) => {
  const text = withMetrics(GOOD, `{"sum":{"isMonotonic":${json}}}`)
  if (json === 'truth') expect(refusal(text).code).toBe('corrupt_json')
  else expect(convert(text).rejected[0]!.reason).toContain('isMonotonic: expected true or false')
})

describe('ids of exemplars', () => {
  const TRACE = '5b8efff798038103d269b633813fc60c'
  it.each([
    [`"traceId":"${TRACE}"`, 'traceId', TRACE],
    [`"traceId":"${TRACE.toUpperCase()}"`, 'traceId', TRACE],
    [`"trace_id":"${TRACE}"`, 'traceId', TRACE],
    ['"spanId":"eEe19b7ec3c1B174"', 'spanId', 'eee19b7ec3c1b174'],
    ['"spanId":""', 'spanId', ''],
    ['"spanId":null', 'spanId', ''],
  ])('%s', (json, key, hex) => {
    const text = withMetrics(gauge(`{"asInt":1,"exemplars":[{${json}}]}`))
    expect(Buffer.from(firstPoint(text).exemplars[0][key]).toString('hex')).toBe(hex)
    expect(convert(text).idsDropped).toBe(0)
  })

  it.each([
    '"spanId":"eee19b7ec3c1b1"',
    '"spanId":"eee19b7ec3c1b17g"',
    `"spanId":"${TRACE}"`,
    '"spanId":"7uGbfsPBsXQ="',
    '"spanId":5',
    '"spanId":{"a":[]}',
    '"spanId":"\\u0065ee19b7ec3"',
    '"spanId":"\\ud800"',
  ])('%s is left out, never the exemplar, never the point', (json) => {
    const text = withMetrics(gauge(`{"asInt":1,"exemplars":[{${json},"asDouble":2}]}`))
    const got = firstPoint(text)
    expect(got.value.value).toBe(1n)
    expect(got.exemplars[0].spanId).toHaveLength(0)
    expect(got.exemplars[0].value).toEqual({ case: 'asDouble', value: 2 })
    expect(convert(text)).toMatchObject({ idsDropped: 1, rejected: [] })
  })

  it('ids of a metric that is left out are not counted', () => {
    const text = withMetrics(gauge('{"exemplars":[{"spanId":5}],"asInt":"x"}'))
    expect(convert(text)).toMatchObject({ idsDropped: 0, rejected: [{ points: 1 }] })
  })

  it('of an exemplar, other fields are read too', () => {
    const got = exemplar(
      '"timeUnixNano":"5","asInt":"-7","filteredAttributes":[{"key":"a","value":{"boolValue":true}}]',
    )
    expect(got).toMatchObject({ timeUnixNano: 5n, value: { case: 'asInt', value: -7n } })
    expect(got.filteredAttributes[0].key).toBe('a')
  })
})

describe('values of attributes', () => {
  it.each([
    ['{"stringValue":"x"}', 'stringValue', 'x'],
    ['{"stringValue":""}', 'stringValue', ''],
    ['{"string_value":"x"}', 'stringValue', 'x'],
    ['{"boolValue":false}', 'boolValue', false],
    ['{"intValue":5}', 'intValue', 5n],
    ['{"doubleValue":"0.5"}', 'doubleValue', 0.5],
    ['{}', undefined, undefined],
    ['{"stringValue":null}', undefined, undefined],
    ['{"stringValue":"a","intValue":1}', 'intValue', 1n],
    ['{"intValue":1,"intValue":2}', 'intValue', 2n],
  ])('%s', (json, kind, value) => {
    expect(attribute(json)).toEqual(kind === undefined ? { case: kind } : { case: kind, value })
  })

  it.each([
    ['AP/+', [0, 255, 254]],
    ['AP_-', [0, 255, 254]],
    ['AP\\/+', [0, 255, 254]],
    ['AA==', [0]],
    ['AA', [0]],
    ['AAE=', [0, 1]],
    ['AAE', [0, 1]],
    ['\\u0041A==', [0]],
    ['', []],
  ])('bytes "%s"', (base64, bytes) => {
    const got = attribute(`{"bytesValue":"${base64}"}`)
    expect(got).toEqual({ case: 'bytesValue', value: Uint8Array.from(bytes) })
  })

  it.each(['"A"', '"AAAAA"', '"A=A="', '"A A"', '"AA==="', '"AA="', '"="', '"é"', '5', '[1]'])(
    'bytes %s are wrong',
    (json) => {
      const wrong = `{"attributes":[{"key":"k","value":{"bytesValue":${json}}}]}`
      expect(rejection(wrong)).toMatch(/^bytesValue: expected base64/)
    },
  )

  it.each([5, 0])('lists and maps, nested, and empty ones: %d', (length) => {
    const values = Array.from({ length }, (_, i) => `{"intValue":"${i}"}`)
    const list = `{"arrayValue":{"values":[${values}]}}`
    const map = `{"kvlistValue":{"values":[{"key":"a","value":${list}},{"key":"b"}]}}`
    const [first, second] = attribute(map).value.values
    expect(first.value.value.value.values).toHaveLength(length)
    expect(second).toHaveProperty('key', 'b')
    expect(second.value).toBeUndefined()
  })

  const nested = (depth: number) =>
    `${'{"kvlistValue":{"values":[{"key":"k","value":'.repeat(depth)}{}${'}]}}'.repeat(depth)}`

  it('lists are nested 64 deep at most', () => {
    const text = (depth: number) =>
      withMetrics(gauge(`{"attributes":[{"key":"k","value":${nested(depth)}}]}`), GOOD)
    expect(convert(text(64))).toMatchObject({ points: 2, rejected: [] })
    expect(convert(text(65))).toMatchObject({ points: 1, rejected: [{ points: 1 }] })
    expect(convert(text(65)).rejected[0]!.reason).toContain('expected at most 64 nested lists')
    // The depth is counted anew for each value.
    expect(
      convert(text(64).replace('"asInt"', `"attributes":[{"value":${nested(64)}}],"asInt"`)),
    ).toMatchObject({ rejected: [] })
    const resource = `{"resourceMetrics":[{"resource":{"attributes":[{"value":${nested(65)}}]}}]}`
    expect(refusal(resource).message).toContain('64 nested lists')
  })
})

describe('strings', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['\\"\\\\\\/\\b\\f\\n\\r\\t', '"\\/\b\f\n\r\t'],
    ['\\u0041\\u00e9\\u20AC\\u0000', 'Aé€\0'],
    ['\\ud83d\\ude00', '😀'],
    ['x\\uDBFF\\uDFFFx', 'x\u{10ffff}x'],
    ['é€😀\u007f', 'é€😀\u007f'],
    ['é\\n😀', 'é\n😀'],
    ['a'.repeat(70_000), 'a'.repeat(70_000)],
    [`\\n${'€'.repeat(200)}`, `\n${'€'.repeat(200)}`],
  ])('"%s"', (json, text) => {
    expect(attribute(`{"stringValue":"${json}"}`)).toEqual({ case: 'stringValue', value: text })
  })

  it.each(['\\ud83d', '\\ude00', '\\ud83dx', '\\ud83d\\n', '\\ud83d\\ud83d', '\\ud83d\\u0041'])(
    'half a surrogate pair loses the metric, and nothing else: %s',
    (half) => {
      const wrong = `{"attributes":[{"key":"k","value":{"stringValue":"${half}"}}]}`
      expect(rejection(wrong)).toMatch(/^stringValue: expected both surrogates of a pair/)
      const other = convert(withMetrics(`{"${half}":1,"gauge":{"dataPoints":[{}]}}`))
      expect(other, 'in a key that is not known').toMatchObject({ points: 1, rejected: [] })
    },
  )

  it('half a surrogate pair outside of metrics is told with its place', () => {
    expect(refusal('{"resourceMetrics":[{"schemaUrl":"\\ud800"}]}').message).toMatch(/byte 34$/)
  })
})

describe('keys', () => {
  it('in snake_case, escaped, in any order, with blanks', () => {
    const request = read(`{
      "resource_metrics" : [ { "schema_url": "u", "scope_metrics" : [ { "metrics" : [
        { "exponential_histogram" : { "data_points": [
          { "\\u007aero_count" : "4" , "zeroThr\\u0065shold" : 0.5 , "time_unix_nano" : 5 } ],
          "aggregation_temporality" : 2 }, "n\\u0061me" : "late" } ] } ] } ] }`)
    const [metric] = metricsOf(request)
    expect(metric!.name).toBe('late')
    expect(metric!.data.value).toMatchObject({
      aggregationTemporality: 2,
      dataPoints: [{ zeroCount: 4n, zeroThreshold: 0.5, timeUnixNano: 5n }],
    })
  })

  it.each([
    '1',
    '"x"',
    '"\\ud800"',
    'null',
    'true',
    'false',
    '-1.5e-7',
    '{}',
    '[]',
    '[1,[{"a":{"b":[]}},"x"],{}]',
    `${'['.repeat(1000)}${']'.repeat(1000)}`,
  ])('that are not known are skipped: %s', (json) => {
    const got = point(`{"new":${json},"asInt":1,"\\u0000":${json},"":${json}}`)
    expect(got.value.value).toBe(1n)
  })

  it('more than 1000 levels are not skipped', () => {
    const deep = '['.repeat(1_000_000)
    expect(refusal(`{"new":${deep}`).message).toContain('at most 1000 levels of nesting')
    expect(refusal(withMetrics(gauge(`{"new":${deep}`))).message).toContain('1000 levels')
  })

  it.each([
    ['{"name":"a","name":"m","gauge":{"dataPoints":[{"asInt":1,"asInt":2}]}}', 2n],
    ['{"name":"m","gauge":{"dataPoints":[{"asDouble":1,"asInt":2}]}}', 2n],
    ['{"name":"m","gauge":{"dataPoints":[{"asInt":2,"asInt":null}]}}', 2n],
  ])('of scalars that come twice the last one wins: %s', (json, value) => {
    const [metric] = metricsOf(read(withMetrics(json)))
    expect(metric!.name).toBe('m')
    expect(metric!.data.value!.dataPoints[0]).toMatchObject({ value: { value } })
  })

  it.each([
    ['{"name":"m","gauge":{"dataPoints":[{}]},"gauge":{"dataPoints":[{}]}}', 'gauge', 2],
    ['{"name":"m","gauge":{"dataPoints":[{}]},"sum":{"data_points":[{}]}}', 'sum', 2],
    ['{"name":"m","gauge":{"dataPoints":[{}],"data_points":[{},{}]}}', 'dataPoints', 3],
    [gauge('{"attributes":[],"attributes":[]}'), 'attributes', 1],
  ])('of lists, messages and data there is one: %s', (json, key, points) => {
    const [rejected] = convert(withMetrics(json, GOOD)).rejected
    expect(rejected!.points).toBe(points)
    expect(rejected!.reason).toContain(`metric "m": ${key}: expected a key that fits`)
  })
})

describe('a metric that is wrong never loses its neighbours', () => {
  it.each([
    ['5', 'without a name: metrics: expected an object', 0],
    ['null', 'without a name: metrics: expected an object', 0],
    ['[{}]', 'without a name: metrics: expected an object', 0],
    ['{"name":5,"gauge":{"dataPoints":[{}]}}', 'without a name: name: expected a string', 1],
    ['{"gauge":5,"name":"late"}', '"late": gauge: expected an object', 0],
    ['{"gauge":{"dataPoints":{}},"name":"late"}', '"late": dataPoints: expected a list', 0],
    ['{"gauge":{"dataPoints":[{},5,{}]},"name":"l"}', '"l": dataPoints: expected an object', 3],
    ['{"gauge":{"dataPoints":[{},[],{}]}}', 'without a name: dataPoints: expected an object', 3],
    ['{"gauge":{"d\\u0061taPoints":[{},5]}}', 'without a name: dataPoints: expected an', 2],
    ['{"unit":{"a":[]},"name":"a\\n\\u202eb"}', '"a b": unit: expected a string', 0],
    ['{"unit":1,"name":"\\ud800x"}', '"x": unit: expected a string', 0],
    ['{"histogram":{"dataPoints":[{"bucketCounts":{}}]}}', 'bucketCounts: expected a list', 1],
    [
      '{"histogram":{"dataPoints":[{"bucketCounts":[1,null]}]}}',
      'bucketCounts: expected a whole',
      1,
    ],
    [
      '{"histogram":{"dataPoints":[{"explicitBounds":["x"]}]}}',
      'explicitBounds: expected a num',
      1,
    ],
    [
      '{"exponentialHistogram":{"dataPoints":[{"positive":[]}]}}',
      'positive: expected an object',
      1,
    ],
    [
      '{"summary":{"dataPoints":[{"quantileValues":[5]},{}]}}',
      'quantileValues: expected an obj',
      2,
    ],
    ['{"metadata":{},"sum":{"dataPoints":[{}]}}', 'metadata: expected a list', 1],
  ])('%s', (json, reason, lost) => {
    const { message, points, rejected } = convert(withMetrics(GOOD, json, GOOD))
    expect(metricsOf(fromBinary(ExportMetricsServiceRequestSchema, message))).toHaveLength(2)
    expect(points).toBe(2)
    expect(rejected).toEqual([{ points: lost, reason: expect.stringContaining(reason) }])
  })

  it('long names are cut, very long ones are not read', () => {
    const reason = (length: number) =>
      convert(withMetrics(`{"name":"${'n'.repeat(length)}","unit":1}`)).rejected[0]!.reason
    expect(reason(500)).toMatch(/^metric "n{99}…": unit/)
    expect(reason(5000)).toMatch(/^metric with a name of 5000 bytes: unit/)
  })

  it('only the first ones are told by name, all are counted', () => {
    const wrong = Array.from({ length: MAX_TOLD + 7 }, () => gauge('{"asInt":"x"}', '{}'))
    const { rejected, points } = convert(withMetrics(...wrong, GOOD))
    expect(points).toBe(1)
    expect(rejected).toHaveLength(MAX_TOLD + 1)
    expect(rejected.at(-1)).toEqual({ points: 14, reason: '7 more metrics with something wrong' })
  })

  it('a request of nothing but wrong metrics is refused at some point', () => {
    const wrong = (count: number) => withMetrics(...new Array<string>(count).fill('{"name":1}'))
    expect(convert(wrong(MAX_DROPPED)).rejected).toHaveLength(MAX_TOLD + 1)
    expect(refusal(wrong(MAX_DROPPED + 1)).message).toMatch(
      /^more than 10000 metrics are wrong; metric without a name: name: expected a string/,
    )
  })
})

describe('what is wrong outside of metrics refuses the whole', () => {
  it.each([
    ['', 'an object, found the end at byte 0'],
    ['  ', 'an object, found the end at byte 2'],
    ['[]', 'an object, found [ at byte 0'],
    ['null', 'an object, found n at byte 0'],
    ['"x"', 'an object, found " at byte 0'],
    ['\ufeff{}', 'an object, found 0xef at byte 0'],
    ['{} {}', 'the end, found { at byte 3'],
    ['{', 'a key in quotes, found the end at byte 1'],
    ['{,}', 'a key in quotes, found , at byte 1'],
    ["{'a':1}", "a key in quotes, found ' at byte 1"],
    ['{"a":1,}', 'a key in quotes, found } at byte 7'],
    ['{"a" 1}', 'a colon, found 1 at byte 5'],
    ['{"a":1 "b":2}', 'a comma or "}", found " at byte 7'],
    ['{"a":[1,]}', 'a value, found ] at byte 8'],
    ['{"a":[1}}', 'a comma or "]", found } at byte 7'],
    ['{"a":{"b":1]}', 'a comma or "}", found ] at byte 11'],
    ['{"a":}', 'a value, found } at byte 5'],
    ['{"a":nul}', 'a value, found n at byte 5'],
    ['{"a":NaN}', 'a value, found N at byte 5'],
    ['{"a":+1}', 'a value, found + at byte 5'],
    ['{"a":.5}', 'a value, found . at byte 5'],
    ['{"a":01}', 'no zero before a number, found 0 at byte 5'],
    ['{"a":1.}', 'a digit, found } at byte 7'],
    ['{"a":1e}', 'a digit, found } at byte 7'],
    ['{"a":-}', 'a digit, found } at byte 6'],
    ['{"a":"x', 'the end of a string, found the end at byte 7'],
    ['{"a":"\n"}', 'no control character in a string, found 0xa at byte 6'],
    ['{"a":"\\x"}', 'an escape that JSON has, found x at byte 7'],
    ['{"a":"\\', 'an escape that JSON has, found the end at byte 7'],
    ['{"a":"\\u12g4"}', 'four hex digits, found g at byte 10'],
    ['{"a":"\\u12', 'four hex digits, found the end at byte 10'],
    ['{"resourceMetrics":{}}', 'a list, found { at byte 19'],
    ['{"resourceMetrics":[1]}', 'an object, found 1 at byte 20'],
    ['{"resourceMetrics":[{"schemaUrl":5}]}', 'a string, found 5 at byte 33'],
    ['{"resourceMetrics":[{"scopeMetrics":5}]}', 'a list, found 5 at byte 36'],
    ['{"resourceMetrics":[{"scopeMetrics":[{"metrics":5}]}]}', 'a list, found 5 at byte 48'],
    ['{"resourceMetrics":nope}', 'a value, found n at byte 19'],
  ])('%s', (text, expected) => {
    const error = refusal(text)
    expect(error).toMatchObject({ status: 400, code: 'corrupt_json' })
    expect(error.message).toBe(`the body is no JSON of OTLP metrics: expected ${expected}`)
  })

  it.each([
    ['a byte alone', [0x80]],
    ['overlong', [0xc0, 0x80]],
    ['overlong of three', [0xe0, 0x9f, 0xbf]],
    ['overlong of four', [0xf0, 0x8f, 0xbf, 0xbf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['past the last character', [0xf4, 0x90, 0x80, 0x80]],
    ['no first byte', [0xf5, 0x80, 0x80, 0x80]],
    ['cut', [0xe2, 0x82]],
  ])('bytes that are no UTF-8: %s', (_, bytes) => {
    const around = new TextEncoder().encode(withMetrics(gauge('{"attributes":[{"key":"*"}]}')))
    const at = around.indexOf(0x2a)
    const body = Uint8Array.from([...around.slice(0, at), ...bytes, ...around.slice(at + 1)])
    expect(refusal(body).message).toContain(`expected UTF-8, found 0x${bytes[0]!.toString(16)}`)
    expect(refusal(body).message).toContain(`at byte ${at}`)
  })

  it('a text that ends inside a metric', () => {
    const text = withMetrics(gauge('{"asInt":1}'))
    for (let length = 0; length < text.length; length++) {
      expect(refusal(text.slice(0, length)).message).toContain(`found the end at byte ${length}`)
    }
  })
})

describe('the size of the result', () => {
  it('as large as it may be, and one byte more', () => {
    const text = withMetrics(gauge(`{"attributes":[{"key":"${'k'.repeat(1000)}"}]}`))
    const { length } = convert(text).message
    expect(convert(text, length).message).toHaveLength(length)
    expect(refusal(text, length - 1)).toMatchObject({ status: 413, code: 'body_too_large' })
    expect(refusal(text, 0).status).toBe(413)
    expect(refusal(text, 0).message).toContain('0 bytes')
    expect(convert('{}', 0).message).toHaveLength(0)
  })

  it('a text that says more than itself is long', () => {
    const counts = `[${new Array(100_000).fill('0').join()}]`
    const text = withMetrics(`{"histogram":{"dataPoints":[{"bucketCounts":${counts}}]}}`)
    expect(convert(text).message.length).toBeGreaterThan(800_000)
    expect(refusal(text, 700_000).status).toBe(413)
    expect(histogramPoint(`{"bucketCounts":${counts}}`).bucketCounts).toHaveLength(100_000)
  })
})

describe('time is linear in the length, whatever is sent', () => {
  const SIZE = 4_000_000
  const list = '{"arrayValue":{"values":['
  const many = (text: string) => text.repeat(Math.ceil(SIZE / text.length))
  it.each([
    ['digits of an integer', `{"asInt":1${'0'.repeat(SIZE)}}`],
    ['digits behind the point of an integer', `{"asInt":1.${'0'.repeat(SIZE)}}`],
    ['digits of a double', `{"asDouble":0.${'9'.repeat(SIZE)}}`],
    ['digits of an exponent', `{"asInt":1e${'9'.repeat(SIZE)}}`],
    ['escapes', `{"attributes":[{"key":"${many('\\u00e9')}"}]}`],
    ['blanks', `{${' '.repeat(SIZE)}}`],
    ['a key that is escaped', `{"${many('\\u0061')}":1}`],
    ['empty attributes', `{"attributes":[${many('{},')}{}]}`],
    [
      'a long string deep inside',
      `{"attributes":[{"value":${list.repeat(60)}{"stringValue":"${'x'.repeat(
        SIZE,
      )}"}${']}}'.repeat(60)}}]}`,
    ],
    ['ids that are none', `{"exemplars":[${many('{"spanId":[]},')}{}]}`],
  ])('%s', (_, json) => {
    const started = performance.now()
    convert(withMetrics(gauge(json)))
    expect(performance.now() - started).toBeLessThan(5000)
  })
})
