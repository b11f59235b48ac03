import { describe, expect, test } from 'vitest'
import { seeded } from '../scripts/seeded.ts'
import { type Sleep, sleep } from '../src/deliver/sleep.ts'
import kernelModule from '../src/kernel/kernel.wasm'
import { metrics } from '../src/telemetry/metrics.ts'
import { Workspace } from '../src/workspace.ts'
import { type Arrival, type Message, type Rig, series, startRig, status } from './pipeline-rig.ts'

/** One push of the test: what is sent, and what each origin is to get, as `Arrival.samples` has it. */
interface Sent {
  readonly message: Message
  readonly wanted: Readonly<Record<string, readonly string[]>>
}

const CONFIG = `
global: {external_labels: {edge: fra}}
remote_write:
  - name: a
    url: http://a.test/
    queue_config: {max_samples_per_send: 60}
    write_relabel_configs: [{regex: secret, action: labeldrop}]
  - name: b
    url: http://b.test/
    write_relabel_configs:
      - {source_labels: [k], regex: "1", action: drop}
      - {source_labels: [push], target_label: from, replacement: "$1!"}
  - {name: c, url: "http://c.test/", on_failure: ignore, max_bytes_per_send: 2KB}
  # Gets the same bytes as c, at its own pace.
  - {name: d, url: "http://d.test/", on_failure: ignore, max_bytes_per_send: 2KB}
sluice: {auth: none, deadline: 20s}
`

/** Push i: from one sample to some hundreds, in series that no other push has; every value is its own. */
function pushOf(i: number, random: () => number): Sent {
  const many = 1 + Math.floor(random() ** 4 * 40)
  const long = 1 + Math.floor(random() ** 4 * 12)
  const c: string[] = []
  const wanted = { a: [] as string[], b: [] as string[], c, d: c }
  const timeseries = Array.from({ length: many }, (_, k) => {
    const samples = Array.from({ length: long }, (_, n) => [i * 1000 + k + n / 100, n] as const)
    for (const [value, n] of samples) {
      const own = `push="p${i}"`
      const secret = `secret="s${i}"`
      wanted.a.push(`m{edge="fra",k="${k}",${own}} ${value}@${n}`)
      if (k !== 1)
        wanted.b.push(`m{edge="fra",from="p${i}!",k="${k}",${own},${secret}} ${value}@${n}`)
      wanted.c.push(`m{edge="fra",k="${k}",${own},${secret}} ${value}@${n}`)
    }
    return series({ __name__: 'm', k: `${k}`, push: `p${i}`, secret: `s${i}` }, ...samples)
  })
  return { message: { timeseries }, wanted }
}

function pushes(count: number, seed: number): Sent[] {
  const random = seeded(seed)
  return Array.from({ length: count }, (_, i) => pushOf(i, random))
}

/** The push that an arrival is of; there must be exactly one. */
function pushIn({ samples }: Pick<Arrival, 'samples'>): string {
  const found = new Set(samples.map((text) => /push="(p\d+)"/.exec(text)![1]!))
  expect([...found]).toHaveLength(1)
  return [...found][0]!
}

/** What an origin took, by push. */
function takenBy(rig: Rig, origin: string): Map<string, string[]> {
  const byPush = new Map<string, string[]>()
  for (const arrival of rig.taken) {
    if (arrival.origin !== origin) continue
    const push = pushIn(arrival)
    byPush.set(push, [...(byPush.get(push) ?? []), ...arrival.samples])
  }
  return byPush
}

/** Payloads that are out; what comes back is overwritten at once. */
function watchPool({ pool }: Workspace): Set<ArrayBufferLike> {
  const out = new Set<ArrayBufferLike>()
  const copy = pool.copy.bind(pool)
  const give = pool.give.bind(pool)
  pool.copy = (bytes) => {
    const copied = copy(bytes)
    expect(out.has(copied.buffer)).toBe(false)
    out.add(copied.buffer)
    return copied
  }
  pool.give = (bytes) => {
    expect(out.delete(bytes.buffer)).toBe(true)
    bytes.fill(0xee)
    give(bytes)
  }
  return out
}

/** A test is one request to workerd, which may have 10,000 timers: those for deadlines, which none is to reach, are left out. */
const deps = { sleep: ((ms, wake) => (ms < 1000 ? sleep(ms, wake) : () => {})) satisfies Sleep }

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('a thousand pushes at once', () => {
  test('through slow origins arrive whole, each on its own, once', async () => {
    const random = seeded(1)
    const slow = (ms: number) => async () => {
      await pause(random() * ms)
      return status(204)
    }
    const rig = startRig(CONFIG, {
      origins: { a: slow(50), b: 204, c: slow(30), d: slow(5) },
      deps,
    })
    const out = watchPool(rig.workspace)
    const sent = pushes(1000, 2)
    const answers = await Promise.all(sent.map(({ message }) => rig.push(message)))
    expect(answers.findIndex(({ status }) => status !== 204)).toBe(-1)
    await rig.settle()
    for (const origin of ['a', 'b', 'c', 'd']) {
      const taken = takenBy(rig, origin)
      for (const [i, { wanted }] of sent.entries()) {
        const got = taken.get(`p${i}`) ?? []
        expect(got.sort(), `push ${i} at ${origin}`).toEqual([...wanted[origin]!].sort())
      }
    }
    expect([rig.budget.used, out.size]).toEqual([0, 0])
  })

  test('to origins that fail at random are answered by what happened', async () => {
    const random = seeded(3)
    const codes = new Map<string, number[]>()
    const moody = async (arrival: Arrival) => {
      const { origin, samples } = arrival
      const push = pushIn(arrival)
      await pause(random() * 20)
      const mood = random()
      let code = mood < 0.03 ? 503 : mood < 0.06 ? 400 : mood < 0.09 ? 429 : 204
      if (origin === 'a' && samples.length > 25) code = 413
      if (origin === 'b' && push.endsWith('7') && /k="2"/.test(`${samples}`)) code = 413
      if (origin === 'b' && mood > 0.97) throw new Error('connection reset')
      codes.set(`${push} ${origin}`, [...(codes.get(`${push} ${origin}`) ?? []), code])
      return status(code)
    }
    const rig = startRig(CONFIG, { origins: { a: moody, b: moody, c: moody, d: moody }, deps })
    const out = watchPool(rig.workspace)
    const sent = pushes(1000, 4)
    const answers = await Promise.all(sent.map(({ message }) => rig.push(message)))
    await rig.settle()
    const takenA = takenBy(rig, 'a')
    const takenB = takenBy(rig, 'b')
    const seen = new Set<number>()
    for (const [i, { wanted }] of sent.entries()) {
      const push = `p${i}`
      const told = answers[i]!.status
      seen.add(told)
      const answered = [...(codes.get(`${push} a`) ?? []), ...(codes.get(`${push} b`) ?? [])]
      const [a, b] = [takenA.get(push) ?? [], takenB.get(push) ?? []]
      const whole = a.length === wanted.a!.length && b.length === wanted.b!.length
      // A retry mends a connection that broke once; the rest is as the origins say.
      if (answered.some((code) => code === 503 || code === 429)) expect(told, push).toBe(503)
      else if (answered.includes(400)) expect([400, 503], push).toContain(told)
      else if (told === 400) expect(answered, push).toContain(413)
      expect(told === 204, push).toBe(whole)
      // What was taken is a part of what was sent, each sample once, and of this push alone.
      expect(new Set(a).size + new Set(b).size, push).toBe(a.length + b.length)
      expect(new Set([...wanted.a!, ...a]).size, push).toBe(wanted.a!.length)
      expect(new Set([...wanted.b!, ...b]).size, push).toBe(wanted.b!.length)
    }
    expect([...seen].sort()).toEqual([204, 400, 503])
    expect([rig.budget.used, out.size]).toEqual([0, 0])
  })
})

describe('two tenants', () => {
  const TENANTS = `
remote_write:
  - name: a
    url: http://a.test/
    headers: {X-Scope-OrgID: "{tenant}"}
    write_relabel_configs: [{source_labels: [owner], target_label: seen, replacement: "by $1"}]
sluice:
  auth: [{bearer: one-token, tenant: one}, {bearer: two-token, tenant: two}]
`
  const PER_PUSH = 100
  /** Series `first` to `first + PER_PUSH` of a tenant. Both have the same ones but for the owner, every tenth is even equal. */
  const message = (owner: string, first: number, value: number): Message => ({
    timeseries: Array.from({ length: PER_PUSH }, (_, i) => {
      const labels = { __name__: `metric_${first + i}`, job: 'api', pod: `pod-${(first + i) % 70}` }
      return series(i % 10 === 0 ? labels : { ...labels, owner }, [value + first + i])
    }),
  })
  const wanted = (owner: string, first: number, value: number): string[] =>
    Array.from({ length: PER_PUSH }, (_, i) => {
      const own =
        i % 10 === 0
          ? 'seen="by "'
          : `owner="${owner}",pod="pod-${(first + i) % 70}",seen="by ${owner}"`
      const rest = i % 10 === 0 ? `pod="pod-${(first + i) % 70}",${own}` : own
      return `metric_${first + i}{job="api",${rest}} ${value + first + i}@0`
    })

  test('who take turns, each with three times what the table holds, never see each other', async () => {
    const workspace = new Workspace(kernelModule, { table: 128 * 1024 })
    const rig = startRig(TENANTS, { workspace })
    const turnOvers = metrics.tableTurnOvers.with()
    const before = turnOvers.value
    const push = async (owner: string, first: number, value: number) => {
      rig.arrivals.length = 0
      const { status } = await rig.push(message(owner, first, value), { token: `${owner}-token` })
      expect(status).toBe(204)
      const tenants = rig.arrivals.map(({ headers }) => headers.get('x-scope-orgid'))
      expect(new Set(tenants)).toEqual(new Set([owner]))
      expect(rig.arrivals.flatMap(({ samples }) => samples)).toEqual(wanted(owner, first, value))
    }
    let held = 0
    for (let round = 0; round < 3; round++) {
      for (let first = 0; first < 2800; first += PER_PUSH) {
        await push('one', first, round * 10_000)
        await push('two', first, round * 10_000 + 5000)
        held = Math.max(held, workspace.use.series)
      }
    }
    expect(held * 3).toBeLessThan(2800)
    expect(turnOvers.value - before).toBeGreaterThan(20)
  })

  test('find what they sent a moment ago in the table, whatever turned over before', async () => {
    const rig = startRig(TENANTS, { workspace: new Workspace(kernelModule, { table: 128 * 1024 }) })
    const misses = metrics.tableMisses.with()
    for (let first = 0; first < 2000; first += PER_PUSH) {
      for (const owner of ['one', 'two']) {
        await rig.push(message(owner, first, 1), { token: `${owner}-token` })
        const before = misses.value
        rig.arrivals.length = 0
        await rig.push(message(owner, first, 2), { token: `${owner}-token` })
        expect(rig.arrivals.flatMap(({ samples }) => samples)).toEqual(wanted(owner, first, 2))
        expect(misses.value - before).toBe(0)
      }
    }
  })

  test('share no entry even of equal series', async () => {
    const rig = startRig(TENANTS)
    const misses = metrics.tableMisses.with()
    const before = misses.value
    const same = { timeseries: [series({ __name__: 'up' }, [1])] }
    await rig.push(same, { token: 'one-token' })
    await rig.push(same, { token: 'two-token' })
    expect(misses.value - before).toBe(2)
  })
})
