import { createHash } from 'node:crypto'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { RE2JS } from 're2js'
import SnappyJS from 'snappyjs'
import { compileRelabelRegex } from '../../src/config/relabel-config.ts'
import type { RelabelConfig } from '../../src/config/types.ts'
import {
  LabelSchema,
  type TimeSeries,
  type WriteRequest,
  WriteRequestSchema,
} from '../../src/wire/gen/prometheus_pb.js'

/** Labels as an object would hold them. */
export type PlainLabels = Map<string, string>
type Labels = PlainLabels
type Rule = (labels: Labels) => boolean

/**
 * The plain way, which the benchmarks compare with: snappyjs and protobuf-es, and rules run on objects with a compiled regex each, one series
 * after the other. It trusts what it decodes, as only a benchmark may.
 */
export function plainWay(configs: readonly RelabelConfig[]): (body: Uint8Array) => Uint8Array {
  const relabel = plainRelabel(configs)
  return (body) => {
    const request = fromBinary(WriteRequestSchema, new Uint8Array(SnappyJS.uncompress(body)))
    relabel(request)
    return new Uint8Array(SnappyJS.compress(toBinary(WriteRequestSchema, request)))
  }
}

/** Its middle: relabels a decoded request in place. */
export function plainRelabel(configs: readonly RelabelConfig[]): (request: WriteRequest) => void {
  const isKept = plainRules(configs)
  return (request) => {
    const timeseries: TimeSeries[] = []
    for (const series of request.timeseries) {
      const labels: Labels = new Map()
      for (const { name, value } of series.labels) labels.set(name, value)
      if (!isKept(labels)) continue
      series.labels = [...labels]
        .filter(([, value]) => value !== '')
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => create(LabelSchema, { name, value }))
      timeseries.push(series)
    }
    request.timeseries = timeseries
  }
}

/** Its rules: false when they drop the series, else they have changed its labels. */
export function plainRules(configs: readonly RelabelConfig[]): Rule {
  const rules = configs.map((config) => plainRule(config, compileRelabelRegex(config.regex)))
  return (labels) => rules.every((rule) => rule(labels))
}

/** The actions that the rules of the comparison use. */
function plainRule(config: RelabelConfig, regex: RE2JS): Rule {
  const { sourceLabels, separator, action, targetLabel, replacement, modulus } = config
  const value = (labels: Labels) =>
    sourceLabels.map((name) => labels.get(name) ?? '').join(separator)
  const set = (labels: Labels, text: string) => {
    labels.set(targetLabel, text)
    return true
  }
  switch (action) {
    case 'drop':
      return (labels) => !regex.test(value(labels))
    case 'labeldrop':
      return (labels) => {
        for (const name of labels.keys()) if (regex.test(name)) labels.delete(name)
        return true
      }
    case 'lowercase':
      return (labels) => set(labels, value(labels).toLowerCase())
    case 'hashmod':
      return (labels) => {
        const digest = createHash('md5').update(value(labels)).digest()
        return set(labels, String(digest.readBigUInt64BE(8) % modulus))
      }
    case 'replace':
      return (labels) => {
        const matcher = regex.matcher(value(labels))
        if (!matcher.find()) return true
        return set(
          labels,
          replacement.replace('$1', () => matcher.group(1) ?? ''),
        )
      }
    default:
      throw new Error(`the plain way does not know ${action}`)
  }
}
