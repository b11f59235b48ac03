import type { Rig } from './pipeline-rig.ts'

/** By how much samples of Sluice's own metrics rose: those of this name, without `sluice_`, that have all of these labels. */
export type Rose = (name: string, labels?: Readonly<Record<string, string>>) => number

/** Remembers the metrics as they are; the result asks for those of that moment, and says how much they rose till then. */
export async function watchMetrics(rig: Rig): Promise<() => Promise<Rose>> {
  const before = await samplesOf(rig)
  return async () => {
    const after = await samplesOf(rig)
    return (name, labels = {}) => {
      let sum = 0
      for (const [key, value] of after) {
        if (key !== `sluice_${name}` && !key.startsWith(`sluice_${name}{`)) continue
        const all = Object.entries(labels).every(([k, v]) => key.includes(`${k}="${v}"`))
        if (all) sum += value - (before.get(key) ?? 0)
      }
      return sum
    }
  }
}

/** Both sides of the sum that must agree for each origin and kind: what came in, and what became of it. */
export function balanceOf(rose: Rose, origin: string, kind: string): [came: number, went: number] {
  const expanded = kind === 'histograms' ? rose('expanded_histograms_total', { origin }) : 0
  const made = kind === 'samples' ? rose('expanded_samples_total', { origin }) : 0
  const staged = ['dropped_items_total', 'rejected_items_total']
  const settled = ['superseded', 'delivered', 'origin_rejected', 'failed']
  const went = [
    ...staged.map((name) => rose(name, { stage: 'ingress', kind })),
    ...staged.map((name) => rose(name, { stage: origin, kind })),
    ...settled.map((name) => rose(`${name}_items_total`, { origin, kind })),
    kind === 'metadata' ? rose('attached_metadata_total', { origin }) : 0,
  ]
  const came = rose('received_items_total', { kind }) - expanded + made
  return [came, went.reduce((sum, n) => sum + n, 0)]
}

async function samplesOf(rig: Rig): Promise<Map<string, number>> {
  const { text } = await rig.get('/metrics')
  const lines = text.split('\n').filter((line) => line.startsWith('sluice_'))
  return new Map(lines.map((line) => [line.split(' ')[0]!, Number(line.split(' ')[1])]))
}
