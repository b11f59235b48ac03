// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { atEnd } from '../scratch.ts'
import { startReceiver } from './receiver.ts'

const SCRIPT = join(import.meta.dirname, '../../../scripts/generate.ts')
const NODE = join(import.meta.dirname, '../../../node_modules/.bin/node')
const SMALL = ['--series', '100', '--samples-per-request', '50']

/** Runs the command; `ended` comes to its exit code and what it printed. */
function generate(words: readonly string[], env: Record<string, string> = {}) {
  const child: ChildProcess = spawn(NODE, [SCRIPT, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  atEnd(() => child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  child.stdout!.on('data', (bytes) => (stdout += bytes))
  child.stderr!.on('data', (bytes) => (stderr += bytes))
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, stdout, stderr })),
  )
  return { child, ended }
}

/** A receiver that takes all, after so many milliseconds; `came` resolves with the first request. */
async function receiver(latency = 0, status = 204) {
  const { promise: came, resolve } = Promise.withResolvers<unknown>()
  const authorizations = new Set<string | undefined>()
  const { url } = await startReceiver(({ headers }, response) => {
    resolve(undefined)
    authorizations.add(headers.authorization)
    setTimeout(() => response.writeHead(status).end(`I saw ${headers.authorization}`), latency)
  })
  return { url, came, authorizations }
}

describe('the command', () => {
  test('prints a table, and JSON alone with --json', async () => {
    const { url } = await receiver()
    const words = ['--url', url, ...SMALL, '--duration', '300ms']
    const { code, stdout } = await generate(words).ended
    expect(code).toBe(0)
    for (const row of ['requests', 'samples', 'acknowledged', 'bytes', 'answers', 'latency']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${row} `, 'm'))
    }
    const json = await generate([...words, '--json']).ended
    expect(json.code).toBe(0)
    expect(JSON.parse(json.stdout)).toMatchObject({
      interrupted: false,
      statuses: { 204: expect.any(Number) },
    })
  })

  test('never shows its secrets', async () => {
    const { url, authorizations } = await receiver(0, 401)
    const words = ['--url', url, ...SMALL, '--duration', '200ms', '--bearer-env', 'SECRET_OF_MINE']
    const { code, stdout, stderr } = await generate(words, { SECRET_OF_MINE: 'tok-87654321' }).ended
    expect(code).toBe(1)
    expect([...authorizations]).toEqual(['Bearer tok-87654321'])
    expect(stdout).toContain('first error   401 I saw ***')
    expect(stdout + stderr).not.toContain('tok-87654321')
  })

  test.each([
    [['--url', 'http://x', '--rate', 'fast'], 'Wanted a number above 0'],
    [
      ['--url', 'http://x', '--protocol', 'otlp', '--encoding', 'snappy'],
      'otlp is not sent with the encoding snappy',
    ],
    [['--url', 'http://x', '--label', '__name__=a${b}'], 'expected series_id'],
    [[], "required option '--url <url>' not specified"],
  ])('ends with 2 and says why: %j', async (words, message) => {
    const { code, stdout, stderr } = await generate(words).ended
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('    at ')
  })
})

describe('Ctrl-C', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends it with the table: %s', async (signal, wanted) => {
    const { url, came } = await receiver(20)
    const { child, ended } = generate(['--url', url, ...SMALL, '--duration', '1h'])
    await came
    child.kill(signal)
    const { code, stdout } = await ended
    expect(code).toBe(wanted)
    expect(stdout).toMatch(/^ {2}answers +204: \d/m)
    expect(stdout).not.toContain('no answer')
  })

  test('breaks off what is not answered within two seconds, and ends JSON too', async () => {
    const { url, came } = await receiver(3_600_000)
    const { child, ended } = generate(['--url', url, ...SMALL, '--duration', '1h', '--json'])
    await came
    child.kill('SIGINT')
    const { code, stdout } = await ended
    expect(code).toBe(130)
    expect(JSON.parse(stdout)).toMatchObject({
      interrupted: true,
      failures: { 'broken off': expect.any(Number) },
      latency: null,
    })
  })

  test('twice ends it at once', async () => {
    const { url, came } = await receiver(3_600_000)
    const { child, ended } = generate(['--url', url, ...SMALL, '--duration', '1h'])
    await came
    child.kill('SIGINT')
    const before = performance.now()
    setTimeout(() => child.kill('SIGINT'), 500)
    const { code, stdout } = await ended
    expect([code, stdout]).toEqual([130, ''])
    expect(performance.now() - before).toBeLessThan(1800)
  })
})
