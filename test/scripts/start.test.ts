import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { atEnd, STANDIN, scratchFolder, takenPort } from './scratch.ts'

const START = join(import.meta.dirname, '../../scripts/start.ts')

const GOOD = `
remote_write: [{ name: mimir, url: "https://mimir.example/api/v1/push" }]
sluice: { auth: [{ bearer: "\${START_TEST_TOKEN}" }] }
`

/** `npm start -- ARGS` with the stand-in as the Worker, in a folder of its own that has these files. */
function start(args: string[], files: Record<string, string> = {}, env: NodeJS.ProcessEnv = {}) {
  const cwd = scratchFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  const all = [START, '--build', STANDIN, '--port', '0', ...args]
  const child = spawn(process.execPath, all, { cwd, env: { ...process.env, ...env } })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  atEnd(() => {
    child.kill('SIGTERM')
    return exited
  })
  return {
    child,
    exited,
    printed: () => printed,
    /** The URL it prints when it is ready. */
    async ready(): Promise<string> {
      while (child.exitCode === null) {
        const url = /Sluice runs at +(\S+)/.exec(printed)?.[1]
        if (url && printed.includes('Ctrl-C')) return url
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error(`it ended:\n${printed}`)
    },
  }
}

describe('npm start', () => {
  it('says where it listens, where data goes and what to put into prometheus.yml', async () => {
    const started = start([])
    const url = await started.ready()
    expect((await fetch(url)).status).toBe(200)
    expect(started.printed()).toContain('its embedded origin')
    expect(started.printed()).toMatch(/kept in +\S+\.sluice\/data/)
    expect(started.printed()).toContain(`remote_write:\n      - url: ${url}/api/v1/write\n`)
    expect(started.printed()).not.toContain('WARNING')
  })

  it.each<[string, Record<string, string>, NodeJS.ProcessEnv]>([
    ['the environment', {}, { START_TEST_TOKEN: 'from-there' }],
    ['.dev.vars', { '.dev.vars': 'START_TEST_TOKEN="from-there"\nOTHER=x\n' }, {}],
    [
      'the environment rather than .dev.vars',
      { '.dev.vars': 'START_TEST_TOKEN=not this\n' },
      { START_TEST_TOKEN: 'from-there' },
    ],
  ])('takes a config, and what it names from %s', async (_, files, env) => {
    const started = start(['--config', 'c.yaml'], { 'c.yaml': GOOD, ...files }, env)
    const bindings = await (await fetch(await started.ready())).json()
    expect(bindings).toEqual({
      SLUICE_CONFIG: GOOD,
      SLUICE_OPEN: 'loopback',
      START_TEST_TOKEN: 'from-there',
    })
    expect(started.printed()).toMatch(/forwards to +mimir\n/)
    expect(started.printed()).toContain('authorization:')
    expect(started.printed()).not.toContain('from-there')
  })

  it('warns when it listens for others and nothing says who may send', async () => {
    const started = start(['--host', '0.0.0.0'])
    await started.ready()
    expect(started.printed()).toMatch(
      /WARNING: it answers 503 to every sender.*\n.*sluice\.yaml.*sluice\.auth/,
    )
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with workerd, well, on %s', async (signal) => {
    const started = start([])
    const url = await started.ready()
    started.child.kill(signal)
    expect(await started.exited).toBe(0)
    await expect(fetch(url)).rejects.toThrow()
  })

  it('ends with an error when workerd dies', async () => {
    const started = start([])
    await started.ready()
    const children = spawnSync('pgrep', ['-P', String(started.child.pid)], { encoding: 'utf8' })
    process.kill(Number(children.stdout.trim()), 'SIGKILL')
    expect(await started.exited).toBe(137)
    expect(started.printed()).toContain('workerd ended with 137')
  })
})

describe('npm start ends with 1', () => {
  it('for a bad config, with every problem and its place', async () => {
    const bad =
      'remote_write:\n  - url: ftp://x\n    remote_timeout: soon\nsluice: { auth: none }\n'
    const started = start(['--config', 'c.yaml'], { 'c.yaml': bad })
    expect(await started.exited).toBe(1)
    expect(started.printed()).toMatch(/^c\.yaml:2:\d+: error: remote_write\[0\]\.url: /m)
    expect(started.printed()).toMatch(/^c\.yaml:3:\d+: error: remote_write\[0\]\.remote_timeout: /m)
    expect(started.printed()).not.toContain('Sluice runs')
  })

  it('for a config without sluice.auth, on the loopback too', async () => {
    const open = 'remote_write: [{ url: "https://x.example/" }]\n'
    const started = start(['--config', 'c.yaml'], { 'c.yaml': open })
    expect(await started.exited).toBe(1)
    expect(started.printed()).toContain('sluice.auth')
  })

  it('for a variable that is nowhere', async () => {
    const started = start(['--config', 'c.yaml'], { 'c.yaml': GOOD })
    expect(await started.exited).toBe(1)
    expect(started.printed()).toContain('START_TEST_TOKEN')
  })

  it('for a config that is not there', async () => {
    const started = start(['--config', 'none.yaml'])
    expect(await started.exited).toBe(1)
    expect(started.printed()).toMatch(/^none\.yaml can't be read: /)
  })

  it('for a port that is taken', async () => {
    const port = await takenPort()
    const started = start(['--port', String(port)])
    expect(await started.exited).toBe(1)
    expect(started.printed()).toBe(
      `127.0.0.1:${port} is taken: end what listens there, or choose another with --port\n`,
    )
  })

  it.each(['65536', '-1', '80a', ''])('for the port %j', async (port) => {
    const started = start([`--port=${port}`])
    expect(await started.exited).toBe(1)
    expect(started.printed()).toContain('wanted a number from 0 to 65535')
  })
})
