import { afterAll, describe, expect, test } from 'vitest'
import { sizesFor, Workspace } from '../src/workspace.ts'
import { config, configWith, NOW, Sluice, seriesText } from './batch/harness.ts'
import { label, message, sample, series } from './batch/message.ts'
import { kernelModule } from './kernel/load.ts'

const MIB = 1024 * 1024
const T = NOW - 60_000
const up = (i = 0) => series(label('__name__', 'up'), label('i', `${i}`), sample(i, T))

/** Memories of the kernels that were made. */
const memories: WebAssembly.Memory[] = []
const { Instance } = WebAssembly
WebAssembly.Instance = class extends Instance {
  constructor(...args: ConstructorParameters<typeof Instance>) {
    super(...args)
    memories.push(this.exports.memory as WebAssembly.Memory)
  }
}
afterAll(() => {
  WebAssembly.Instance = Instance
})

const HUGE_LABELS = 'series: 1000000, labels: 127, label_name: 65535B, label_value: 65535B'

describe('the memory of an isolate', () => {
  test.each<[string, string, string, number]>([
    ['by default', '', '', 66],
    [
      'with the smallest limits',
      'limits: {body: 200B, decoded: 200B, series: 2, labels: 2, label_name: 8B, label_value: 2B}',
      'max_bytes_per_send: 1KB',
      36,
    ],
    // What is over 66 MiB is the table, which is never smaller than 8 MiB, and scratch.
    [
      'with large bodies',
      `limits: {body: 32MB, decoded: 8MB, ${HUGE_LABELS}}`,
      'max_bytes_per_send: 8MB',
      72,
    ],
    [
      'with bodies that get large',
      `limits: {body: 8MB, decoded: 32MB, ${HUGE_LABELS}}`,
      'max_bytes_per_send: 8MB',
      72,
    ],
  ])('%s is bounded', (_, sluice, origin, most) => {
    memories.length = 0
    const house = new Sluice(configWith('[]', { sluice, origin }))
    house.workspace.enter(house.config, () => undefined)
    const bytes = memories.map(({ buffer }) => buffer.byteLength)
    expect(bytes).toHaveLength(1)
    expect(bytes[0]).toBeLessThanOrEqual(most * MIB)
    // It is laid out once.
    house.run(message(up(), up(1)))
    expect(memories.map(({ buffer }) => buffer.byteLength)).toEqual(bytes)
  })

  test('has room for 24 MiB of table by default', () => {
    expect(sizesFor(configWith()).table).toBe(24 * MIB)
  })

  test('has room for any label and any piece, however small the bodies may be', () => {
    const small = 'limits: {body: 2KB, decoded: 4KB, labels: 10}'
    const value = 'e'.repeat(16_000)
    const sluice = new Sluice(
      configWith('[]', { sluice: small, global: `external_labels: {z: ${value}}` }),
    )
    const { out } = sluice.run(message(...Array.from({ length: 20 }, (_, i) => up(i))))
    const got = out[0]!.flatMap(({ timeseries }) =>
      timeseries.map(({ labels }) => seriesText(labels)),
    )
    expect(got).toEqual(Array.from({ length: 20 }, (_, i) => `__name__="up",i="${i}",z="${value}"`))
  })

  test('is what the first config asked for, and a later one does not change it', () => {
    const first = configWith('[]', {
      sluice: 'limits: {body: 1MB, decoded: 4MB, label_value: 10B}',
      origin: 'max_bytes_per_send: 512KB',
    })
    const larger = configWith('[]', {
      sluice: 'limits: {body: 9MB, decoded: 20MB, label_value: 60KB}',
      origin: 'max_bytes_per_send: 8MB',
    })
    const workspace = new Workspace(kernelModule)
    memories.length = 0
    expect(workspace.limits(first)).toBe(first.limits)
    workspace.enter(first, () => undefined)
    const limits = workspace.limits(larger)
    expect(limits).toMatchObject({ body: 1 * MIB, decoded: 4 * MIB, labelValue: 60 * 1024 })
    workspace.enter(larger, ({ kernel }) =>
      kernel.use(() => {
        expect(kernel.sizes).toMatchObject({ piece: 512 * 1024 })
        expect(kernel.intern('long', 'v'.repeat(60 * 1024))).not.toBe(0)
      }),
    )
    const lower = configWith('[]', { sluice: 'limits: {body: 1KB, decoded: 2KB}' })
    expect(workspace.limits(lower)).toMatchObject({ body: 1024, decoded: 2048 })
    expect(memories).toHaveLength(1)
  })
})

describe('a section', () => {
  test('lasts as long as its config, and so does the table', () => {
    const sluice = new Sluice(configWith())
    const { workspace } = sluice
    sluice.run(message(up(1), up(2)))
    expect(workspace.use.series).toBe(2)
    const section = workspace.enter(sluice.config, (section) => section)
    expect(workspace.enter(sluice.config, (section) => section)).toBe(section)
    expect(workspace.use.series).toBe(2)
    // An equal one is another one.
    const other = workspace.enter(configWith(), (section) => section)
    expect(other).not.toBe(section)
    expect(other.kernel).toBe(section.kernel)
    expect(workspace.use.series).toBe(0)
    expect(sluice.run(message(up(1), up(2))).batch.missed).toBe(2)
  })

  test('knows tenants by numbers, and those it does not know as one', () => {
    const yaml = config(`
remote_write: [{name: a, url: "http://a.test/"}]
sluice: {auth: [{bearer: t1, tenant: one}, {bearer: t2, tenant: two}, {bearer: t3, tenant: one}]}
`)
    new Workspace(kernelModule).enter(yaml, ({ tenant }) => {
      const numbers = ['one', 'two', 'three'].map(tenant)
      expect(new Set(numbers).size).toBe(3)
      expect(tenant('one')).toBe(numbers[0])
    })
  })

  test('of any config serves payloads of our own, and loses no series for it', () => {
    const sluice = new Sluice(configWith())
    const { workspace, config } = sluice
    const before = configWith()
    expect(workspace.enterAny(before, ({ kernel }) => kernel)).toBeInstanceOf(Object)
    sluice.run(message(up(1), up(2)))
    const section = workspace.enter(config, (section) => section)
    expect(workspace.enterAny(before, (section) => section)).toBe(section)
    expect(workspace.use.series).toBe(2)
    expect(sluice.run(message(up(1), up(2))).batch.missed).toBe(0)
  })

  test('is not entered twice at a time', () => {
    const sluice = new Sluice(configWith())
    const { workspace, config } = sluice
    sluice.run(message(up()))
    workspace.enter(config, ({ kernel }) =>
      kernel.use(() => {
        expect(() => sluice.run(message(up()))).toThrow(/^BUG: /)
        expect(() => workspace.enter(configWith(), () => undefined)).toThrow(/^BUG: /)
      }),
    )
    expect(sluice.run(message(up())).batch.missed).toBe(0)
  })

  test('is left by an error as if nothing had been', () => {
    const sluice = new Sluice(configWith())
    const { workspace, config } = sluice
    sluice.run(message(up()))
    const failed = () =>
      workspace.enter(config, ({ kernel }) =>
        kernel.use(() => {
          throw new TypeError('no such thing')
        }),
      )
    expect(failed).toThrow(TypeError)
    expect(workspace.use.series).toBe(1)
    expect(sluice.run(message(up())).batch.missed).toBe(0)
  })

  test('is made anew after a trap, with memory and table', () => {
    const sluice = new Sluice(configWith())
    const { workspace, config } = sluice
    sluice.run(message(up()))
    memories.length = 0
    const trap = () =>
      workspace.enter(config, ({ kernel }) =>
        kernel.use(() => {
          // A field of 500 MB by its length: what comes after it lies behind the memory's end.
          kernel.load(Uint8Array.of(0x4a, 0x80, 0xca, 0xb5, 0xee, 0x01))
          kernel.resolve(0x7fffffff, 0, 0, 0, 1)
        }),
      )
    expect(trap).toThrow(WebAssembly.RuntimeError)
    expect(workspace.use).toEqual({ series: 0, bytes: 0 })
    expect(sluice.run(message(up())).batch.missed).toBe(1)
    expect(memories).toHaveLength(1)
  })
})
