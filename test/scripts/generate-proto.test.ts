import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scratchFolder } from './scratch.ts'

const ROOT = join(import.meta.dirname, '../..')
const GENERATED = 'src/wire/gen'

/** Names and texts of the files in a folder. */
const contents = (folder: string) =>
  readdirSync(folder)
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')])

it('the generated protobuf code is what npm run generate:proto makes of the proto files', () => {
  const out = scratchFolder()
  const buf = createRequire(import.meta.url).resolve('@bufbuild/buf/bin/buf')
  const path = `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`
  const run = spawnSync(process.execPath, [buf, 'generate', '--output', out], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
  })
  expect(run.stderr).toBe('')
  expect(contents(join(out, GENERATED))).toEqual(contents(join(ROOT, GENERATED)))
}, 30_000)
