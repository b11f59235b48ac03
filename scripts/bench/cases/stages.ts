import { fromBinary, toBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import type { Emission } from '../../../src/kernel/kernel.ts'
import { compileRules } from '../../../src/relabel/compile.ts'
import { LabelPair } from '../../../src/relabel/label-pair.ts'
import { LabelSet } from '../../../src/relabel/label-set.ts'
import { WriteRequestSchema } from '../../../src/wire/gen/prometheus_pb.js'
import { MISS, RESOLVE_BEGIN, RESOLVE_ON } from '../../../src/wire/layout.ts'
import type { Section } from '../../../src/workspace.ts'
import { benchConfig } from '../bench-config.ts'
import { compressedBodies } from '../bodies.ts'
import type { BenchCase, Ways } from '../case.ts'
import { plainRelabel, plainRules } from '../plain.ts'
import { readPlain1, writePlain2 } from '../plain-messages.ts'
import { newWorkspace } from '../section.ts'
import type { Shape } from '../shape.ts'

const SERIES = 2000
const EVERY_KIND = 15
const WHOLE = 16 * 1024 * 1024

const config = benchConfig()
const rules = config.origins[0].writeRelabelConfigs

/** The steps of a request by themselves. */
export const stageCases: readonly BenchCase[] = [
  stage('snappy/decode', decode),
  stage('snappy/encode', encode),
  stage('resolve/hit', resolveHit),
  stage('resolve/miss', resolveMiss),
  stage('emit', () => emit(1)),
  stage('emit/2', () => emit(2)),
  stage('emit/block', emitBlock),
  stage('relabel/new', () => relabel('pod-per-series', true)),
  stage('relabel/known', () => relabel('kubernetes', false)),
]

function stage(name: string, make: () => Ways): BenchCase {
  return { name, items: SERIES, unit: 'series', make }
}

/** A section that nobody else enters, so what it lends stays as it is, and a body's message. */
function openSection(): { section: Section; body: Uint8Array; message: Uint8Array } {
  const [body] = compressedBodies({ shape: 'pod-per-series', series: SERIES })
  const section = newWorkspace().enter(config, (section) => section)
  section.kernel.use(() => undefined) // draws the hash keys
  return { section, body, message: new Uint8Array(SnappyJS.uncompress(body)) }
}

function decode(): Ways {
  const { section, body } = openSection()
  return {
    sluice: { run: () => section.kernel.decodeSnappy(body) },
    plain: { run: () => SnappyJS.uncompress(body) },
  }
}

function encode(): Ways {
  const { section, message } = openSection()
  const { kernel } = section
  resolveAll(section, kernel.load(message))
  kernel.emitBegin(emission(1, 'zstd'))
  const n = kernel.emit(WHOLE, SERIES)
  const payload = kernel.piece(n).slice()
  return {
    // Of a message that was written out, the kernel's encoder makes one block.
    sluice: { run: () => kernel.compress(n) },
    plain: { run: () => SnappyJS.compress(payload) },
  }
}

/** Beside it: protobuf-es reads the message. */
function resolveHit(): Ways {
  const { section, message } = openSection()
  const n = section.kernel.load(message)
  return {
    sluice: { run: () => section.kernel.use(() => resolveAll(section, n)) },
    plain: { run: () => fromBinary(WriteRequestSchema, message) },
  }
}

/** Beside it: protobuf-es reads the message, and the rules run on objects. */
function resolveMiss(): Ways {
  const { section, message } = openSection()
  const { kernel, table } = section
  const n = kernel.load(message)
  const relabel = plainRelabel(rules)
  return {
    sluice: {
      before() {
        kernel.clear(1)
        table.forget()
      },
      run: () => kernel.use(() => resolveAll(section, n)),
    },
    plain: { run: () => relabel(fromBinary(WriteRequestSchema, message)) },
  }
}

function emission(message: 1 | 2, compression: 'snappy' | 'zstd'): Emission {
  return { variant: 0, kinds: EVERY_KIND, message, compression, expand: true }
}

/** The block of a message whose series went out before, which is never written out. Beside it: protobuf-es writes the message, and snappyjs its block. */
function emitBlock(): Ways {
  const { section, message } = openSection()
  const { kernel } = section
  resolveAll(section, kernel.load(message))
  const run = () => {
    kernel.emitBegin(emission(1, 'snappy'))
    return kernel.compress(kernel.emit(WHOLE, SERIES))
  }
  const request = fromBinary(WriteRequestSchema, message)
  plainRelabel(rules)(request)
  return {
    sluice: { run },
    plain: { run: () => SnappyJS.compress(toBinary(WriteRequestSchema, request)) },
  }
}

/** Beside it: protobuf-es writes the message. */
function emit(version: 1 | 2): Ways {
  const { section, message } = openSection()
  const { kernel } = section
  resolveAll(section, kernel.load(message))
  const run = () => {
    kernel.emitBegin(emission(version, 'zstd'))
    return kernel.emit(WHOLE, SERIES)
  }
  run()
  const request = fromBinary(WriteRequestSchema, message)
  plainRelabel(rules)(request)
  if (version === 1)
    return { sluice: { run }, plain: { run: () => toBinary(WriteRequestSchema, request) } }
  const series = readPlain1(toBinary(WriteRequestSchema, request))
  return { sluice: { run }, plain: { run: () => writePlain2(series) } }
}

/** The rules by themselves, with and without what they remember of values. Beside it: on objects. */
function relabel(shape: Shape, forget: boolean): Ways {
  const [body] = compressedBodies({ shape, series: SERIES })
  const { timeseries } = fromBinary(WriteRequestSchema, new Uint8Array(SnappyJS.uncompress(body)))
  const series = timeseries.map(({ labels }) =>
    labels.map(({ name, value }) => new LabelPair(name, value)),
  )
  const { kernel } = newWorkspace().enter(config, (section) => section)
  const ruleset = compileRules(rules, (value, modulus) => kernel.hashmod(value, modulus))
  const isKept = plainRules(rules)
  const labels = new LabelSet()
  return {
    sluice: {
      before: forget ? () => ruleset.forget() : undefined,
      run() {
        for (const pairs of series) {
          labels.clear()
          for (const pair of pairs) labels.push(pair)
          if (ruleset.apply(labels) < 0) labels.sortByBytes()
        }
      },
    },
    plain: {
      run() {
        for (const pairs of series) {
          const labels = new Map<string, string>()
          for (const { name, value } of pairs) labels.set(name, value)
          if (isKept(labels)) [...labels].sort(([a], [b]) => (a < b ? -1 : 1))
        }
      },
    },
  }
}

function resolveAll({ kernel, table }: Section, n: number): void {
  let how = RESOLVE_BEGIN
  for (;;) {
    const result = kernel.resolve(n, how, 0, Number.MAX_SAFE_INTEGER, SERIES)
    if (result === 0) return
    if (result !== MISS || table.miss() !== 'inserted') throw new Error(`BUG: ${result}`)
    how = RESOLVE_ON
  }
}
