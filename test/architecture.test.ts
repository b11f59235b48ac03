import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { VERSION } from '../src/version.ts'

/**
 * The rooms in the order in which data passes through them, each with those whose files it may import. What decides is
 * on the right: bytes know nothing of series, series nothing of batches, and delivery knows no formats at all.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  receive: ['wire', 'config', 'telemetry'],
  kernel: ['wire'],
  compress: ['kernel', 'wire'],
  // OTLP's own forms: JSON in, answers out.
  otlp: ['receive', 'wire', 'telemetry'],
  relabel: ['wire', 'config'],
  translate: ['relabel', 'wire', 'config'],
  series: ['kernel', 'translate', 'relabel', 'wire', 'config'],
  batch: ['kernel', 'compress', 'series', 'wire', 'config'],
  deliver: ['config', 'telemetry'],
  // A whole small origin behind the others: it receives and decodes for itself.
  embedded: ['receive', 'kernel', 'wire', 'config', 'telemetry'],
  wire: [],
  config: [],
  telemetry: [],
}
/** From "body is complete" to "fetch was called" nothing waits. */
const SYNCHRONOUS = [
  'kernel',
  'compress',
  'otlp',
  'series',
  'translate',
  'relabel',
  'batch',
  'wire',
]

interface Source {
  /** As `kernel/kernel.ts`. */
  readonly path: string
  /** Undefined for the files beside the rooms, which compose them. */
  readonly room: string | undefined
  readonly text: string
  /** Without comments. */
  readonly code: string
  /** As written. */
  readonly imports: readonly string[]
}

const src = sourcesIn('src')

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

function sourcesIn(folder: string): Source[] {
  return filesIn(folder).map((file) => {
    const path = relative(folder, file)
    const text = readFileSync(file, 'utf8')
    const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
    const found = code.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)
    const imports = Array.from(found, (match) => match[1]!)
    return { path, room: path.includes('/') ? path.split('/')[0] : undefined, text, code, imports }
  })
}

/** What a file imports from src, as paths below it. */
function insideOf({ path, imports }: Source): string[] {
  return imports.filter((name) => name.startsWith('.')).map((name) => join(path, '..', name))
}

/** Each room's imports of other rooms, and of files beside the rooms as `/file.ts`. */
function edges(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const source of src) {
    if (source.room === undefined) continue
    const to = found.get(source.room) ?? new Set<string>()
    found.set(source.room, to)
    for (const target of insideOf(source)) {
      const room = target.includes('/') ? target.split('/')[0]! : `/${target}`
      if (room !== source.room) to.add(room)
    }
  }
  return found
}

describe('the rooms', () => {
  test('are those of the table', () => {
    expect([...edges().keys()].sort()).toEqual(Object.keys(ROOMS).sort())
  })

  test.each(Object.keys(ROOMS))('%s imports from those that it may, and no others', (room) => {
    const strangers = [...edges().get(room)!].filter((to) => !ROOMS[room]!.includes(to))
    expect(strangers).toEqual([])
  })

  test('have no imports that lead back', () => {
    const done = new Set<string>()
    const visit = (room: string, way: readonly string[]): void => {
      expect(way, 'a circle').not.toContain(room)
      if (done.has(room)) return
      for (const to of edges().get(room) ?? []) visit(to, [...way, room])
      done.add(room)
    }
    for (const room of Object.keys(ROOMS)) visit(room, [])
  })

  test('are all needed by somebody beside them', () => {
    const used = src.filter(({ room }) => room === undefined).flatMap(insideOf)
    const rooms = new Set(used.map((target) => target.split('/')[0]!))
    for (const room of Object.keys(ROOMS)) {
      const inside = [...edges().values()].some((to) => to.has(room))
      expect(rooms.has(room) || inside, room).toBe(true)
    }
  })
})

describe('every file', () => {
  test('imports nothing from outside of src but packages and the bundled config', () => {
    const outside = src.flatMap((source) =>
      insideOf(source)
        .filter((target) => target.startsWith('..'))
        .map((target) => `${source.path} -> ${target}`),
    )
    expect(outside).toEqual(['index.ts -> ../sluice.yaml'])
  })

  test('has names for what it exports, but for the Worker itself', () => {
    const unnamed = src
      .filter(({ code }) => /\bexport default\b/.test(code))
      .map(({ path }) => path)
    expect(unnamed.filter((path) => !path.endsWith('.d.ts'))).toEqual(['index.ts'])
  })

  test('neither waits nor promises in the rooms that are synchronous', () => {
    const waiting = src
      .filter(({ room }) => room !== undefined && SYNCHRONOUS.includes(room))
      .filter(({ code }) => /\b(async|await|Promise|setTimeout|queueMicrotask)\b/.test(code))
    expect(waiting.map(({ path }) => path)).toEqual([])
  })

  test('asks for no time and no random number at module scope, where Workers have none', () => {
    const asking =
      /^\S.*(Math\.random\(|Date\.now\(|new Date\(\)|performance\.now\(|getRandomValues\(|randomUUID\(|setTimeout\()/
    const lines = src.flatMap(({ path, code }) =>
      code
        .split('\n')
        .filter((line) => asking.test(line) && !/=>|\bfunction\b/.test(line))
        .map((line) => `${path}: ${line}`),
    )
    expect(lines).toEqual([])
  })

  test('makes no code from text', () => {
    const evil = src.filter(({ code }) => /\beval\(|\bnew Function\(/.test(code))
    expect(evil.map(({ path }) => path)).toEqual([])
  })

  test('leaves the memory of the kernel to its host', () => {
    const touching = src
      .filter(({ path }) => !path.startsWith('kernel/assembly/'))
      .filter(({ code }) => /\bnew WebAssembly\.Instance\b|\.memory\b/.test(code))
    expect(touching.map(({ path }) => path)).toEqual(['kernel/kernel.ts'])
  })

  test('does not answer 429 or 500 by itself', () => {
    const statuses = src.filter(({ code }) =>
      /\b(new RequestError\(|status: ?|, )(429|500)\b/.test(code),
    )
    expect(statuses.map(({ path }) => path)).toEqual([])
  })
})

test('what kernel and host agree on is integer constants, which both languages read', () => {
  const { code } = src.find(({ path }) => path === 'wire/layout.ts')!
  const lines = code.split('\n').filter((line) => line.trim() !== '')
  expect(lines.length).toBeGreaterThan(40)
  expect(lines.filter((line) => !/^export const [A-Z][A-Z0-9_]* = -?\d+$/.test(line))).toEqual([])
})

test('the version is that of package.json', () => {
  expect(VERSION).toBe(manifest.version)
})

test('dependencies are imported by what is deployed, or are the peers that tests and benchmarks compare with', () => {
  const packageOf = (name: string) =>
    name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/')
  const importedBy = (sources: readonly Source[]) =>
    new Set(sources.flatMap(({ imports }) => imports.map(packageOf)))
  const deployed = importedBy(src)
  const beside = importedBy([...sourcesIn('test'), ...sourcesIn('scripts')])
  for (const name of Object.keys(manifest.dependencies)) {
    const compared = ['@bufbuild/protobuf', 'snappyjs'].includes(name) && beside.has(name)
    expect(deployed.has(name) || compared, name).toBe(true)
  }
  // And nothing is deployed that is a tool only.
  const packages = [...deployed].filter((name) => !/^(\.|node:|cloudflare:)/.test(name))
  expect(packages.filter((name) => !Object.hasOwn(manifest.dependencies, name))).toEqual([])
})
