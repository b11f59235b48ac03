import { expect, test } from 'vitest'
import { tallyFor } from '../../src/deliver/origin-result.ts'
import type { Outcome } from '../../src/deliver/outcome.ts'
import { addCounts, NO_COUNTS } from '../../src/deliver/payload.ts'
import { verdict } from '../../src/deliver/verdict.ts'
import { originConfig } from './fixtures.ts'

const CARRIED = { samples: 5, histograms: 3, exemplars: 2, metadata: 1 }
const WRITTEN = { samples: 4, histograms: 3, exemplars: 0, metadata: 1 }

function partial(status: number, message: string): Outcome {
  return { kind: 'rejected', status, message, written: WRITTEN }
}

test('what was written is delivered, the rest rejected, and it goes on', () => {
  for (const status of [204, 400]) {
    const tally = tallyFor(originConfig())
    expect(tally.settle(partial(status, 'some'), CARRIED)).toBe('go on')
    const { delivered, rejected, failed, worst, messages } = tally.result()
    expect(delivered).toEqual(WRITTEN)
    expect(rejected).toEqual({ samples: 1, histograms: 0, exemplars: 2, metadata: 0 })
    expect(failed).toEqual(NO_COUNTS)
    expect(addCounts(delivered, rejected)).toEqual(CARRIED)
    expect({ worst, messages }).toEqual({ worst: 'rejected', messages: ['some'] })
  }
})

test('a partial write is a 400, and a busy piece beside it a 503', () => {
  const tally = tallyFor(originConfig())
  tally.settle({ kind: 'delivered', status: 204 }, CARRIED)
  tally.settle(partial(204, 'some'), CARRIED)
  const judged = () => verdict([{ result: tally.result() }], { rejected: [] }, () => 0)
  expect(judged()).toEqual({ status: 400, message: 'some' })
  tally.settle({ kind: 'busy', message: 'later' }, CARRIED)
  expect(judged()).toEqual({ status: 503, retryAfter: 1, message: 'later; some' })
})

test('a 400 that claims to have written all is a 400 all the same', () => {
  const tally = tallyFor(originConfig())
  tally.settle({ kind: 'rejected', status: 400, message: 'no', written: CARRIED }, CARRIED)
  const result = tally.result()
  expect(result).toMatchObject({ delivered: CARRIED, rejected: NO_COUNTS, worst: 'rejected' })
  expect(verdict([{ result }], { rejected: [] }, () => 0)).toEqual({ status: 400, message: 'no' })
})
