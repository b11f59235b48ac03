import { describe, expect, it, vi } from 'vitest'
import { embeddedRoutes } from '../../src/embedded/routes.ts'

/** The routes in front of an origin that answers so; `asked` keeps what it was asked for. */
function routes(answer: Response | Error | 'absent') {
  const asked: string[] = []
  const stub = {
    async fetch(url: string) {
      asked.push(url)
      if (answer instanceof Error) throw answer
      return answer as Response
    },
  }
  const origin = () => (answer === 'absent' ? undefined : stub)
  const app = embeddedRoutes({ origin, auth: () => 'none' })
  const get = (query: string, method = 'GET') =>
    app.request(`https://edge.example/embedded/samples${query}`, { method })
  return { get, asked }
}

describe('/embedded/samples', () => {
  it('passes on what the origin says, not cached', async () => {
    const { get, asked } = routes(new Response('{"after":3}\n'))
    const answer = await get('?label=run&value=a%26b&after=2&other=1')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await answer.text()).toBe('{"after":3}\n')
    expect(asked).toEqual(['http://embedded/samples?label=run&value=a%26b&after=2'])
  })

  it('refuses a bad cursor without asking', async () => {
    const { get, asked } = routes(new Response(''))
    const answer = await get('?after=x')
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({ error: 'after is neither a number nor newest' })
    expect(asked).toEqual([])
  })

  it('is not found when there is no embedded origin', async () => {
    const answer = await routes('absent').get('')
    expect(answer.status).toBe(404)
    expect(await answer.json()).toEqual({
      error: 'the config does not forward to the embedded origin',
    })
  })

  it('answers HEAD with headers only', async () => {
    const answer = await routes(new Response('{}\n')).get('', 'HEAD')
    expect([answer.status, await answer.text()]).toEqual([200, ''])
  })

  it.each([
    ['fails', () => new Response('no', { status: 503 })],
    ['throws', () => new Error('gone')],
  ])('answers 503 when the origin %s', async (_, answer) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { status, headers } = await routes(answer()).get('')
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
    expect(log).toHaveBeenCalledOnce()
    log.mockRestore()
  })
})
