import { expect, it } from 'vitest'
import type { WorkerBuild } from '../../scripts/build-worker.ts'
import { workerdConfig } from '../../scripts/workerd-config.ts'

const BUILD: WorkerBuild = {
  modules: [
    { name: 'index.js', kind: 'esModule' },
    { name: 'abc-kernel.wasm', kind: 'wasm' },
    { name: 'abc-sluice.yaml', kind: 'text' },
  ],
  compatibilityDate: '2026-08-01',
  compatibilityFlags: ['nodejs_compat'],
  durableObjects: [{ binding: 'EMBEDDED', className: 'EmbeddedOrigin' }],
}

const RUN = {
  address: '127.0.0.1:8787',
  dataDir: '/data',
  texts: {},
  files: {},
  fromEnvironment: [],
}

/** Lines of the config, without their indentation. */
const lines = (run: Partial<typeof RUN> & object) =>
  workerdConfig(BUILD, { ...RUN, ...run })
    .split('\n')
    .map((line) => line.trim())

it('embeds every module as what it is, the entry first', () => {
  const modules = lines({}).filter((line) => line.includes('embed'))
  expect(modules).toEqual([
    '(name = "index.js", esModule = embed "/index.js"),',
    '(name = "abc-kernel.wasm", wasm = embed "/abc-kernel.wasm"),',
    '(name = "abc-sluice.yaml", text = embed "/abc-sluice.yaml"),',
  ])
})

it('keeps Durable Objects in SQLite, under a key that must never change', () => {
  expect(lines({})).toContain(
    '(className = "EmbeddedOrigin", uniqueKey = "sluice-EmbeddedOrigin", enableSql = true),',
  )
  expect(lines({})).toContain('(name = "EMBEDDED", durableObjectNamespace = "EmbeddedOrigin"),')
})

it('quotes what stands in it', () => {
  const dataDir = '/a "b"\\c\né'
  expect(lines({ dataDir })).toContain(
    '(name = "data", disk = (path = "/a \\"b\\"\\\\c\\x0aé", writable = true)),',
  )
})
