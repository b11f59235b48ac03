import {
  BOOL,
  BYTES,
  DOUBLE,
  DOUBLES,
  FIXED64,
  FIXED64S,
  field,
  ID,
  INT64,
  MESSAGE,
  MESSAGES,
  METRICS,
  Message,
  NESTED,
  POINTS,
  SFIXED64,
  SINT32,
  STRING,
  TEMPORALITY,
  UINT32,
  UINT64S,
} from './json-message.ts'

const REQUEST_METRICS = new Message()
const SCOPE_METRICS = new Message()
const RESOURCE = new Message()
const SCOPE = new Message()
const GAUGE = new Message()
const SUM = new Message()
const HISTOGRAM = new Message()
const EXPONENTIAL_HISTOGRAM = new Message()
const SUMMARY = new Message()
const NUMBER_POINT = new Message()
const HISTOGRAM_POINT = new Message()
const EXPONENTIAL_POINT = new Message()
const BUCKETS = new Message()
const SUMMARY_POINT = new Message()
const QUANTILE = new Message()
const EXEMPLAR = new Message()
const KEY_VALUE = new Message()
const ANY_VALUE = new Message()
const LIST = new Message()
const KEY_VALUE_LIST = new Message()

/**
 * What the JSON of OTLP metrics may hold. Names and numbers are those of wire/proto/opentelemetry.proto.
 */
export const REQUEST = new Message()
export const METRIC = new Message()

REQUEST.define(field(1, 'resourceMetrics', MESSAGES, { of: REQUEST_METRICS, room: 3 }))
REQUEST_METRICS.define(
  field(1, 'resource', MESSAGE, { of: RESOURCE, room: 2 }),
  field(2, 'scopeMetrics', MESSAGES, { of: SCOPE_METRICS, room: 3 }),
  field(3, 'schemaUrl', STRING),
)
RESOURCE.define(
  field(1, 'attributes', MESSAGES, { of: KEY_VALUE }),
  field(2, 'droppedAttributesCount', UINT32),
)
SCOPE_METRICS.define(
  field(1, 'scope', MESSAGE, { of: SCOPE }),
  field(2, 'metrics', METRICS, { of: METRIC, room: 2 }),
  field(3, 'schemaUrl', STRING),
)
SCOPE.define(
  field(1, 'name', STRING),
  field(2, 'version', STRING),
  field(3, 'attributes', MESSAGES, { of: KEY_VALUE }),
  field(4, 'droppedAttributesCount', UINT32),
)
METRIC.define(
  field(1, 'name', STRING),
  field(2, 'description', STRING),
  field(3, 'unit', STRING),
  field(12, 'metadata', MESSAGES, { of: KEY_VALUE }),
)
METRIC.defineOneof(
  field(5, 'gauge', MESSAGE, { of: GAUGE, room: 2 }),
  field(7, 'sum', MESSAGE, { of: SUM, room: 2 }),
  field(9, 'histogram', MESSAGE, { of: HISTOGRAM, room: 2 }),
  field(10, 'exponentialHistogram', MESSAGE, { of: EXPONENTIAL_HISTOGRAM, room: 2 }),
  field(11, 'summary', MESSAGE, { of: SUMMARY, room: 2 }),
)
GAUGE.define(field(1, 'dataPoints', POINTS, { of: NUMBER_POINT, room: 2 }))
SUM.define(
  field(1, 'dataPoints', POINTS, { of: NUMBER_POINT, room: 2 }),
  field(2, 'aggregationTemporality', TEMPORALITY),
  field(3, 'isMonotonic', BOOL),
)
HISTOGRAM.define(
  field(1, 'dataPoints', POINTS, { of: HISTOGRAM_POINT, room: 2 }),
  field(2, 'aggregationTemporality', TEMPORALITY),
)
EXPONENTIAL_HISTOGRAM.define(
  field(1, 'dataPoints', POINTS, { of: EXPONENTIAL_POINT, room: 2 }),
  field(2, 'aggregationTemporality', TEMPORALITY),
)
SUMMARY.define(field(1, 'dataPoints', POINTS, { of: SUMMARY_POINT, room: 2 }))
NUMBER_POINT.define(
  field(7, 'attributes', MESSAGES, { of: KEY_VALUE }),
  field(2, 'startTimeUnixNano', FIXED64),
  field(3, 'timeUnixNano', FIXED64),
  field(4, 'asDouble', DOUBLE),
  field(6, 'asInt', SFIXED64),
  field(5, 'exemplars', MESSAGES, { of: EXEMPLAR }),
  field(8, 'flags', UINT32),
)
HISTOGRAM_POINT.define(
  field(9, 'attributes', MESSAGES, { of: KEY_VALUE }),
  field(2, 'startTimeUnixNano', FIXED64),
  field(3, 'timeUnixNano', FIXED64),
  field(4, 'count', FIXED64),
  field(5, 'sum', DOUBLE),
  field(6, 'bucketCounts', FIXED64S),
  field(7, 'explicitBounds', DOUBLES),
  field(8, 'exemplars', MESSAGES, { of: EXEMPLAR }),
  field(10, 'flags', UINT32),
  field(11, 'min', DOUBLE),
  field(12, 'max', DOUBLE),
)
EXPONENTIAL_POINT.define(
  field(1, 'attributes', MESSAGES, { of: KEY_VALUE }),
  field(2, 'startTimeUnixNano', FIXED64),
  field(3, 'timeUnixNano', FIXED64),
  field(4, 'count', FIXED64),
  field(5, 'sum', DOUBLE),
  field(6, 'scale', SINT32),
  field(7, 'zeroCount', FIXED64),
  field(8, 'positive', MESSAGE, { of: BUCKETS }),
  field(9, 'negative', MESSAGE, { of: BUCKETS }),
  field(10, 'flags', UINT32),
  field(11, 'exemplars', MESSAGES, { of: EXEMPLAR }),
  field(12, 'min', DOUBLE),
  field(13, 'max', DOUBLE),
  field(14, 'zeroThreshold', DOUBLE),
)
BUCKETS.define(field(1, 'offset', SINT32), field(2, 'bucketCounts', UINT64S))
SUMMARY_POINT.define(
  field(7, 'attributes', MESSAGES, { of: KEY_VALUE }),
  field(2, 'startTimeUnixNano', FIXED64),
  field(3, 'timeUnixNano', FIXED64),
  field(4, 'count', FIXED64),
  field(5, 'sum', DOUBLE),
  field(6, 'quantileValues', MESSAGES, { of: QUANTILE }),
  field(8, 'flags', UINT32),
)
QUANTILE.define(field(1, 'quantile', DOUBLE), field(2, 'value', DOUBLE))
EXEMPLAR.define(
  field(7, 'filteredAttributes', MESSAGES, { of: KEY_VALUE }),
  field(2, 'timeUnixNano', FIXED64),
  field(3, 'asDouble', DOUBLE),
  field(6, 'asInt', SFIXED64),
  field(4, 'spanId', ID, { size: 8 }),
  field(5, 'traceId', ID, { size: 16 }),
)
KEY_VALUE.define(field(1, 'key', STRING), field(2, 'value', MESSAGE, { of: ANY_VALUE }))
ANY_VALUE.define(
  field(1, 'stringValue', STRING),
  field(2, 'boolValue', BOOL),
  field(3, 'intValue', INT64),
  field(4, 'doubleValue', DOUBLE),
  field(5, 'arrayValue', NESTED, { of: LIST }),
  field(6, 'kvlistValue', NESTED, { of: KEY_VALUE_LIST }),
  field(7, 'bytesValue', BYTES),
)
LIST.define(field(1, 'values', MESSAGES, { of: ANY_VALUE }))
KEY_VALUE_LIST.define(field(1, 'values', MESSAGES, { of: KEY_VALUE }))
