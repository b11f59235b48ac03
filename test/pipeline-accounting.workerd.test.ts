import { describe, expect, test } from 'vitest'
import { itemKinds } from '../src/telemetry/metrics.ts'
import { gauges, type Message, type Rig, series, startRig, status, T } from './pipeline-rig.ts'

const CONFIG = `
remote_write:
  - {name: plain, url: "http://plain.test/", queue_config: {max_samples_per_send: 7}}
  - name: choosy
    url: http://choosy.test/
    send_exemplars: false
    send_native_histograms: false
    metadata_config: {send: false}
    write_relabel_configs: [{source_labels: [__name__], regex: "m1|mixed", action: drop}]
  - name: merging
    url: http://merging.test/
    max_bytes_per_send: 1KB
    on_failure: ignore
    write_relabel_configs: [{regex: pod, action: labeldrop}]
  - {name: small, url: "http://small.test/"}
  - {name: locked, url: "http://locked.test/"}
sluice:
  auth: none
  relabel_configs: [{source_labels: [__name__], regex: "debug_.*", action: drop}]
`

const histogram = (after: number) => ({
  count: { case: 'countInt', value: 3n } as const,
  sum: 4.5,
  positiveSpans: [{ offset: 1, length: 2 }],
  positiveDeltas: [1n, 1n],
  timestamp: BigInt(T + after),
})
const exemplar = (value: number) => ({
  value,
  timestamp: BigInt(T),
  labels: [{ name: 'id', value: 'x' }],
})
const family = (name: string) => ({ type: 1, metricFamilyName: name, help: 'Help.' })

/** All that can become of an item, in one message. */
const mixed: Message = {
  timeseries: [
    ...gauges(20).timeseries!,
    { ...series({ __name__: 'mixed' }, [1], [2, 1]), histograms: [histogram(0), histogram(1)] },
    { ...series({ __name__: 'traced' }, [1]), exemplars: [exemplar(1), exemplar(2)] },
    {
      ...series({ __name__: 'debug_a' }, [1], [2, 1]),
      exemplars: [exemplar(1)],
      histograms: [histogram(0)],
    },
    {
      ...series({ job: 'nameless' }, [1], [2, 1]),
      histograms: [histogram(0)],
      exemplars: [exemplar(3)],
    },
    series({ __name__: 'future' }, [1], [2, 1e12]),
    { ...series({ __name__: 'pods', pod: 'a' }, [1], [2, 1]), histograms: [histogram(0)] },
    { ...series({ __name__: 'pods', pod: 'b' }, [3], [4, 1]), histograms: [histogram(0)] },
    { ...series({ __name__: 'huge', text: 'x'.repeat(1100) }, [1]), histograms: [histogram(0)] },
  ],
  metadata: [family('a'), family('b')],
}

/** Every sample of the metrics page. */
async function counters(rig: Rig): Promise<Map<string, number>> {
  const { text } = await rig.get('/metrics')
  const lines = text.split('\n').filter((line) => line.startsWith('sluice_'))
  return new Map(lines.map((line) => [line.split(' ')[0]!, Number(line.split(' ')[1])]))
}

/** Sum of what the samples rose by whose name and labels match. */
function rise(before: Map<string, number>, after: Map<string, number>) {
  return (name: string, labels: Record<string, string>): number => {
    let sum = 0
    for (const [key, value] of after) {
      if (!key.startsWith(`sluice_${name}_items_total{`)) continue
      const all = Object.entries(labels).every(([k, v]) => key.includes(`${k}="${v}"`))
      if (all) sum += value - (before.get(key) ?? 0)
    }
    return sum
  }
}

const origins = ['plain', 'choosy', 'merging', 'small', 'locked']

/** Pushes a bit of everything to origins in every mood. */
async function work() {
  let turn = 0
  const rig = startRig(CONFIG, {
    origins: {
      plain: ({ samples }) => status(samples.some((s) => s.startsWith('m3{')) ? 400 : 204),
      choosy: () => status(turn % 2 ? 503 : 204),
      merging: () => status(turn % 3 ? 204 : 429),
      small: ({ message }) => status(message.timeseries.length > 3 ? 413 : 204),
      locked: 401,
    },
  })
  const before = await counters(rig)
  const answers: number[] = []
  for (turn = 0; turn < 6; turn++) {
    answers.push((await rig.push(mixed)).status)
    answers.push((await rig.push(gauges(10))).status)
    answers.push((await rig.push({ metadata: mixed.metadata! })).status)
    // Whole requests that are refused are not in the sums at all.
    answers.push((await rig.push(Uint8Array.of(9, 9, 9))).status)
  }
  await rig.settle()
  return { rig, answers, rose: rise(before, await counters(rig)) }
}

describe('the sums of what came in and what became of it', async () => {
  const { rig, answers, rose } = await work()

  test.each(origins.flatMap((origin) => itemKinds.map((kind) => [origin, kind] as const)))(
    'agree for %s and %s',
    (origin, kind) => {
      const received = rose('received', { kind })
      expect(received).toBeGreaterThan(0)
      expect(
        rose('dropped', { stage: 'ingress', kind }) +
          rose('rejected', { stage: 'ingress', kind }) +
          rose('dropped', { stage: origin, kind }) +
          rose('rejected', { stage: origin, kind }) +
          rose('superseded', { origin, kind }) +
          rose('delivered', { origin, kind }) +
          rose('origin_rejected', { origin, kind }) +
          rose('failed', { origin, kind }),
      ).toBe(received)
    },
  )

  test.each<[string, Record<string, string>, number]>([
    ['received', { kind: 'samples' }, 6 * (20 + 2 + 1 + 2 + 2 + 2 + 4 + 1 + 10)],
    ['received', { kind: 'histograms' }, 6 * 7],
    ['received', { kind: 'exemplars' }, 6 * 4],
    ['received', { kind: 'metadata' }, 6 * 4],
    ['dropped', { stage: 'ingress', kind: 'samples' }, 6 * 2],
    ['rejected', { stage: 'ingress', reason: 'no_name', kind: 'samples' }, 6 * 2],
    ['rejected', { stage: 'ingress', reason: 'future', kind: 'samples' }, 6],
    ['dropped', { stage: 'choosy', kind: 'samples' }, 6 * (1 + 2 + 1)],
    ['dropped', { stage: 'choosy', kind: 'exemplars' }, 6 * 2],
    ['dropped', { stage: 'choosy', kind: 'metadata' }, 6 * 4],
    ['superseded', { origin: 'merging', kind: 'samples' }, 6 * 2],
    ['superseded', { origin: 'merging', kind: 'histograms' }, 6],
    ['superseded', { origin: 'plain' }, 0],
    ['rejected', { stage: 'merging', reason: 'too_large', kind: 'samples' }, 6],
    ['rejected', { stage: 'merging', reason: 'too_large', kind: 'histograms' }, 6],
    ['delivered', { origin: 'small', kind: 'samples' }, 6 * (20 + 2 + 1 + 1 + 4 + 1 + 10)],
    ['delivered', { origin: 'locked' }, 0],
    ['failed', { origin: 'plain' }, 0],
  ])('%s%o is as it was sent: %i', (name, labels, count) => {
    expect(rose(name, labels)).toBe(count)
  })

  test('have something in each place', () => {
    for (const name of ['superseded', 'delivered', 'origin_rejected', 'failed']) {
      expect(rose(name, { kind: 'samples' }), name).toBeGreaterThan(0)
    }
    expect([...new Set(answers)].sort()).toEqual([400, 503])
  })

  test('are not counted twice where a request was cut again, as it was too many', async () => {
    const again = startRig(`
remote_write:
  - name: again
    url: http://again.test/
    queue_config: {max_samples_per_send: 1}
    send_exemplars: false
    write_relabel_configs: [{source_labels: [__name__], regex: m1, action: drop}, {regex: pod, action: labeldrop}]
sluice: {auth: none, limits: {subrequests: 3}}
`)
    const before = await counters(again)
    await again.push({ timeseries: mixed.timeseries! })
    const rose = rise(before, await counters(again))
    expect(again.arrivals).toHaveLength(1)
    const stage = 'again'
    expect(rose('dropped', { stage, kind: 'samples' })).toBe(1)
    expect(rose('dropped', { stage, kind: 'exemplars' })).toBe(3)
    expect(rose('superseded', { origin: stage, kind: 'samples' })).toBe(2)
  })

  test('agree in the log too, request by request', () => {
    const lines = rig.logged.filter(({ event, received }) => event === 'request' && received)
    expect(lines.length).toBeGreaterThan(10)
    for (const { received, dropped, rejected, origins } of lines as unknown as LogLine[]) {
      for (const origin of origins) {
        for (const kind of itemKinds) {
          const parts = [dropped, rejected, origin.delivered, origin.dropped, origin.rejected]
          parts.push(origin.superseded, origin.failed)
          const sum = parts.reduce((sum, part) => sum + (part?.[kind] ?? 0), 0)
          expect(sum, `${origin.origin} ${kind}`).toBe(received[kind] ?? 0)
        }
      }
    }
  })
})

type Counts = Partial<Record<string, number>>
interface LogLine {
  readonly received: Counts
  readonly dropped?: Counts
  readonly rejected?: Counts
  readonly origins: readonly (Record<string, Counts | undefined> & { origin: string })[]
}
