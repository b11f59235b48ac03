import { error, warn } from './config-file.ts'
import { type Fields, isSet } from './read.ts'

/** Keys of Prometheus that Sluice does not honour, each with what to say about it. */
export type Unsupported = Readonly<Record<string, string>>

/** An error for each of these keys that asks for something: ignoring it would lose data or safety. */
export function refuse(fields: Fields, keys: Unsupported): void {
  for (const [key, message] of Object.entries(keys)) {
    const value = fields.get(key)
    if (isSet(value)) error(value, message)
  }
}

/** A warning for each of these keys that was written: it is ignored, and that does no harm. */
export function ignore(fields: Fields, keys: Unsupported): void {
  for (const [key, message] of Object.entries(keys)) {
    const value = fields.get(key)
    if (value !== undefined) warn(value, message)
  }
}
