import { SELF } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import { VERSION } from '../src/version.ts'
import { bodyOf, gauges, type Rig, startRig, status } from './pipeline-rig.ts'

const GUARDED = `
remote_write: [{name: a, url: "http://a.test/", headers: {X-Scope-OrgID: "{tenant}"}}]
sluice: {auth: [{bearer: "token-1", tenant: prod}, {username: edge, password: "pass word", tenant: lab}]}
`
const basic = `Basic ${btoa('edge:pass word')}`

async function ask(rig: Rig, method: string, path: string, authorization?: string) {
  const headers = authorization === undefined ? undefined : { Authorization: authorization }
  const answer = await rig.fetch(new Request(`http://sluice.test${path}`, { method, headers }))
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('sluice.auth', () => {
  test.each([
    ['POST', '/api/v1/write'],
    ['POST', '/api/v1/push'],
    ['POST', '/api/v1/receive'],
    ['GET', '/api/v1/write'],
    ['GET', '/metrics'],
    ['GET', '/'],
    ['GET', '/embedded/series'],
    ['GET', '/embedded/samples'],
    ['GET', '/embedded'],
    ['GET', '/no/such/path'],
    ['POST', '/-/ready'],
    ['GET', '/-/'],
    ['GET', '/-/healthy/'],
    ['GET', '//metrics'],
    ['POST', '/api/v1/%77rite'],
    ['GET', '/-/healthy/../../metrics'],
  ])('guards %s %s', async (method, path) => {
    const rig = startRig(GUARDED)
    for (const wrong of [undefined, 'Bearer token-2', 'Bearer', `Basic ${btoa('edge:pass')}`, '']) {
      const { status, text, headers } = await ask(rig, method, path, wrong)
      expect(status, wrong).toBe(401)
      expect(headers.get('WWW-Authenticate')).toMatch(/^Basic .*, Bearer /)
      expect(text).not.toMatch(/token-1|pass/)
    }
    expect((await ask(rig, method, path, 'Bearer token-1')).status).not.toBe(401)
    expect((await ask(rig, method, path, basic)).status).not.toBe(401)
  })

  test('says whose the data is', async () => {
    const rig = startRig(GUARDED)
    await rig.push(gauges(1), { token: 'token-1' })
    await rig.push(gauges(1), { headers: { Authorization: basic } })
    expect(rig.arrivals.map(({ headers }) => headers.get('x-scope-orgid'))).toEqual(['prod', 'lab'])
    expect(rig.arrivals.map(({ headers }) => headers.get('authorization'))).toEqual([null, null])
  })

  test('leaves /-/healthy and the bare status of /-/ready open', async () => {
    const rig = startRig(GUARDED)
    for (const wrong of [undefined, 'Bearer token-2']) {
      expect(await ask(rig, 'GET', '/-/healthy', wrong)).toMatchObject({ status: 200 })
      const { status, text } = await ask(rig, 'GET', '/-/ready', wrong)
      expect([status, text]).toEqual([200, 'Sluice is ready.\n'])
    }
  })
})

test('who is let in as nobody else can connect has to come by a name of this machine', async () => {
  const open = GUARDED.replace(/auth: .*$/m, 'auth: none}').replace(/, headers.*}}/, '}')
  const rig = startRig(open, { deps: { loopbackOnly: true } })
  const asked = async (host: string) =>
    (await rig.fetch(new Request(`http://${host}:8787/`))).status
  for (const host of ['localhost', '127.0.0.1', '[::1]']) expect(await asked(host), host).toBe(200)
  for (const host of ['evil.test', 'localhost.evil.test', '127.0.0.1.evil.test', '10.0.0.1']) {
    expect(await asked(host), host).toBe(403)
  }
})

describe('while everybody is let in as nobody else can connect', () => {
  const open = GUARDED.replace(/auth: .*$/m, 'auth: none}').replace(/, headers.*}}/, '}')
  const start = () => startRig(open, { deps: { loopbackOnly: true } })

  test.each([
    ['http://localhost:3000', 204],
    ['http://127.0.0.1:8787', 204],
    ['https://evil.test', 403],
    ['http://localhost.evil.test', 403],
    ['null', 403],
  ])('a page of %s may push: %i', async (page, want) => {
    const rig = start()
    const url = 'http://localhost:8787/api/v1/write'
    const request = { method: 'POST', headers: { Origin: page }, body: bodyOf(gauges(1)) }
    expect((await rig.fetch(new Request(url, request as RequestInit))).status).toBe(want)
    expect(rig.arrivals).toHaveLength(want === 204 ? 1 : 0)
  })

  test('a foreign name learns no more from /-/ready than that it is', async () => {
    const rig = start()
    const asked = async (host: string) =>
      (await rig.fetch(new Request(`http://${host}:8787/-/ready`))).text()
    expect(await asked('localhost')).toContain('"source":"bundled"')
    expect(await asked('evil.test')).toBe('Sluice is ready.\n')
  })
})

test.each(['a b', '[', '%', 'evil"><script>', 'localhost:99999'])(
  'a Host header that names no host is a bad request, nothing unexpected: %s',
  async (host) => {
    for (const loopbackOnly of [false, true]) {
      const rig = startRig(GUARDED, { deps: { loopbackOnly } })
      for (const path of ['/', '/metrics', '/api/v1/write', '/-/ready', '/-/healthy']) {
        const request = new Request('http://sluice.test', { headers: { Authorization: basic } })
        // Such a request can't be made, but it can be received.
        Object.defineProperty(request, 'url', { value: `http://${host}${path}` })
        const { status } = await rig.fetch(request)
        expect(status, path).toBe(path.startsWith('/-/') ? 200 : loopbackOnly ? 403 : 400)
      }
      expect(rig.logged.filter(({ event }) => event === 'unexpected')).toEqual([])
    }
  },
)

test('an origin that leads back here is found out after three rounds', async () => {
  const rig: Rig = startRig(GUARDED, {
    deps: {
      fetchOf: () => (url, init) => {
        rounds.push(url)
        const headers = new Headers(init.headers)
        headers.set('Authorization', basic)
        return rig.fetch(new Request('http://sluice.test/api/v1/push', { ...init, headers }))
      },
    },
  })
  const rounds: string[] = []
  const { status, text, headers } = await rig.push(gauges(1), { token: 'token-1' })
  expect([status, headers.get('Retry-After')]).toEqual([503, '30'])
  expect(text).toContain('has come through Sluice 3 times')
  expect(rounds).toHaveLength(3)
  expect(rig.budget.used).toBe(0)
  expect(rig.logged[0]).toMatchObject({ event: 'request', reason: 'forwarding_loop', status: 503 })
})

describe('/-/ready', () => {
  const details = async (rig: Rig) => {
    const { status, text } = await rig.get('/-/ready', 'token-1')
    return { status, ...JSON.parse(text) }
  }

  test('shows warnings and what only the operator can mend, to whom it may concern', async () => {
    let code = 401
    const yaml = `${GUARDED}\nscrape_configs: []\n`.replace(
      'headers:',
      'bearer_token: secret-9, headers:',
    )
    const rig = startRig(yaml, { origins: { a: () => status(code, 'no: Bearer secret-9') } })
    expect(await details(rig)).toEqual({
      ready: true,
      status: 200,
      source: 'bundled',
      problems: [expect.objectContaining({ severity: 'warning', path: 'scrape_configs' })],
      misconfigured: [],
    })
    await rig.push(gauges(1), { token: 'token-1' })
    expect((await details(rig)).misconfigured).toEqual([
      { origin: 'a', message: 'origin a answered 401: no: ***' },
    ])
    expect(rig.logged).toMatchObject([{ event: 'origin_misconfigured' }, { event: 'request' }])
    expect(JSON.stringify(rig.logged)).not.toContain('secret-9')
    code = 200
    await rig.push(gauges(1), { token: 'token-1' })
    expect((await details(rig)).misconfigured).toEqual([])
  })

  test('shows an origin that is ignored too', async () => {
    const yaml = GUARDED.replace('headers:', 'on_failure: ignore, headers:')
    const rig = startRig(yaml, { origins: { a: 404 } })
    expect((await rig.push(gauges(1), { token: 'token-1' })).status).toBe(204)
    await rig.settle()
    expect((await details(rig)).misconfigured).toHaveLength(1)
  })
})

describe('a bad config', () => {
  const NO_AUTH = 'remote_write: [{name: a, url: "http://a.test/"}]'
  test.each<[string, string, RegExp]>([
    ['without sluice.auth', NO_AUTH, /who may push is not said: write sluice: .*auth/],
    [
      'with a wrong key',
      `${NO_AUTH}\nsluice: {auth: none, limit: 3, x: hidden-secret}`,
      /the log says why/,
    ],
    ['that is no YAML', '{', /the log says why/],
    ['that is empty', '', /who may push is not said|the log says why/],
  ])('%s serves nobody and says why', async (_, yaml, why) => {
    const rig = startRig(yaml)
    for (const [method, path] of [
      ['GET', '/-/ready'],
      ['POST', '/api/v1/write'],
      ['GET', '/metrics'],
      ['GET', '/'],
    ] as const) {
      const answer = await ask(rig, method, path, 'Bearer token-1')
      expect([path, answer.status, answer.text]).toEqual([path, 503, expect.stringMatching(why)])
      expect(answer.text).not.toContain('hidden-secret')
    }
    expect((await rig.push(gauges(1))).headers.get('Retry-After')).toBe('1')
    expect(rig.arrivals).toEqual([])
    expect((await ask(rig, 'GET', '/-/healthy')).status).toBe(200)
  })
})

test('/metrics is what Prometheus scrapes', async () => {
  const { headers, text } = await startRig(GUARDED).get('/metrics', 'token-1')
  expect(headers.get('Content-Type')).toMatch(/^text\/plain; version=0\.0\.4/)
  expect(text).toMatch(/^# HELP sluice_/)
})

test('the page is there without the embedded origin too', async () => {
  const { status, headers } = await startRig(GUARDED).get('/', 'token-1')
  expect([status, headers.get('Content-Type')]).toEqual([200, expect.stringMatching('text/html')])
})

test('a request goes on when its sender has hung up', async () => {
  const gate = Promise.withResolvers<Response>()
  const rig = startRig(GUARDED, { origins: { a: () => gate.promise } })
  void rig.push(gauges(1), { token: 'token-1' })
  await pause(20)
  const settled = rig.settle()
  gate.resolve(status(204))
  await settled
  expect([rig.taken.length, rig.budget.used]).toEqual([1, 0])
})

describe('a config in KV', () => {
  const version = (n: number) => `
remote_write:
  - {name: a, url: "http://a.test/${n}", write_relabel_configs: [{target_label: v, replacement: "${n}"}]}
sluice: {auth: none, deadline: 5m}
`
  /** KV with a text that can be changed; each `pass` lets the time pass after which it is read again. */
  function withKv(first: string | null) {
    const kv = { text: first, get: async (_: string) => kv.text }
    const rig = startRig(version(0), {
      env: { SLUICE_KV: kv },
      origins: { a: (arrival) => script.answer(arrival.samples) },
    })
    const script = { answer: async (_: readonly string[]) => status(204) }
    const pass = async (text: string | null) => {
      kv.text = text
      rig.clock.ahead += 61_000
      await rig.get('/-/ready')
      await pause(5)
    }
    return { rig, kv, script, pass }
  }

  test('comes before the bundled one from the first request on', async () => {
    const { rig } = withKv(version(1))
    await rig.push(gauges(1))
    expect(rig.arrivals.map(({ samples }) => samples)).toEqual([['m0{v="1"} 0@0']])
  })

  test('takes effect when it has changed, and what is under way keeps its own', async () => {
    const { rig, script, pass } = withKv(version(1))
    await rig.push(gauges(1))
    const gate = Promise.withResolvers<void>()
    script.answer = async (samples) => {
      if (!samples[0]!.includes('v="1"')) return status(204)
      await gate.promise
      return status(samples.length > 1 ? 413 : 204)
    }
    const old = rig.push(gauges(4))
    await pass(version(2))
    rig.arrivals.length = 0
    rig.taken.length = 0
    expect((await rig.push(gauges(2))).status).toBe(204)
    expect(rig.taken.map(({ url, samples }) => [url, samples])).toEqual([
      ['http://a.test/2', ['m0{v="2"} 0@0', 'm1{v="2"} 1@0']],
    ])
    rig.taken.length = 0
    // Its halves are made while the new config is in effect.
    gate.resolve()
    expect((await old).status).toBe(204)
    expect(rig.taken.map(({ url, samples }) => [url, samples])).toEqual(
      [0, 1, 2, 3].map((i) => ['http://a.test/1', [`m${i}{v="1"} ${i}@0`]]),
    )
    rig.taken.length = 0
    await rig.push(gauges(2))
    expect(rig.taken.map(({ samples }) => samples)).toEqual([['m0{v="2"} 0@0', 'm1{v="2"} 1@0']])
    expect(rig.budget.used).toBe(0)
  })

  test('is kept out while it is bad, and that is shown', async () => {
    const { rig, pass } = withKv(version(1))
    await rig.push(gauges(1))
    await pass('remote_write: 7')
    expect((await rig.push(gauges(1))).status).toBe(204)
    expect(rig.arrivals.map(({ url }) => url)).toEqual(['http://a.test/1', 'http://a.test/1'])
    const { status, text } = await rig.get('/-/ready')
    const { source, stale } = JSON.parse(text)
    expect([status, source]).toEqual([200, 'kv'])
    expect(stale).toMatchObject([{ path: 'sluice.auth' }, { path: 'remote_write' }])
    await pass(version(2))
    await rig.push(gauges(1))
    expect(rig.arrivals.at(-1)!.url).toBe('http://a.test/2')
    expect(JSON.parse((await rig.get('/-/ready')).text).stale).toBeUndefined()
  })

  test('ends the trouble of an origin that is gone', async () => {
    const { rig, script, pass } = withKv(version(1))
    script.answer = async () => status(403)
    await rig.push(gauges(1))
    const misconfigured = async () => JSON.parse((await rig.get('/-/ready')).text).misconfigured
    expect(await misconfigured()).toHaveLength(1)
    await pass(version(1).replace('name: a', 'name: other'))
    expect(await misconfigured()).toEqual([])
  })

  test('that is bad from the start serves nobody', async () => {
    const { rig, pass } = withKv('remote_write: 7')
    expect((await rig.push(gauges(1))).status).toBe(503)
    await pass(version(1))
    expect((await rig.push(gauges(1))).status).toBe(204)
  })
})

describe('the Worker as it is bundled', () => {
  test('is healthy, serves nobody before it is told who may push, and says what to write', async () => {
    const text = async (path: string) => {
      const answer = await SELF.fetch(`http://sluice.test${path}`)
      return [answer.status, await answer.text()]
    }
    expect(await text('/-/healthy')).toEqual([200, 'Sluice is healthy.\n'])
    for (const path of ['/-/ready', '/', '/metrics', '/api/v1/write']) {
      expect(await text(path)).toEqual([503, expect.stringMatching(/^who may push is not said/)])
    }
    expect(VERSION).toMatch(/^\d+\.\d+\.\d+/)
  })
})
