import { expect, test } from 'vitest'
import { parseSamplesQuery, samplesQueryText } from '../../src/embedded/samples-query.ts'

test.each([
  ['', { label: '', value: '', after: 0 }],
  ['after=12', { label: '', value: '', after: 12 }],
  ['after=newest&label=', { label: '', value: '', after: 'newest' }],
  ['label=run&value=a%20b%26c&after=7', { label: 'run', value: 'a b&c', after: 7 }],
  ['label=run', 'label and value belong together'],
  ['value=x', 'label and value belong together'],
  ['after=-1', 'after is neither a number nor newest'],
  ['after=1e3', 'after is neither a number nor newest'],
  ['after=1234567890123456', 'after is neither a number nor newest'],
  [`label=a&value=${'v'.repeat(1001)}`, 'label and value have up to 1000 characters'],
])('%s', (text, wanted) => {
  const query = parseSamplesQuery(new URLSearchParams(text))
  expect(query).toEqual(wanted)
  if (typeof query === 'string') return
  expect(parseSamplesQuery(new URLSearchParams(samplesQueryText(query)))).toEqual(query)
})
