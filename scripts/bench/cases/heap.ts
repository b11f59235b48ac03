import { benchConfig } from '../bench-config.ts'
import { compressedBodies } from '../bodies.ts'
import type { BenchCase } from '../case.ts'
import { inProcess } from '../section.ts'

/** What a request leaves behind for the garbage collector when all of its series are known. */
export const heapCases: readonly BenchCase[] = [
  heapCase('heap/200', 200),
  heapCase('heap/20000', 20_000),
  heapCase('heap/20000/two-payloads', 20_000, 20_000),
]

function heapCase(name: string, series: number, samplesPerSend?: number): BenchCase {
  return {
    name,
    items: series,
    unit: 'series',
    make() {
      const [body] = compressedBodies({ shape: 'pod-per-series', series, perRequest: series })
      const { run } = inProcess(benchConfig({ samplesPerSend }))
      run(body)
      if (run(body).missed > 0) throw new Error('BUG: the table does not hold them all')
      return { sluice: { run: () => run(body) } }
    },
  }
}
