import { expect, test } from 'vitest'
import { cases } from '../../../scripts/bench/cases.ts'
import { groups } from '../../../scripts/bench/groups.ts'
import { peerGroups } from '../../../scripts/bench/peer-groups.ts'
import { selectCases } from '../../../scripts/bench/select.ts'

function selected(filter?: string, of = groups): string[] {
  return selectCases(of, filter).flatMap(({ names }) => names)
}

test('no name is there twice', () => {
  const names = selected('', [...groups, ...peerGroups])
  expect(names).toEqual([...new Set(names)])
})

test('no title is there twice: the document has its sections by them', () => {
  const titles = [...groups, ...peerGroups].map(({ title }) => title)
  expect(titles).toEqual([...new Set(titles)])
})

test('every case is in a group', () => {
  const names = selected()
  for (const { name } of cases) expect(names).toContain(name)
})

test.for([
  ['^heap/200$', ['heap/200']],
  ['^snappy', ['snappy/decode', 'snappy/encode']],
  ['series-of/1000($|/)', ['series-of/1000', 'series-of/1000/distinct']],
  ['nothing of this name', []],
] as const)('the filter %s selects %s', ([filter, names]) => {
  expect(selected(filter)).toEqual(names)
})

test('a group without a matching case is left out', () => {
  expect(selectCases(groups, '^emit$')).toHaveLength(1)
})

test('what is no regex is refused', () => {
  expect(() => selected('(')).toThrow(SyntaxError)
})

test('the names that notes refer to are there', () => {
  const shapes = (prefix: string) => [`${prefix}/pod-per-series`, `${prefix}/kubernetes`]
  const promised = [
    ...['warm', 'new', 'first-request'].flatMap((state) => shapes(`remotewrite1/${state}`)),
    ...['200', '20000'].map((n) => `heap/${n}`),
    ...['100', '1000', '10000', '100000'].map((n) => `series-of/${n}`),
    ...['100', '1000', '10000'].map((n) => `execute/${n}`),
    ...['known', 'new'].map((state) => `push/varying/${state}`),
    ...shapes('table/capacity'),
    ...['snappy/decode', 'snappy/encode', 'resolve/hit', 'resolve/miss', 'emit'],
    ...['emit/2', 'relabel/new', 'relabel/known', 'proxy/active-series'],
    ...['remotewrite1', 'remotewrite2', 'otlp'].map((from) => `proxy/connections/${from}`),
    ...['', '/conflict'].flatMap((suffix) =>
      ['500', '5000', 'large-values'].map((what) => `receive/${what}${suffix}`),
    ),
    ...['proxy/large-values', 'proxy/large-values/conflict', 'series-of/1000000'],
    ...['1', '2', 'otlp'].flatMap((from) => [`request/${from}-1`, `request/${from}-2`]),
    ...['2-2', '2-1', '1-2'].flatMap((direction) => shapes(`remotewrite2/${direction}`)),
    ...['remotewrite2/payload', 'otlp/warm', 'otlp/new', 'otlp/histograms', 'otlp/json'],
    ...['otlp/gunzip', 'labels/createAttributes'],
  ]
  expect(selected()).toEqual(expect.arrayContaining(promised))
})

test('and those beside other programs', () => {
  const promised = ['warm', 'new'].flatMap((state) =>
    ['pod-per-series', 'kubernetes'].map((shape) => `peers/remotewrite1/${state}/${shape}`),
  )
  expect(selected('', peerGroups)).toEqual([...promised, 'peers/otlp'])
})
