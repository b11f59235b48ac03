import { churn } from './presets/churn.ts'
import { histograms } from './presets/histograms.ts'
import { kubernetes } from './presets/kubernetes.ts'
import { longValues } from './presets/long-values.ts'
import { nodeExporter } from './presets/node-exporter.ts'
import { wide } from './presets/wide.ts'
import type { SeriesSet } from './series-set.ts'

/** Their names. */
export type PresetName =
  | 'node_exporter'
  | 'kubernetes'
  | 'histograms'
  | 'wide'
  | 'long-values'
  | 'churn'

/** Series that look like life. */
export interface Preset {
  /** For `--help`. */
  readonly description: string
  /** Compiles its templates. */
  series(): SeriesSet
}

/** All of them. */
export const presets: Readonly<Record<PresetName, Preset>> = {
  node_exporter: {
    description: 'machines as node_exporter tells of them, about 240 series each',
    series: nodeExporter,
  },
  kubernetes: {
    description: 'pods of 50 series, with the names of cAdvisor and kube-state-metrics',
    series: kubernetes,
  },
  histograms: {
    description: 'histograms of 21 buckets: native in remote write, explicit in OTLP',
    series: histograms,
  },
  wide: { description: '60 labels on each series', series: wide },
  'long-values': { description: 'label values of about 1 and 4 kB', series: longValues },
  churn: {
    description: 'pods as in kubernetes, one in twenty replaced each round',
    series: churn,
  },
}
