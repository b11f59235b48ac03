import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Served, type ServeOptions, serve } from '../../scripts/serve.ts'
import { StartProblem } from '../../scripts/start-problem.ts'
import { atEnd, STANDIN, scratchFolder, takenPort } from './scratch.ts'

/** Serves the stand-in on a free port of the loopback until the test is over. */
async function serving(options: Partial<ServeOptions> = {}): Promise<Served> {
  const served = await serve({
    host: '127.0.0.1',
    port: 0,
    build: STANDIN,
    output: () => {},
    ...options,
    dataDir: options.dataDir ?? scratchFolder(),
  })
  atEnd(served.stop)
  return served
}

const json = async (served: Served, path = '/') =>
  (await (await fetch(served.url + path)).json()) as Record<string, unknown>

describe('serve', () => {
  it('gives the Worker its config, the named variables, and nothing else of the environment', async () => {
    process.env.SERVE_TEST_OTHER = 'no'
    const configText = 'a: "é\\n"\n# $X\n\t\\\\ \u0001'
    const env = { TOKEN: 'a "secret"\n' }
    expect(await json(await serving({ configText, env }))).toEqual({
      SLUICE_CONFIG: configText,
      SLUICE_OPEN: 'loopback',
      TOKEN: 'a "secret"\n',
    })
  })

  it('takes a config that no variable could hold', async () => {
    const configText = `# ${'x'.repeat(1_000_000)}`
    expect(await json(await serving({ configText }))).toMatchObject({ SLUICE_CONFIG: configText })
  })

  it.each([
    ['127.0.0.1', true],
    ['localhost', true],
    ['0.0.0.0', false],
  ])('on %s the Worker may do without auth: %s', async (host, open) => {
    expect('SLUICE_OPEN' in (await json(await serving({ host })))).toBe(open)
  })

  it('tells the port it was given', async () => {
    const { url, port } = await serving()
    expect(port).toBeGreaterThan(0)
    expect(url).toBe(`http://127.0.0.1:${port}`)
  })

  it('keeps what is stored in the data folder', async () => {
    const dataDir = join(scratchFolder(), 'made', 'when missing')
    const first = await serving({ dataDir })
    expect(await json(first, '/count')).toEqual({ hits: 1 })
    await first.stop()
    expect(await json(await serving({ dataDir }), '/count')).toEqual({ hits: 2 })
  })

  it('leaves nothing behind in the folder for temporary files', async () => {
    const before = process.env.TMPDIR
    const folder = scratchFolder()
    const dataDir = scratchFolder()
    process.env.TMPDIR = folder
    atEnd(() => {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
    })
    await serving({ configText: 'a secret', env: { TOKEN: 'a secret' }, dataDir })
    expect(readdirSync(folder)).toEqual([])
  })

  it('stops when told, twice too', async () => {
    const served = await serving()
    await Promise.all([served.stop(), served.stop()])
    await served.stop()
    expect(await served.exited).toBe(0)
    await expect(fetch(served.url)).rejects.toThrow()
  })

  it('tells when workerd dies', async () => {
    const served = await serving()
    process.kill(served.pid, 'SIGKILL')
    expect(await served.exited).toBe(137)
  })
})

describe('serve refuses', () => {
  const problem = (options: Partial<ServeOptions>) =>
    serving(options).then(
      () => 'it was served',
      (error: unknown) => (error instanceof StartProblem ? error.message : `not one: ${error}`),
    )

  it('a port that is taken', async () => {
    const port = await takenPort()
    expect(await problem({ port })).toMatch(`127.0.0.1:${port} is taken`)
  })

  it('an address that is not here', async () => {
    expect(await problem({ host: '192.0.2.1' })).toMatch(
      '192.0.2.1:0 is not an address of this machine',
    )
  })

  it('a folder without a build', async () => {
    expect(await problem({ build: scratchFolder() })).toMatch('holds no build of Sluice')
  })

  it('a data folder that can not be made', async () => {
    const file = join(scratchFolder(), 'file')
    writeFileSync(file, '')
    expect(await problem({ dataDir: join(file, 'data') })).toMatch("the data folder can't be made")
  })

  it.each(['SLUICE_OPEN', 'SLUICE_CONFIG', 'COUNTER'])(
    'a config that names %s, which is its own',
    async (name) => {
      expect(await problem({ env: { [name]: 'x' } })).toMatch(`may not use \${${name}}`)
    },
  )

  it('a Worker that does not start, with what workerd says about it', async () => {
    const build = scratchFolder()
    cpSync(STANDIN, build, { recursive: true })
    writeFileSync(join(build, 'index.js'), 'throw new Error("not today")')
    expect(await problem({ build })).toMatch(/workerd ended with 1:[\s\S]*not today/)
  })
})
