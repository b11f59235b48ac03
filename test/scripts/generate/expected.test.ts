// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import { describe, expect, test } from 'vitest'
import { expected } from '../../../scripts/generate/expected.ts'
import { seriesSet } from '../../../scripts/generate/series-set.ts'

describe('expected', () => {
  const labels = { __name__: 'm', pod: 'p-${series_id/2}-${generation}', Z: '${series_id%2}' }
  const set = seriesSet({ labels }, { group: 2, rounds: 2 })

  test('is what series and round make of the templates, with the extra labels, sorted', () => {
    const { labels: found, read, kind } = expected('otlp', set, { run: 'x' }).series(3, 3)
    expect([...found]).toEqual([
      ['Z', '1'],
      ['__name__', 'm'],
      ['pod', 'p-1-2'],
      ['run', 'x'],
    ])
    expect({ read, kind }).toEqual({ read: 'value', kind: 'gauge' })
  })

  test.each([
    ['remotewrite1', 'm', 'count'],
    ['remotewrite2', 'm', 'count'],
    ['otlp', 'm_count', 'value'],
    ['otlp-json', 'm_count', 'value'],
  ] as const)('of a histogram in %s is %s, read by its %s', (protocol, name, read) => {
    const histograms = seriesSet({ labels: { __name__: 'm' }, kind: 'histogram' })
    const series = expected(protocol, histograms).series(0, 0)
    expect([series.labels.get('__name__'), series.read]).toEqual([name, read])
  })
})
