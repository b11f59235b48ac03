import { createHash } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import type { AuthEntry } from '../../src/config/types.ts'
import type { RecentSeries, SeriesList } from '../../src/embedded/recent-series.ts'
import { embeddedRoutes } from '../../src/embedded/routes.ts'

const EMPTY: SeriesList = {
  series: [],
  stored: { requests: 0, bytes: 0 },
  scanned: { requests: 0, bytes: 0, series: 0, samples: 0, unreadable: 0 },
}

const UP: RecentSeries = {
  name: 'up',
  labels: { job: 'node' },
  value: '1',
  timestamp: 1_700_000_000_000,
  age: 5,
}

function withSeries(...series: RecentSeries[]): SeriesList {
  return {
    series,
    stored: { requests: 2, bytes: 3000 },
    scanned: { requests: 2, bytes: 3000, series: series.length, samples: 9, unreadable: 0 },
  }
}

/** The routes in front of an origin that answers `answer`; `asked` keeps the URLs it was asked for. */
function routes(
  answer: SeriesList | Response | Error | 'absent',
  auth: 'none' | readonly AuthEntry[] = 'none',
) {
  const asked: URL[] = []
  const stub = {
    async fetch(url: string) {
      asked.push(new URL(url))
      if (answer instanceof Error) throw answer
      return answer instanceof Response ? answer : Response.json(answer)
    },
  }
  const app = embeddedRoutes({
    origin: () => (answer === 'absent' ? undefined : stub),
    auth: () => auth,
  })
  const get = (path: string, method = 'GET') =>
    app.request(`https://edge.example${path}`, { method })
  return { get, asked, text: async (path: string) => (await get(path)).text() }
}

describe('the page', () => {
  it('lists name, labels, value and age', async () => {
    const page = await routes(withSeries(UP)).text('/')
    expect(page).toMatch(/^<!doctype html><html lang="en">/)
    expect(page).toContain('<th scope="row">up<span><i>job=<b>&quot;node&quot;</b></i>')
    expect(page).toContain('<td>1</td>')
    expect(page).toContain('datetime="2023-11-14T22:13:20.000Z"')
    expect(page).toContain('5 s</time>')
  })

  it('escapes all that a sender or a reader can choose', async () => {
    const evil = '"><script>alert(1)</script>'
    const series = { ...UP, name: evil, labels: { [evil]: evil }, value: evil }
    const unreadable = { ...withSeries(series).scanned, unreadable: 1, problem: evil }
    const list = { ...withSeries(series), scanned: unreadable }
    for (const answer of [list, { ...list, series: [] }]) {
      const page = await routes(answer).text(`/?name=${encodeURIComponent(evil)}`)
      expect(page).not.toContain('<script>alert')
      expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
      expect(page.match(/<script/g)).toHaveLength(1)
    }
  })

  it('survives a timestamp that is no date', async () => {
    expect(await routes(withSeries({ ...UP, timestamp: 9e18 })).text('/')).toContain('no date')
  })

  it('marks a series that has ended', async () => {
    expect(await routes(withSeries({ ...UP, value: 'stale' })).text('/')).toMatch(
      /class="mark"[^>]*>stale</,
    )
  })

  it.each([
    ['with series', withSeries(UP)],
    ['while empty', EMPTY],
  ])('says what to paste into prometheus.yml %s', async (_, list) => {
    const page = await routes(list).text('/')
    expect(page).toContain('remote_write:\n  - url: https://edge.example/api/v1/write</pre>')
    expect(page.includes('Nothing has arrived yet')).toBe(list === EMPTY)
  })

  it('says how to send credentials and shows none', async () => {
    const page = await routes(EMPTY, [{ tenant: 't', bearer: 'hunter2' }]).text('/')
    expect(page).toContain('authorization:')
    expect(page).not.toContain('hunter2')
  })

  it('asks for what the filter says and keeps it in the form and the links', async () => {
    const { text, asked } = routes(withSeries(UP))
    const page = await text('/?name=a%26b&limit=5&refresh=off')
    expect(asked.map((url) => url.pathname + url.search)).toEqual(['/series?name=a%26b&limit=5'])
    expect(page).toContain('value="a&amp;b"')
    expect(page).toContain('href="/embedded/series?name=a%26b&amp;limit=5"')
    expect(page).toContain('href="/?name=a%26b&amp;limit=5&amp;refresh=on"')
    expect(page).not.toContain('<script')
  })

  it('refuses a bad limit with a page that says so', async () => {
    const { get, asked } = routes(EMPTY)
    const answer = await get('/?limit=many')
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('limit is not a number from 1 to 1000')
    expect(asked).toEqual([])
  })

  it('says so when there are more series than the limit', async () => {
    expect(await routes(withSeries(UP)).text('/?limit=1')).toContain('there may be more')
    expect(await routes(withSeries(UP)).text('/?limit=2')).not.toContain('there may be more')
  })

  it('tells what Sluice does when there is no embedded origin', async () => {
    const { get } = routes('absent')
    const answer = await get('/')
    expect(answer.status).toBe(200)
    const page = await answer.text()
    expect(page).toContain('Sluice is running')
    expect(page).toContain('POST /api/v1/write')
  })
})

describe('the JSON', () => {
  it('is what the origin says', async () => {
    const { get, asked } = routes(withSeries(UP))
    const answer = await get('/embedded/series?name=u')
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await answer.json()).toEqual(withSeries(UP))
    expect(asked[0]?.search).toBe('?name=u&limit=200')
  })

  it('refuses a bad limit', async () => {
    const answer = await routes(EMPTY).get('/embedded/series?limit=0')
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({ error: 'limit is not a number from 1 to 1000' })
  })

  it('is not found when there is no embedded origin', async () => {
    expect((await routes('absent').get('/embedded/series')).status).toBe(404)
  })
})

describe.each(['/', '/embedded/series'])('%s', (path) => {
  it('answers HEAD with headers only', async () => {
    const answer = await routes(withSeries(UP)).get(path, 'HEAD')
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('')
  })

  it('is not cached, sniffed or framed', async () => {
    const { headers } = await routes(withSeries(UP)).get(path)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('strict-transport-security')).toBeNull()
  })

  it('allows only its own style and script', async () => {
    const answer = await routes(withSeries(UP)).get(path)
    const page = await answer.text()
    const hashes = ['style', 'script'].map((tag) => {
      const text = new RegExp(`<${tag}>([^<]*)`).exec(page)?.[1] ?? ''
      return createHash('sha256').update(text).digest('base64')
    })
    const policy = answer.headers.get('content-security-policy')
    expect(policy).toMatch(
      /^default-src 'none'; style-src '[^']+'; script-src '[^']+'; connect-src/,
    )
    if (path !== '/') return
    expect(policy).toContain(`style-src 'sha256-${hashes[0]}'; script-src 'sha256-${hashes[1]}';`)
  })

  it.each([
    ['is unreachable', () => new Error('no such object')],
    ['answers an error', () => new Response('broken', { status: 500 })],
    ['answers nonsense', () => new Response('<html>')],
  ])('is 503 when the origin %s, and says nothing about why', async (_, answer) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const refused = await routes(answer()).get(path)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await refused.text()).toContain('does not answer')
    expect(log).toHaveBeenCalledOnce()
    log.mockRestore()
  })
})
