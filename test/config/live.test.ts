import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLiveConfig, type ReportConfig } from '../../src/config/live.ts'

const config = (name: string) =>
  `remote_write: [{ name: ${name}, url: https://h/, bearer_token: "\${TOKEN}" }]\nsluice: { auth: none }`
const bundled = config('bundled')
const good = config('first')
const better = config('second')
const bad = 'remote_write: []'

/** A KV namespace whose answers are given by hand, one for each read. */
function fakeKv() {
  const waiting: { resolve: (text: string | null) => void; reject: (reason: unknown) => void }[] =
    []
  let reads = 0
  return {
    get(key: string): Promise<string | null> {
      expect(key).toBe('config')
      reads += 1
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
    },
    answer: (text: string | null) => waiting.shift()!.resolve(text),
    fail: (message: string) => waiting.shift()!.reject(new Error(message)),
    get reads() {
      return reads
    },
  }
}

/** A live config over a fake KV, with what it reported and what it handed to `waitUntil`. */
function live(variables: Record<string, unknown> = {}, withKv = true) {
  const kv = fakeKv()
  const env = { TOKEN: 't0ken', ...variables, ...(withKv ? { SLUICE_KV: kv } : {}) }
  const reports: string[] = []
  const report: ReportConfig = (severity, message, problems) =>
    reports.push(`${severity}: ${message} (${problems.length})`)
  const background: Promise<unknown>[] = []
  const held = createLiveConfig(env, bundled, report)
  return {
    kv,
    reports,
    background,
    state: () => held.current(),
    name: () => held.current().config?.origins[0]?.name,
    refresh: (now: number) => held.refresh(env, (work) => background.push(work), now),
    /** One read that KV answers with this text. */
    async read(now: number, text: string | null) {
      const waiting = held.refresh(env, (work) => background.push(work), now)
      kv.answer(text)
      await Promise.all([waiting, ...background])
    },
  }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('without KV the config is that of the start, and no request waits', () => {
  const { state, refresh } = live({}, false)
  expect(state()).toMatchObject({ source: 'bundled', problems: [] })
  expect(refresh(0)).toBeUndefined()
  const variables = live({ SLUICE_CONFIG: config('variables') }, false)
  expect(variables.state().source).toBe('variables')
  expect(variables.name()).toBe('variables')
})

test('a bad config of the start is held, never half used', () => {
  const { state } = live({ SLUICE_CONFIG: bad }, false)
  expect(state()).toMatchObject({ source: 'variables', problems: [{ severity: 'error' }, {}] })
  expect(state().config).toBeUndefined()
  const gap = live({ SLUICE_CONFIG_2: config('x') }, false)
  expect(gap.state().config).toBeUndefined()
  expect(gap.state().problems).toHaveLength(1)
})

test.each([
  ['loopback', undefined, true],
  ['yes', undefined, false],
  [undefined, undefined, false],
  ['loopback', 'remote_write: [{ url: https://h/ }]', false],
])('SLUICE_OPEN=%s with variables %j opens a config without auth: %s', (open, text, opened) => {
  const env = { SLUICE_OPEN: open, ...(text === undefined ? {} : { SLUICE_CONFIG: text }) }
  const withoutAuth = 'remote_write: [{ url: sluice://embedded }]'
  const state = createLiveConfig(env, withoutAuth, () => {}).current()
  expect(state.config?.auth).toBe(opened ? 'none' : undefined)
})

test('SLUICE_OPEN does not open a config in KV', async () => {
  const { state, read } = live({ SLUICE_OPEN: 'loopback' })
  await read(0, 'remote_write: [{ url: https://h/ }]')
  expect(state().config).toBeUndefined()
  expect(state().problems[0]!.path).toBe('sluice.auth')
})

test('the first requests wait for KV, and share one read', async () => {
  const { kv, refresh, state, name, reports } = live()
  const waiting = [refresh(0), refresh(1), refresh(2)]
  expect(waiting.every((promise) => promise instanceof Promise)).toBe(true)
  kv.answer(good)
  await Promise.all(waiting)
  expect(kv.reads).toBe(1)
  expect([state().source, name()]).toEqual(['kv', 'first'])
  expect(reports).toEqual(['info: the config in KV is in effect (0)'])
  expect(refresh(3)).toBeUndefined()
})

test('later reads happen in the background, at most every 60 s', async () => {
  const { kv, read, refresh, name, background } = live()
  await read(0, good)
  expect(refresh(59_999)).toBeUndefined()
  expect(kv.reads).toBe(1)
  expect(refresh(60_000)).toBeUndefined()
  expect(refresh(60_001)).toBeUndefined()
  expect(kv.reads).toBe(2)
  expect(background).toHaveLength(2)
  expect(name()).toBe('first')
  kv.answer(better)
  await background[1]
  expect(name()).toBe('second')
})

test('an unchanged text is the same config, a changed one another', async () => {
  const { read, state, reports } = live()
  await read(0, good)
  const before = state().config
  await read(60_000, good)
  expect(state().config).toBe(before)
  expect(reports).toHaveLength(1)
  await read(120_000, better)
  expect(state().config).not.toBe(before)
})

test('when a new config is bad the last good one is kept, and that is told once', async () => {
  const { read, state, name, reports } = live()
  await read(0, good)
  const before = state().config
  await read(60_000, bad)
  expect(state()).toMatchObject({ source: 'kv', problems: [], stale: [{ severity: 'error' }, {}] })
  expect(state().config).toBe(before)
  await read(120_000, bad)
  expect(state().stale).toHaveLength(2)
  expect(reports.slice(1)).toEqual([
    'error: the config in KV is bad, the last good one is kept (2)',
  ])
  await read(180_000, good)
  expect(state().stale).toBeUndefined()
  expect(state().config).toBe(before)
  await read(240_000, better)
  expect([name(), state().stale]).toEqual(['second', undefined])
})

test('a bad config on the first read is not replaced by an older one from elsewhere', async () => {
  const { read, state, name, reports } = live()
  await read(0, bad)
  expect(state()).toMatchObject({ source: 'kv', problems: [{}, {}] })
  expect(state().config).toBeUndefined()
  expect(reports).toEqual(['error: the config in KV is bad (2)'])
  await read(60_000, bad)
  expect(reports).toHaveLength(1)
  await read(120_000, `${bad}\nx: 1`)
  expect(state().problems).toHaveLength(3)
  await read(180_000, good)
  expect([name(), state().source]).toEqual(['first', 'kv'])
})

test('without the key in KV the config of the start is used, until there is one', async () => {
  const { read, state, name, reports } = live({ SLUICE_CONFIG: config('variables') })
  await read(0, null)
  expect([name(), state().source, reports]).toEqual(['variables', 'variables', []])
  await read(60_000, bad)
  expect([name(), state().source]).toEqual(['variables', 'variables'])
  expect(state().stale).toHaveLength(2)
  await read(120_000, null)
  expect(state().stale).toBeUndefined()
  await read(180_000, good)
  expect([name(), state().source]).toEqual(['first', 'kv'])
})

test('when the key is gone later the last good config is kept, and that is told once', async () => {
  const { read, state, name, reports } = live()
  await read(0, good)
  await read(60_000, null)
  await read(120_000, null)
  expect(name()).toBe('first')
  expect(state().stale).toEqual([expect.objectContaining({ severity: 'error' })])
  expect(reports.slice(1)).toEqual([
    'error: the key config is gone from KV: the last good config is kept (0)',
  ])
  await read(180_000, good)
  expect(state().stale).toBeUndefined()
})

test('when the key is gone after a bad config the config of the start is used', async () => {
  const { read, state, name } = live()
  await read(0, bad)
  await read(60_000, null)
  expect([name(), state().source, state().stale]).toEqual(['bundled', 'bundled', undefined])
})

test('when KV can not be read at first the config of the start is used, and KV tried again soon', async () => {
  const { kv, refresh, state, name, reports, background } = live()
  const waiting = refresh(0)
  kv.fail('no\nnetwork')
  await waiting
  expect([name(), state().source]).toEqual(['bundled', 'bundled'])
  expect(state().stale![0]!.message).toBe('the config in KV could not be read: no network')
  expect(reports).toEqual(['error: the config in KV could not be read: no network (0)'])
  expect(refresh(4999)).toBeUndefined()
  expect(kv.reads).toBe(1)
  expect(refresh(5000)).toBeUndefined()
  expect(kv.reads).toBe(2)
  kv.fail('no network')
  await background[1]
  expect(reports).toHaveLength(1)
  refresh(10_000)
  kv.answer(good)
  await background[2]
  expect([name(), state().source, state().stale]).toEqual(['first', 'kv', undefined])
})

test('when KV can not be read later the last good config is kept', async () => {
  const { kv, read, refresh, state, name, background } = live()
  await read(0, good)
  refresh(60_000)
  kv.fail('x'.repeat(1000))
  await background.at(-1)
  expect(name()).toBe('first')
  expect(state().stale![0]!.message.length).toBeLessThan(300)
  expect(refresh(65_000)).toBeUndefined()
  expect(kv.reads).toBe(2)
})

test('no request waits for KV longer than 2 seconds', async () => {
  const { kv, refresh, state, name, background, reports } = live()
  let waited = false
  const waiting = refresh(0)!.then(() => (waited = true))
  const second = refresh(500)!
  await vi.advanceTimersByTimeAsync(1999)
  expect(waited).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await Promise.all([waiting, second])
  expect(name()).toBe('bundled')
  expect(state().stale![0]!.message).toContain('no answer within 2 s')
  expect(reports).toHaveLength(1)
  expect(refresh(2001)).toBeUndefined()
  kv.answer(good)
  await background[0]
  expect([name(), state().stale]).toEqual(['first', undefined])
})

test('a read that was lost with its request does not block later ones', async () => {
  const { kv, refresh, name, background } = live()
  refresh(0)
  await vi.advanceTimersByTimeAsync(2000)
  expect(refresh(9999)).toBeUndefined()
  expect(kv.reads).toBe(1)
  refresh(10_000)
  expect(kv.reads).toBe(2)
  // The lost one answers after all: what it says is older than what is being read.
  kv.answer(good)
  await background[0]
  expect(name()).toBe('bundled')
  kv.answer(better)
  await background[1]
  expect(name()).toBe('second')
})

test('a reload sees the bindings of the request', async () => {
  const held = createLiveConfig({}, bundled, () => {})
  const kv = { get: () => Promise.resolve(good) }
  expect(held.current().config).toBeUndefined()
  await held.refresh({ SLUICE_KV: kv, TOKEN: 'later' }, () => {}, 0)
  expect(held.current().config!.origins[0]!.authorization).toBe('Bearer later')
})

test('what is reported never holds a secret', async () => {
  const { read, state } = live({ TOKEN: 'hunter2\n' })
  await read(0, good)
  expect(JSON.stringify(state())).not.toContain('hunter2')
  expect(state().config).toBeUndefined()
})
