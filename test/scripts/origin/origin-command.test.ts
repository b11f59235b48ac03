import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { atEnd, scratchFolder, takenPort } from '../scratch.ts'
import { push1 } from './requests.ts'

const SCRIPT = join(import.meta.dirname, '../../../scripts/origin.ts')
const NODE = join(import.meta.dirname, '../../../node_modules/.bin/node')

/** Runs the command; `ended` comes to its exit code and what it printed. */
function run(...given: string[]) {
  const child: ChildProcess = spawn(NODE, [SCRIPT, ...given], { stdio: ['ignore', 'pipe', 'pipe'] })
  atEnd(() => child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  child.stdout!.on('data', (bytes) => {
    stdout += bytes
  })
  child.stderr!.on('data', (bytes) => {
    stderr += bytes
  })
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, stdout, stderr })),
  )
  const url = async () => {
    await expect.poll(() => stderr, { timeout: 20_000 }).toContain('Ctrl-C ends it')
    return /http:\/\/[\d.]+:\d+/.exec(stderr)![0]
  }
  return { child, ended, url }
}

test('it says where it listens, does as told, and ends with a summary', async () => {
  const file = join(scratchFolder(), 'script.yaml')
  writeFileSync(file, 'steps:\n  - status: 503\n    first: 1\n')
  const { child, ended, url } = run(
    '--port',
    '0',
    '--script',
    file,
    '--step',
    'status: 429, every: 2',
  )
  const started = { url: await url() } as Parameters<typeof push1>[0]
  const statuses = []
  for (let i = 0; i < 3; i++) statuses.push((await push1(started, i)).status)
  expect(statuses).toEqual([503, 429, 204])
  child.kill('SIGINT')
  const { code, stdout, stderr } = await ended
  expect(code).toBe(0)
  expect(stderr).toContain(`url: ${started.url}/api/v1/write`)
  expect(stdout).toContain('answers      204 1, 429 1, 503 1')
  expect(stdout).toContain('step         status: 503, first: 1 (for 1)')
  expect(stdout).toContain('problems     none')
})

test('its summary may be JSON, and some problems allowed', async () => {
  const { child, ended, url } = run('--port', '0', '--json', '--allow', 'duplicate')
  const started = { url: await url() } as Parameters<typeof push1>[0]
  expect([(await push1(started)).status, (await push1(started)).status]).toEqual([204, 204])
  child.kill('SIGTERM')
  const { code, stdout } = await ended
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ requests: 2, problems: { counts: { duplicate: 1 } } })
})

test.each([
  [
    ['--step', 'status: 5'],
    '--step:1:9: error: status: wanted a whole number from 200 to 599, found "5"',
  ],
  [['--script', '/nowhere.yaml'], "/nowhere.yaml can't be read"],
  [['--allow', 'duplicat'], 'did you mean duplicate?'],
  [['--keep', '0'], 'wanted a whole number from 1 to'],
  [['--max-body', 'big'], 'wanted a size such as 512KB'],
])('%j is refused', async (given, message) => {
  const { code, stderr } = await run(...given).ended
  expect(code).toBe(1)
  expect(stderr).toContain(message)
})

test('a port that is taken is told', async () => {
  const { code, stderr } = await run('--port', String(await takenPort())).ended
  expect([code, stderr]).toEqual([1, expect.stringContaining('is taken')])
})
