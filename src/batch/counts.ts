import type { Kernel } from '../kernel/kernel.ts'
import { EXEMPLARS, HISTOGRAMS, METADATA, SAMPLES } from '../wire/layout.ts'

/** Numbers of items by kind. */
export interface MutableCounts {
  samples: number
  histograms: number
  exemplars: number
  metadata: number
}

export function zeroCounts(): MutableCounts {
  return { samples: 0, histograms: 0, exemplars: 0, metadata: 0 }
}

/** Four words of the kernel's report, one a kind. */
export function reportCounts(kernel: Kernel, word: number): MutableCounts {
  return {
    samples: kernel.report(word + SAMPLES),
    histograms: kernel.report(word + HISTOGRAMS),
    exemplars: kernel.report(word + EXEMPLARS),
    metadata: kernel.report(word + METADATA),
  }
}

/** Adds the four words to `sum`. */
export function addReport(sum: MutableCounts, kernel: Kernel, word: number): void {
  sum.samples += kernel.report(word + SAMPLES)
  sum.histograms += kernel.report(word + HISTOGRAMS)
  sum.exemplars += kernel.report(word + EXEMPLARS)
  sum.metadata += kernel.report(word + METADATA)
}

export function totalOf(counts: Readonly<MutableCounts>): number {
  return counts.samples + counts.histograms + counts.exemplars + counts.metadata
}
