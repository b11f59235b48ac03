import { create, type MessageInitShape } from '@bufbuild/protobuf'
import fc from 'fast-check'
import {
  type AnyValueSchema,
  type ExportMetricsServiceRequest,
  ExportMetricsServiceRequestSchema,
  type KeyValueSchema,
} from '../../src/wire/gen/opentelemetry_pb.js'

type Value = MessageInitShape<typeof AnyValueSchema>
type Pair = MessageInitShape<typeof KeyValueSchema>

const text = fc.string({ unit: 'binary', maxLength: 12 })
const unsigned = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const signed = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const unsigned32 = fc.nat({ max: 2 ** 32 - 1 })
const double = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0.1, 1e22, -0, 5e-324))
const maybe = fc.option(double, { nil: undefined })
const few = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 3 })
const id = (size: number) =>
  fc.oneof(fc.uint8Array({ minLength: size, maxLength: size }), fc.constant(new Uint8Array(0)))

const { value } = fc.letrec<{ value: Value; pair: Pair }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.record({ value: fc.record({ case: fc.constant('stringValue' as const), value: text }) }),
    fc.record({
      value: fc.record({ case: fc.constant('boolValue' as const), value: fc.boolean() }),
    }),
    fc.record({ value: fc.record({ case: fc.constant('intValue' as const), value: signed }) }),
    fc.record({ value: fc.record({ case: fc.constant('doubleValue' as const), value: double }) }),
    fc.record({
      value: fc.record({ case: fc.constant('bytesValue' as const), value: fc.uint8Array() }),
    }),
    fc.constant({}),
    fc.record({
      value: fc.record({
        case: fc.constant('arrayValue' as const),
        value: fc.record({ values: few(tie('value')) }),
      }),
    }),
    fc.record({
      value: fc.record({
        case: fc.constant('kvlistValue' as const),
        value: fc.record({ values: few(tie('pair')) }),
      }),
    }),
  ),
  pair: fc.record({ key: text, value: fc.option(tie('value'), { nil: undefined }) }),
}))
const attributes = few(fc.record({ key: text, value: fc.option(value, { nil: undefined }) }))

const number = fc.oneof(
  fc.record({ case: fc.constant('asDouble' as const), value: double }),
  fc.record({ case: fc.constant('asInt' as const), value: signed }),
  fc.constant({ case: undefined }),
)
const exemplars = few(
  fc.record({
    filteredAttributes: attributes,
    timeUnixNano: unsigned,
    value: number,
    spanId: id(8),
    traceId: id(16),
  }),
)
const common = {
  attributes,
  startTimeUnixNano: unsigned,
  timeUnixNano: unsigned,
  flags: unsigned32,
}
const counted = { ...common, exemplars, count: unsigned, sum: maybe, min: maybe, max: maybe }
const buckets = fc.option(fc.record({ offset: fc.integer(), bucketCounts: few(unsigned) }), {
  nil: undefined,
})
const numberPoints = few(fc.record({ ...common, exemplars, value: number }))
const aggregationTemporality = fc.constantFrom(0, 1, 2)

const data = fc.oneof(
  fc.record({
    case: fc.constant('gauge' as const),
    value: fc.record({ dataPoints: numberPoints }),
  }),
  fc.record({
    case: fc.constant('sum' as const),
    value: fc.record({
      dataPoints: numberPoints,
      aggregationTemporality,
      isMonotonic: fc.boolean(),
    }),
  }),
  fc.record({
    case: fc.constant('histogram' as const),
    value: fc.record({
      dataPoints: few(
        fc.record({ ...counted, bucketCounts: few(unsigned), explicitBounds: few(double) }),
      ),
      aggregationTemporality,
    }),
  }),
  fc.record({
    case: fc.constant('exponentialHistogram' as const),
    value: fc.record({
      dataPoints: few(
        fc.record({
          ...counted,
          scale: fc.integer(),
          zeroCount: unsigned,
          zeroThreshold: double,
          positive: buckets,
          negative: buckets,
        }),
      ),
      aggregationTemporality,
    }),
  }),
  fc.record({
    case: fc.constant('summary' as const),
    value: fc.record({
      dataPoints: few(
        fc.record({
          ...common,
          count: unsigned,
          sum: double,
          quantileValues: few(fc.record({ quantile: double, value: double })),
        }),
      ),
    }),
  }),
)

const metric = fc.record({
  name: text,
  description: text,
  unit: text,
  metadata: attributes,
  data: fc.oneof(
    { weight: 9, arbitrary: data },
    { weight: 1, arbitrary: fc.constant({ case: undefined }) },
  ),
})

/** Requests with every field of OTLP metrics, of any value that the field may have. */
export const anyRequest: fc.Arbitrary<ExportMetricsServiceRequest> = few(
  fc.record({
    resource: fc.option(fc.record({ attributes, droppedAttributesCount: unsigned32 }), {
      nil: undefined,
    }),
    scopeMetrics: few(
      fc.record({
        scope: fc.option(
          fc.record({ name: text, version: text, attributes, droppedAttributesCount: unsigned32 }),
          { nil: undefined },
        ),
        metrics: few(metric),
        schemaUrl: text,
      }),
    ),
    schemaUrl: text,
  }),
).map((resourceMetrics) => create(ExportMetricsServiceRequestSchema, { resourceMetrics }))
