import SnappyJS from 'snappyjs'
import { expect, test } from 'vitest'
import { startRig, T } from './pipeline-rig.ts'

const MILLION = 1_000_000
const MOST = 2000

/** 18 MB once decoded, 500 requests to the origin: more than the limits allow by default. */
const CONFIG = `
remote_write: [{name: a, url: "http://a.test/", queue_config: {max_samples_per_send: ${MOST}}}]
sluice: {auth: none, deadline: 1m, limits: {body: 12MB, decoded: 24MB, subrequests: 1000}}
`

test('with raised limits, one series of a million points arrives whole, in order, within the batch limit', async () => {
  const rig = startRig(CONFIG)
  const { status } = await rig.push(longSeries())
  expect(status).toBe(204)
  expect(rig.arrivals.map(({ samples }) => samples.length)).toEqual(
    Array(MILLION / MOST).fill(MOST),
  )
  const got = rig.arrivals.flatMap(({ message }) => message.timeseries[0]!.samples)
  const wrong = got.findIndex(
    ({ value, timestamp }, i) => value !== sampleOf(i) || Number(timestamp) !== T + i,
  )
  expect([got.length, wrong]).toEqual([MILLION, -1])
  expect(rig.budget.used).toBe(0)
})

test('without them it is refused, and nothing of it is sent', async () => {
  const rig = startRig('remote_write: [{url: "http://a.test/"}]\nsluice: {auth: none}')
  expect((await rig.push(longSeries())).status).toBe(413)
  expect(rig.arrivals).toHaveLength(0)
})

function sampleOf(i: number): number {
  return i % 1000
}

/** A body with the series `up`, its samples a millisecond apart. */
function longSeries(): Uint8Array {
  const name = [0x0a, 14, 0x0a, 8, ...new TextEncoder().encode('__name__'), 0x12, 2, 0x75, 0x70]
  const SAMPLE = 18
  const length = name.length + MILLION * SAMPLE
  const head = [0x0a, ...varint(length)]
  const bytes = new Uint8Array(head.length + length)
  const view = new DataView(bytes.buffer)
  bytes.set([...head, ...name])
  for (let i = 0, at = head.length + name.length; i < MILLION; i++, at += SAMPLE) {
    bytes.set([0x12, SAMPLE - 2, 0x09], at)
    view.setFloat64(at + 3, sampleOf(i), true)
    bytes.set([0x10, ...varint(T + i)], at + 11)
  }
  return new Uint8Array(SnappyJS.compress(bytes))
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  return [...bytes, rest]
}
