import type { Problem } from './config/types.ts'
import type { Log } from './telemetry/log.ts'

/** A line for each problem of a config. Problems never hold secrets. */
export function logProblems(log: Log, problems: readonly Problem[]): void {
  for (const { severity, line, column, path, message } of problems) {
    const place = line > 0 ? `${line}:${column}: ` : ''
    const text = `${place}${path === '' ? '' : `${path}: `}${message}`
    if (severity === 'error') log.error('config_error', { reason: path, message: text })
    else log.warn('config_warning', { reason: path, message: text })
  }
}
