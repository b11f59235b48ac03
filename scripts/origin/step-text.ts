import { formatDuration } from '../../src/config/duration.ts'
import { formatSize } from '../../src/config/size.ts'
import type { Action, Range, Step, When } from './script.ts'

/** A step on one line, as a script would have it: `status: 503, retry_after: 2s, every: 10`. */
export function stepText({ action, when }: Step): string {
  return [actionText(action), ...conditionTexts(when)].join(', ')
}

function actionText(action: Action): string {
  switch (action.kind) {
    case 'latency':
      return `latency: ${rangeText(action.wait)}`
    case 'slow_answer':
      return `slow_answer: ${rangeText(action.over)}`
    case 'slow_read':
      return `slow_read: ${formatSize(action.bytesPerSecond)}`
    case 'status': {
      const { status, retryAfter } = action
      const later = retryAfter === undefined ? '' : `, retry_after: ${formatDuration(retryAfter)}`
      return `status: ${status}${later}`
    }
    case 'too_large':
      return `too_large: ${formatSize(action.over)}, of: ${action.of}`
    case 'reset':
      return `reset: ${action.at}`
    case 'login_page':
      return 'login_page: true'
  }
}

function conditionTexts({ after, for: length, ...plain }: When): string[] {
  return [
    ...(after === undefined ? [] : [`after: ${formatDuration(after)}`]),
    ...(length === undefined ? [] : [`for: ${formatDuration(length)}`]),
    ...Object.entries(plain).map(([name, value]) => `${name}: ${value}`),
  ]
}

function rangeText({ from, to }: Range): string {
  return from === to ? formatDuration(from) : `${formatDuration(from)}-${formatDuration(to)}`
}
