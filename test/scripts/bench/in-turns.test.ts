import { spawn } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compressedBodies } from '../../../scripts/bench/bodies.ts'
import { type Comparison, inTurns } from '../../../scripts/bench/in-turns.ts'
import { runLoad } from '../../../scripts/bench/load.ts'
import { peakMebibytes, resetPeak } from '../../../scripts/bench/process-use.ts'
import type { Receiver } from '../../../scripts/bench/receivers/receiver.ts'
import { type Sink, startSink } from '../../../scripts/bench/sink.ts'
import { version2Of } from '../../../scripts/bench/version2.ts'

let sink: Sink
beforeAll(async () => {
  sink = await startSink()
})
afterAll(() => sink.stop())

const bodies = compressedBodies({ shape: 'kubernetes', series: 700, perRequest: 100 })
const load = { connections: 2, milliseconds: 10_000, requests: 7 }

test('a sink counts requests and bytes, and samples while it looks', async () => {
  const before = await sink.counts()
  const { url } = sink
  await runLoad({ ...load, url, bodies, protocol: 'remotewrite1' })
  await sink.look(true)
  const version2 = bodies.map(version2Of)
  await runLoad({ ...load, url, bodies, protocol: 'remotewrite1' })
  await runLoad({ ...load, url, bodies: version2, protocol: 'remotewrite2' })
  const after = await sink.look(false)
  const length = (all: readonly Uint8Array[]) => all.reduce((sum, body) => sum + body.length, 0)
  expect(after.requests - before.requests).toBe(21)
  expect(after.bytes - before.bytes).toBe(2 * length(bodies) + length(version2))
  expect(after.samples - before.samples).toBe(1400)
})

test('it answers 409 where it is asked to, and that may be what is wanted', async () => {
  const conflict = { ...load, url: sink.conflictUrl, bodies, protocol: 'remotewrite1' } as const
  expect(await runLoad(conflict)).toMatchObject({
    errors: 7,
    firstError: '409 out of order sample',
  })
  expect(await runLoad({ ...conflict, status: 409 })).toMatchObject({ errors: 0, requests: 7 })
})

test.runIf(process.platform === 'linux')(
  'in turns every receiver gets every body of every round, and the share that it sends on is known',
  async () => {
    const asked: [number, number][] = []
    const receiver = (name: string): Receiver => ({
      name,
      url: sink.url,
      otlpUrl: sink.url,
      pid: process.pid,
      drained: async () => {},
      ownMetric: async () => Number.NaN,
      stop: async () => {},
    })
    const comparison: Comparison = {
      name: 'test',
      protocol: 'remotewrite1',
      bodies: (round, connections) => {
        asked.push([round, connections])
        return bodies
      },
      once: true,
      connections: [2, 1],
      itemsPerRequest: 100,
      effort: { rounds: 2, seconds: 0.01, quick: true },
      progress: () => undefined,
    }
    const compared = await inTurns([receiver('a'), receiver('b')], sink, comparison)
    const requests = (name: string, connections: number) =>
      compared.of(name, connections).map((one) => [one.requests, one.errors])
    for (const name of ['a', 'b']) {
      for (const connections of [2, 1]) {
        expect(requests(name, connections)).toEqual([
          [7, 0],
          [7, 0],
        ])
      }
      expect(compared.shares.get(name)).toBe(1)
    }
    expect(compared.straight(1)).toHaveLength(2)
    expect(asked.filter(([round]) => round >= 0)).toEqual([
      [0, 2],
      [0, 1],
      [1, 2],
      [1, 1],
    ])
  },
)

test.runIf(process.platform === 'linux')('the peak of a process can begin anew', async () => {
  const code = `
    let block = Buffer.alloc(200_000_000, 1)
    block = undefined
    gc()
    setTimeout(() => process.send('less'), 200)
    setInterval(() => {}, 1000)
  `
  const child = spawn(process.execPath, ['--expose-gc', '--eval', code], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  try {
    await new Promise((resolve) => child.once('message', resolve))
    const pid = child.pid!
    expect(peakMebibytes(pid)).toBeGreaterThan(190)
    // Where the system forbids it, the peak stays.
    const isReset = resetPeak(pid)
    expect(peakMebibytes(pid) < 150).toBe(isReset)
  } finally {
    child.kill('SIGKILL')
  }
})
