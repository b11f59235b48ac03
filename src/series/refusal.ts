import {
  REASON_ATTRIBUTE_NAME,
  REASON_BOUNDS,
  REASON_BUCKETS,
  REASON_DELTA,
  REASON_DUPLICATE_LABEL,
  REASON_EMPTY_LABEL_NAME,
  REASON_FUTURE,
  REASON_HISTOGRAM,
  REASON_LABEL_NAME_TOO_LONG,
  REASON_LABEL_VALUE_TOO_LONG,
  REASON_METRIC_NAME,
  REASON_NO_NAME,
  REASON_NO_TIME,
  REASON_NO_VALUE,
  REASON_SCALE,
  REASON_SCHEMA,
  REASON_TEMPORALITY,
  REASON_TOO_MANY_BUCKETS,
  REASON_TOO_MANY_LABELS,
  REASON_UTF8,
} from '../wire/layout.ts'

/** Why a series, or points of one, are rejected: the name in metrics, and what the sender is told. */
interface Reason {
  readonly code: string
  readonly text: string
}

const reasons: Readonly<Record<number, Reason>> = {
  [REASON_NO_NAME]: { code: 'no_name', text: 'has no __name__' },
  [REASON_DUPLICATE_LABEL]: { code: 'duplicate_label', text: 'has a label twice' },
  [REASON_EMPTY_LABEL_NAME]: { code: 'empty_label_name', text: 'has a label without a name' },
  [REASON_UTF8]: { code: 'invalid_utf8', text: 'has a label that is not valid UTF-8' },
  [REASON_TOO_MANY_LABELS]: { code: 'too_many_labels', text: 'is over limits.labels' },
  [REASON_LABEL_NAME_TOO_LONG]: {
    code: 'label_name_too_long',
    text: 'has a label name over limits.label_name',
  },
  [REASON_LABEL_VALUE_TOO_LONG]: {
    code: 'label_value_too_long',
    text: 'has a label value over limits.label_value',
  },
  [REASON_FUTURE]: { code: 'future', text: 'has a point too far in the future (limits.future)' },
  [REASON_DELTA]: {
    code: 'delta_temporality',
    text: 'has delta temporality: set the SDK to cumulative (OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=cumulative), or use the deltatocumulative processor of the Collector',
  },
  [REASON_TEMPORALITY]: {
    code: 'no_temporality',
    text: 'has no aggregation temporality: set the SDK to cumulative',
  },
  [REASON_NO_TIME]: { code: 'no_time', text: 'has a point without time_unix_nano' },
  [REASON_NO_VALUE]: {
    code: 'no_value',
    text: 'has a point without a value (some JSON exporters write NaN as null)',
  },
  [REASON_METRIC_NAME]: {
    code: 'metric_name',
    text: 'has a name of which no Prometheus name can be made',
  },
  [REASON_ATTRIBUTE_NAME]: {
    code: 'attribute_name',
    text: 'has an attribute of whose key no label name can be made',
  },
  [REASON_BUCKETS]: {
    code: 'bucket_counts',
    text: 'has a histogram whose number of bucket_counts does not fit its explicit_bounds',
  },
  [REASON_BOUNDS]: {
    code: 'bounds',
    text: 'has bounds that do not increase, or quantiles that repeat',
  },
  [REASON_SCALE]: { code: 'scale', text: 'has an exponential histogram with a scale below -4' },
  [REASON_HISTOGRAM]: {
    code: 'invalid_histogram',
    text: 'has a native histogram whose buckets, spans and count do not agree',
  },
  [REASON_SCHEMA]: {
    code: 'histogram_schema',
    text: 'has a native histogram with a schema that is not known',
  },
  [REASON_TOO_MANY_BUCKETS]: {
    code: 'too_many_buckets',
    text: 'has a histogram or summary with more than 4092 buckets or quantiles, or an exponential histogram of about 2 MiB',
  },
}

/** Name of a reason in metrics and logs. `reason` is one of the REASON_ numbers of `wire/layout.ts`. */
export function reasonCode(reason: number): string {
  return reasons[reason]?.code ?? 'unknown'
}

/** One rejected series, as the sender is told: `series up{job="a"} has a label twice`. At most about 300 characters. */
export function describeRefusal(
  reason: number,
  labels: readonly { readonly name: string; readonly value: string }[],
  time = 0,
): string {
  const when = reason === REASON_FUTURE ? `, at ${time}` : ''
  return `series ${describeSeries(labels)} ${reasons[reason]?.text ?? 'is rejected'}${when}`
}

/** A rejected data point of OTLP, as its sender is told: `metric http.requests has no temporality`. `name` is the metric's, as sent. */
export function describePointRefusal(reason: number, name: string): string {
  return `metric ${JSON.stringify(name.slice(0, 100))} ${reasons[reason]?.text ?? 'is rejected'}`
}

const MOST = 200

function describeSeries(
  labels: readonly { readonly name: string; readonly value: string }[],
): string {
  const name = labels.find((label) => label.name === '__name__')
  const rest = labels
    .filter((label) => label !== name)
    .map(({ name, value }) => `${name}=${JSON.stringify(value.slice(0, 64))}`)
  const text = `${name?.value.slice(0, 100) ?? ''}{${rest.join(',')}}`
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text
}
