import {
  REASON_DUPLICATE_LABEL,
  REASON_EMPTY_LABEL_NAME,
  REASON_FUTURE,
  REASON_LABEL_NAME_TOO_LONG,
  REASON_LABEL_VALUE_TOO_LONG,
  REASON_NO_NAME,
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
