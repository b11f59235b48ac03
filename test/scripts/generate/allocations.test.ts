import { expect, test } from 'vitest'
import { measureAllocations } from '../../../scripts/bench/measure-allocations.ts'
import { presets } from '../../../scripts/generate/presets.ts'
import { messageWriter } from '../../../scripts/generate/request-writer.ts'

const NOW = 1_764_550_000_123
const SERIES = 2_000
/** What a request may cost as a whole: far fewer than its series. */
const MOST = SERIES / 4

test.each(['remotewrite1', 'remotewrite2', 'otlp', 'otlp-json'] as const)(
  'once it is warm, a writer of %s allocates nothing per series',
  async (protocol) => {
    const writer = messageWriter({ protocol, series: presets.kubernetes.series() })
    let round = 0
    const run = () => {
      writer.write((round * SERIES) % 20_000, SERIES, NOW + round, round + 1, round)
      round++
    }
    for (let i = 0; i < 120; i++) run()
    expect(await measureAllocations({ run }, 1_000_000)).toBeLessThan(MOST)
  },
)
