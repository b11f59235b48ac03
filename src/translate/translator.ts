import type { OtlpConfig } from '../config/types.ts'
import type { LabelPair } from '../relabel/label-pair.ts'
import { invalidTexts, readText } from '../wire/label.ts'
import { REASON_UTF8 } from '../wire/layout.ts'
import { MessageReader } from '../wire/message-reader.ts'
import { addAttributes } from './add-attributes.ts'
import { type Attribute, readAttribute } from './attribute.ts'
import { LabelList } from './label-list.ts'
import { type Metric, translateMetric } from './metric.ts'
import type { MetricKind } from './metric-name.ts'
import { createResourceReader, type Resource } from './resource.ts'
import { readScope, type Scope } from './scope.ts'

/** Text of OTLP: its bytes, lent for the call and checked to be UTF-8, or a string that is known to be well-formed. */
export type Text = Uint8Array | string

/**
 * Turns what OTLP calls things into what Prometheus calls them (spec 4.1 to 4.8, 4.11), under one `otlp` block. Called
 * when the series table meets something for the first time; the caller keeps the results for as long as it likes, they
 * never change. Messages are lent for the call only, and are well-formed protobuf; bad text in them is a result's
 * `problem`, not an error.
 */
export interface Translator {
  /** An attribute: a KeyValue message, without tag and length. */
  attribute(keyValue: Uint8Array): Attribute
  /** A Resource message. */
  resource(message: Uint8Array): Resource
  /** An InstrumentationScope message and the schema_url of its ScopeMetrics; for `promoteScopeMetadata` only. */
  scope(message: Uint8Array, schemaUrl: Text): Scope
  /** A metric. */
  metric(name: Text, unit: Text, kind: MetricKind): Metric
  /**
   * Fills `into`, the caller's array, with the labels of a point (spec 4.7, steps 1 to 4): each name once, no empty
   * values, in no order, without `__name__`. Labels are the objects of attributes, resource and scope wherever no values
   * were joined. Returns 0, or the REASON_ why the point can't be accepted: then the array's contents mean nothing.
   */
  labels(
    resource: Resource,
    scope: Scope | undefined,
    attributes: readonly Attribute[],
    into: LabelPair[],
  ): number
  /** Sets of labels, since the translator was made, in which values of equal names were joined with `;`. */
  readonly joined: number
}

/** A translator for the config; it has no state that results depend on. */
export function createTranslator(otlp: OtlpConfig): Translator {
  const strategy = otlp.translationStrategy
  const escaping = strategy.startsWith('Underscore')
  const metricNaming = { escape: escaping, suffixes: strategy.endsWith('WithSuffixes') }
  const labelNaming = {
    escape: escaping,
    underscoreSanitization: otlp.labelNameUnderscoreSanitization,
    preserveMultipleUnderscores: otlp.labelNamePreserveMultipleUnderscores,
  }
  let joined = 0
  const joining = { escape: escaping, dedupe: otlp.dedupeJoinedValues, joined: () => void joined++ }
  const readResource = createResourceReader(otlp, labelNaming, joining)
  const list = new LabelList()
  return {
    attribute: (keyValue) => readAttribute(new MessageReader(keyValue), labelNaming),
    resource: (message) => readResource(new MessageReader(message)),
    scope: (message, schemaUrl) => {
      const url = read(schemaUrl)
      const scope = readScope(new MessageReader(message), url.text, labelNaming)
      return url.valid || scope.pairs.length === 0 ? scope : { ...scope, problem: REASON_UTF8 }
    },
    metric: (nameText, unitText, kind) => {
      const name = read(nameText)
      const unit = read(unitText)
      return translateMetric(
        { name: name.text, nameValid: name.valid, unit: unit.text, unitValid: unit.valid },
        kind,
        metricNaming,
      )
    },
    labels: (resource, scope, attributes, into) => {
      const problem = resource.problem || (scope?.problem ?? 0)
      if (problem !== 0) return problem
      const refused = addAttributes(attributes, into, list, joining)
      if (refused !== 0) return refused
      for (const pair of resource.promoted) list.add(pair)
      if (resource.job !== undefined) list.set(resource.job)
      if (resource.instance !== undefined) list.set(resource.instance)
      if (scope === undefined) return 0
      for (const pair of scope.pairs) list.set(pair)
      for (const name of scope.absent) list.remove(name)
      return 0
    },
    get joined() {
      return joined
    },
  }
}

function read(text: Text): { readonly text: string; readonly valid: boolean } {
  if (typeof text === 'string') return { text, valid: true }
  const before = invalidTexts()
  const read = readText(text, 0, text.length)
  return { text: read, valid: invalidTexts() === before }
}
