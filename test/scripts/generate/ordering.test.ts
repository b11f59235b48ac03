import { expect, test } from 'vitest'
import { type CommandLine, createCommand } from '../../../scripts/generate/command.ts'
import { planOf } from '../../../scripts/generate/plan.ts'
import { run } from '../../../scripts/generate/run.ts'
import { seeded } from '../../../scripts/seeded.ts'
import { decoded, decompressed } from './decoded.ts'
import { startReceiver } from './receiver.ts'

test.each([
  ['--rate', '3000'],
  ['--vus', '8'],
])(
  'with %s %s each series comes in order under slow answers, one request at a time',
  async (...load) => {
    const random = seeded(66)
    const lasts = new Map<string, { timestamp: bigint; value: number }>()
    const busy = new Set<string>()
    let most = 0
    let inFlight = 0
    let refused = 0
    const { url } = await startReceiver(({ body }, response) => {
      most = Math.max(most, ++inFlight)
      const samples = decoded('remotewrite1', decompressed('snappy', body))
      const keys = samples.map(({ labels }) => JSON.stringify(labels))
      for (const [i, key] of keys.entries()) {
        const { timestamp, value } = samples[i]!
        const last = lasts.get(key)
        if (last !== undefined) {
          expect(timestamp > last.timestamp).toBe(true)
          expect(value).toBeGreaterThan(last.value)
        }
        lasts.set(key, { timestamp, value })
        expect(busy.has(key), 'no two requests of a series at once').toBe(false)
        busy.add(key)
      }
      // Some are refused: their series go on all the same.
      const status = random() < 0.2 ? 503 : 204
      if (status === 503) refused += 1
      setTimeout(() => {
        inFlight -= 1
        for (const key of keys) busy.delete(key)
        response.writeHead(status).end()
      }, random() * 40)
    })
    const small = ['--series', '100', '--samples-per-request', '15', '--duration', '1s']
    const words = ['--url', url, ...small, ...load, '--json']
    const plan = planOf(createCommand().parse(words, { from: 'user' }).opts<CommandLine>(), {})
    let stdout = ''
    const write = (text: string) => (stdout += text)
    const interrupt = { code: undefined, onFirst: () => {}, end: () => {} }
    await run(plan, { stdout: { write }, stderr: { write: () => {} } }, interrupt)
    const { requests, statuses } = JSON.parse(stdout)
    expect(lasts.size).toBe(100)
    expect(requests).toBeGreaterThan(100)
    expect(statuses[503]).toBe(refused)
    expect(most).toBeGreaterThan(2)
    expect(most).toBeLessThanOrEqual(7)
  },
)
