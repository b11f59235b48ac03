import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkConfig } from '../../scripts/check-config.ts'
import { parseConfig } from '../../src/config/parse.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-check-'))
})
afterAll(async () => {
  await rm(directory, { recursive: true })
})

const good = `remote_write: [{ url: https://h/, bearer_token: "\${TOKEN}", enable_http2: true }]
sluice: { auth: none }
`

async function check(
  text: string,
  {
    env = {},
    devVars = '',
    ignoreBindings = false,
  }: Partial<Record<'devVars', string>> & {
    env?: Record<string, string>
    ignoreBindings?: boolean
  } = {},
) {
  const file = join(directory, 'config.yaml')
  const vars = join(directory, devVars === '' ? 'none' : 'vars')
  await writeFile(file, text)
  if (devVars !== '') await writeFile(vars, devVars)
  const written = { stdout: '', stderr: '' }
  const stream = (name: 'stdout' | 'stderr') => ({
    write: (part: string) => (written[name] += part.replaceAll(directory, '.')),
  })
  const output = { stdout: stream('stdout'), stderr: stream('stderr') }
  const code = await checkConfig(file, { env, devVars: vars, ignoreBindings }, output)
  return { code, ...written }
}

const warning =
  './config.yaml:1:75: warning: remote_write[0].enable_http2: ignored: the platform chooses the HTTP version\n'

test('a good config is printed with its secrets masked, warnings go to stderr', async () => {
  const { code, stdout, stderr } = await check(good, { env: { TOKEN: 'hunter2' } })
  expect(code).toBe(0)
  expect(stdout).toContain('credentials: <secret>')
  expect(stdout).not.toContain('hunter2')
  expect(stderr).toBe(warning)
})

test('bindings come from the environment, then from .dev.vars', async () => {
  expect((await check(good, { devVars: '# secrets\nTOKEN="a b"\n' })).code).toBe(0)
  expect((await check(good, { devVars: 'TOKEN=\n' })).code).toBe(1)
  expect((await check(good, { devVars: 'TOKEN=\n', env: { TOKEN: 'x' } })).code).toBe(0)
})

test('a missing binding is an error as in production, and the way around is told', async () => {
  const { code, stdout, stderr } = await check(good)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('./config.yaml:1:49: error: remote_write[0].bearer_token: there is no')
  expect(stderr).toMatch(/--ignore-bindings checks the rest without them\.\n$/)
  expect(await check(good, { ignoreBindings: true })).toMatchObject({ code: 0, stderr: warning })
})

test('every problem is one line with file, line and column, as far as it has them', async () => {
  const { code, stdout, stderr } = await check('remote_write: [{ url: x, foo: 1 }]\n')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^\.\/config\.yaml: error: sluice\.auth: who may push/),
    expect.stringMatching(/^\.\/config\.yaml:1:23: error: remote_write\[0\]\.url: wanted/),
    './config.yaml:1:26: error: remote_write[0].foo: unknown key',
  ])
})

test('a file that can not be read is told', async () => {
  let stderr = ''
  const output = { stdout: { write() {} }, stderr: { write: (text: string) => (stderr += text) } }
  const source = { env: {}, devVars: 'none', ignoreBindings: false }
  expect(await checkConfig('/does/not/exist', source, output)).toBe(1)
  expect(stderr).toBe('/does/not/exist: error: can not be read (ENOENT)\n')
})

const run = promisify(execFile)
const script = join(import.meta.dirname, '../../scripts/check.ts')

test('the command checks a file, and shows its help without one', async () => {
  const file = join(directory, 'command.yaml')
  await writeFile(file, good)
  const options = { env: { ...process.env, TOKEN: 'hunter2' }, cwd: directory }
  const { stdout } = await run(process.execPath, [script, 'config', file], options)
  expect(stdout).toMatch(/^remote_write:\n {2}- name: h\//)
  const failed = run(process.execPath, [script, 'config', file], { cwd: directory })
  await expect(failed).rejects.toMatchObject({ code: 1 })
  const help = await run(process.execPath, [script], { cwd: directory })
  expect(help.stdout).toMatch(/^Usage: npm run -s check -- .*config.*relabel/s)
})

test('the bundled config is good where it may be open, and refused elsewhere', async () => {
  const text = await readFile(join(import.meta.dirname, '../../sluice.yaml'), 'utf8')
  const { config } = parseConfig(text, {}, { openWithoutAuth: true })
  expect(config?.origins.map(({ url }) => url)).toEqual(['sluice://embedded'])
  expect(parseConfig(text, {}).problems.map(({ path }) => path)).toEqual(['sluice.auth'])
})
