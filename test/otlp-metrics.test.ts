import { describe, expect, test } from 'vitest'
import { partialSuccess } from '../src/otlp-metrics.ts'
import type { Written } from '../src/pipeline.ts'

/** A request of ten points, all of which went to one origin, which refused so much. */
function written(rejected: object, messages: readonly string[] = ['origin said no']): Written {
  const origin = { name: 'origin' }
  const counts = { samples: 0, histograms: 0, exemplars: 0, metadata: 0 }
  return {
    config: { origins: [origin] },
    batch: {
      points: { received: 10, dropped: 0, rejected: [] },
      refusals: [],
      cargos: [],
    },
    loaded: { rejected: [], idsDropped: 0 },
    tooLarge: [],
    leftOut: new Map(),
    results: [{ origin, rejected: { ...counts, ...rejected }, messages }],
  } as unknown as Written
}

describe('points that an origin refused', () => {
  test.each([
    { what: 'all of a piece', rejected: { samples: 40, points: 10 }, points: 10 },
    { what: 'two of many samples', rejected: { samples: 2, points: 10 }, points: 2 },
    {
      what: 'a sample and a histogram',
      rejected: { samples: 1, histograms: 1, points: 10 },
      points: 2,
    },
    { what: 'nothing but exemplars', rejected: { exemplars: 3, points: 10 }, points: 0 },
    { what: 'a sample of no point that is known', rejected: { samples: 3 }, points: 1 },
    { what: 'more than there were', rejected: { samples: 90, points: 12 }, points: 10 },
  ])('$what: $points', ({ rejected, points }) => {
    expect(partialSuccess(written(rejected))).toEqual({
      rejected: points,
      message: 'origin said no',
    })
  })

  test('those too that were too large when a piece was made again', () => {
    const one = written({}, [])
    const [origin] = one.config.origins
    const counts = { samples: 2, histograms: 1, exemplars: 0, metadata: 0 }
    const leftOut = new Map([[origin!, { dropped: counts, oversize: counts }]])
    expect(partialSuccess({ ...one, leftOut, tooLarge: ['too large'] })).toEqual({
      rejected: 3,
      message: 'too large',
    })
  })

  test('none: there is nothing to say', () => {
    expect(partialSuccess(written({}, []))).toBeUndefined()
  })
})
