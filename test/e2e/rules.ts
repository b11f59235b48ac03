import { createHash } from 'node:crypto'
import type { Labels } from './series.ts'

/** `sluice.relabel_configs` of the tests. */
export const ingressRules = [
  { source_labels: ['__name__'], regex: 'scratch_.*', action: 'drop' },
  { source_labels: ['instance'], regex: '([^:]+):.*', target_label: 'host', replacement: '$1' },
]

/** `global.external_labels` of the tests. Senders bring their own `cluster`, which stays. */
export const externalLabels = { edge: 'fra', cluster: 'only where there is none' }

/** `write_relabel_configs` of the tests' origins. */
export const originRules = [
  { source_labels: ['__name__'], regex: 'go_.*', action: 'drop' },
  { source_labels: ['status'], regex: '5..', target_label: 'class', replacement: 'error' },
  { regex: 'container', action: 'labeldrop' },
  { source_labels: ['pod'], modulus: 8, target_label: '__tmp_shard', action: 'hashmod' },
  { regex: '__tmp_(.+)', replacement: '$1', action: 'labelmap' },
  { regex: '__tmp_.*', action: 'labeldrop' },
  { source_labels: ['edge', 'job'], separator: '/', target_label: 'workload' },
  { source_labels: ['node'], target_label: 'node', action: 'lowercase' },
]

/** What a sender's label set is at an origin after all of the above, in plain words. Undefined where it is dropped. */
export function asConfigured(sent: Labels): Labels | undefined {
  if (/^(scratch|go)_/.test(sent.__name__)) return undefined
  const { container: _, ...labels }: Labels = { ...externalLabels, ...sent }
  return {
    ...labels,
    host: '127.0.0.1',
    class: sent.status?.startsWith('5') ? 'error' : '',
    shard: shardOf(sent.pod ?? ''),
    workload: `${labels.edge}/${sent.job}`,
    node: (sent.node ?? '').toLowerCase(),
  }
}

function shardOf(pod: string): string {
  const digest = createHash('md5').update(pod).digest()
  return String(digest.readBigUInt64BE(8) % 8n)
}
