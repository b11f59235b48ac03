import { expect, test } from 'vitest'
import { createArrivalQueue } from '../../../scripts/origin/arrival-queue.ts'
import { createSeriesStore } from '../../../scripts/origin/series-store.ts'
import { seeded } from '../../../scripts/seeded.ts'

const LIMITS = { points: 5, series: 100, characters: 10_000 }
const up = (job: string) => ['__name__', 'up', 'job', job]

function contents(store: ReturnType<typeof createSeriesStore>): string[] {
  return [...store.all()].flatMap((series) => {
    const points = []
    for (let i = series.first; i < series.end; i++)
      points.push(`${JSON.parse(series.key)[3]} ${series.value(i)}@${series.time(i)}`)
    return points
  })
}

test('the oldest points go first, of whatever series, and series without points with them', () => {
  const store = createSeriesStore(LIMITS)
  for (let i = 0; i < 7; i++) store.sample(store.open(up(i < 2 ? 'old' : 'new')), i, i)
  expect(contents(store)).toEqual(['new 2@2', 'new 3@3', 'new 4@4', 'new 5@5', 'new 6@6'])
  expect([store.points, store.dropped, store.series]).toEqual([5, 2, 1])
  expect([...store.all('down')]).toEqual([])
})

test('a histogram is as heavy as it is long, and the last point stays even when it is too heavy', () => {
  const store = createSeriesStore(LIMITS)
  store.sample(store.open(up('a')), 1, 1)
  store.histogram(store.open(up('b')), 2, new Uint8Array(33))
  expect(contents(store)).toEqual(['a 1@1', 'b NaN@2'])
  store.sample(store.open(up('c')), 3, 3)
  expect(contents(store)).toEqual(['b NaN@2', 'c 3@3'])
  store.histogram(store.open(up('d')), 4, new Uint8Array(1000))
  expect(contents(store)).toEqual(['d NaN@4'])
})

test.each([
  ['series', { ...LIMITS, series: 2 }],
  ['characters of labels', { ...LIMITS, characters: 60 }],
])('the number of %s is bounded too', (_, limits) => {
  const store = createSeriesStore(limits)
  for (let i = 0; i < 4; i++) store.sample(store.open(up(String(i))), i, i)
  expect(contents(store)).toEqual(['2 2@2', '3 3@3'])
})

test('the marker that ends a series keeps its bits through all growth', () => {
  const store = createSeriesStore({ ...LIMITS, points: 100 })
  const stale = new DataView(Uint8Array.of(0x7f, 0xf0, 0, 0, 0, 0, 0, 2).buffer).getFloat64(0)
  const series = store.open(up('a'))
  for (let i = 0; i < 30; i++) i % 2 === 0 ? store.sample(series, i, stale) : store.stale(series, i)
  const view = new DataView(new ArrayBuffer(8))
  for (let i = 0; i < 30; i++) {
    view.setFloat64(0, series.value(i))
    expect(view.getBigUint64(0)).toBe(0x7ff0000000000002n)
  }
})

test('it holds what a plain list of the last points would hold', () => {
  const random = seeded(11)
  const store = createSeriesStore({ ...LIMITS, points: 50 })
  let plain: { job: string; text: string }[] = []
  for (let i = 0; i < 3000; i++) {
    const job = String(Math.floor(random() ** 3 * 40))
    store.sample(store.open(up(job)), i, i)
    plain = [...plain, { job, text: `${job} ${i}@${i}` }].slice(-50)
    if (i % 500 !== 499) continue
    expect(contents(store).sort()).toEqual(plain.map(({ text }) => text).sort())
    expect(store.series).toBe(new Set(plain.map((one) => one.job)).size)
  }
})

test('a queue gives back what was put into it, in order', () => {
  const queue = createArrivalQueue()
  let put = 0
  let got = 0
  for (const [puts, gets] of [
    [700, 600],
    [1500, 10],
    [3000, 4500],
    [50, 140],
  ] as const) {
    for (let i = 0; i < puts; i++) queue.push(put++)
    for (let i = 0; i < gets; i++) expect(queue.shift()).toBe(got++)
  }
  expect(queue.size).toBe(put - got)
})
