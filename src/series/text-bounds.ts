import type { LabelPair } from '../relabel/label-pair.ts'
import type { Attribute } from '../translate/attribute.ts'
import type { Resource } from '../translate/resource.ts'
import type { Scope } from '../translate/scope.ts'
import { utf8Length } from '../wire/label.ts'
import {
  MAX_LABELS,
  REASON_LABEL_NAME_TOO_LONG,
  REASON_LABEL_VALUE_TOO_LONG,
  REASON_TOO_MANY_LABELS,
} from '../wire/layout.ts'

/** Bytes of a name at the most, and of a value unless `limits.label_value` is larger: the kernel has room for that. */
const LONGEST = 65_535

/**
 * Keeps what OTLP is translated to within what the table can hold, and remembered text small: attributes may take far more room
 * as text than as they came. What is too long comes back without its text, with the REASON_ as its problem.
 */
export interface TextBounds {
  /** The REASON_ why the first n of these labels can't be in the table; 0 when they can. */
  tooLong(pairs: readonly LabelPair[], n?: number): number
  attribute(attribute: Attribute): Attribute
  resource(resource: Resource): Resource
  scope(scope: Scope): Scope
}

/** `labelValue`: of the config's limits, bytes. */
export function textBounds(labelValue: number): TextBounds {
  const longestValue = Math.max(LONGEST, labelValue)

  function reasonOf(name: string, value: string): number {
    if (longer(name, LONGEST)) return REASON_LABEL_NAME_TOO_LONG
    return longer(value, longestValue) ? REASON_LABEL_VALUE_TOO_LONG : 0
  }

  function tooLong(pairs: readonly LabelPair[], n = pairs.length): number {
    for (let i = 0; i < n; i++) {
      const reason = reasonOf(pairs[i]!.name, pairs[i]!.value)
      if (reason !== 0) return reason
    }
    return 0
  }

  return {
    tooLong,
    attribute(attribute) {
      const problem = reasonOf(attribute.key, attribute.value)
      if (problem === 0) return attribute
      return { key: '', value: '', name: undefined, pair: undefined, problem }
    },
    resource(resource) {
      const { promoted, job, instance, targetInfo } = resource
      const identity = [job, instance].filter((pair) => pair !== undefined)
      const problem = tooLong(promoted) || tooLong(identity)
      if (problem !== 0) {
        const nothing = { job: undefined, instance: undefined, targetInfo: undefined }
        return { ...resource, ...nothing, promoted: [], problem }
      }
      if (targetInfo === undefined) return resource
      const targetInfoProblem =
        targetInfo.length > MAX_LABELS ? REASON_TOO_MANY_LABELS : tooLong(targetInfo)
      return targetInfoProblem === 0
        ? resource
        : { ...resource, targetInfo: undefined, targetInfoProblem }
    },
    scope(scope) {
      const problem = tooLong(scope.pairs)
      return problem === 0 ? scope : { pairs: [], absent: [], problem }
    },
  }
}

function longer(text: string, most: number): boolean {
  return text.length * 3 > most && utf8Length(text) > most
}
