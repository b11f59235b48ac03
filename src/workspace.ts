import { createPayloadPool, type PayloadPool } from './batch/payload-pool.ts'
import { planStreams, type Stream } from './batch/streams.ts'
import type { Config, Limits } from './config/types.ts'
import { Kernel } from './kernel/kernel.ts'
import { memoryOf, type Sizes } from './kernel/regions.ts'
import { SeriesTable } from './series/series-table.ts'
import { compileVariants } from './series/variants.ts'
import { createTranslator } from './translate/translator.ts'
import { METADATA } from './wire/layout.ts'

const MIB = 1024 * 1024
/** Both generations of the series table together. Raised limits shrink it, so that all memory stays within TOTAL. */
const TABLE = 24 * MIB
const SMALLEST_TABLE = 8 * MIB
const TOTAL = 66 * MIB
/** A sixth of the table's bytes besides, for what is remembered of blocks that went out: by default of about 60,000 series. */
const STENCILS = 1 / 6
/** Rows of one part at the most: a body with more runs goes in parts. */
const ROWS = 100_000
/** Points of one part that are written anew, bytes: about as many samples as there are rows. */
const MADE = 2 * MIB
/** The longest label field that any `label_name` and `label_value` allow. */
const LONGEST_LABEL = MIB + 65_535 + 16

/** What a synchronous section works with: everything fits one config. */
export interface Section {
  readonly kernel: Kernel
  readonly table: SeriesTable
  readonly streams: readonly Stream[]
  /** Number under which the table keeps this tenant's series. */
  tenant(name: string): number
}

/**
 * The isolate's one kernel and its table, for whatever config is in effect. Sections never overlap: they are synchronous.
 */
export class Workspace {
  readonly pool: PayloadPool = createPayloadPool()
  readonly #module: WebAssembly.Module
  readonly #table: number | undefined
  #kernel: Kernel | undefined
  #sizes: Sizes | undefined
  #config: Config | undefined
  #section: Section | undefined
  #entered = false

  /** `table`: bytes of the series table, both generations together, where tests want one that is soon full. */
  constructor(module: WebAssembly.Module, { table }: { readonly table?: number } = {}) {
    this.#module = module
    this.#table = table
  }

  /** Limits that hold under this config: what sizes memory is fixed by the first config of an isolate, a reload can only lower it. */
  limits(config: Config): Limits {
    const sizes = this.#sizesBy(config)
    const { limits } = config
    if (limits.body <= sizes.body && limits.decoded <= sizes.decoded) return limits
    return {
      ...limits,
      body: Math.min(limits.body, sizes.body),
      decoded: Math.min(limits.decoded, sizes.decoded),
    }
  }

  /**
   * The section for this config; a config other than the last one's empties the table. After a trap the instance and its table are dropped, the error goes on.
   * Throws `BUG:` within a section.
   */
  enter<T>(config: Config, work: (section: Section) => T): T {
    if (this.#entered) throw new Error('BUG: the workspace was entered twice')
    this.#entered = true
    try {
      return work(this.#sectionFor(config))
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) this.#drop()
      throw error
    } finally {
      this.#entered = false
    }
  }

  /**
   * The section at hand, whatever config it is for; this one's when there is none. For payloads of our own making, in which no config has a part: the one they were made
   * under may not be followed any more, and the table is not to be emptied for them.
   */
  enterAny<T>(config: Config, work: (section: Pick<Section, 'kernel' | 'table'>) => T): T {
    return this.enter(this.#config ?? config, work)
  }

  /** Series and bytes in the table. */
  get use(): { series: number; bytes: number } {
    return this.#kernel?.tableUse() ?? { series: 0, bytes: 0 }
  }

  #sectionFor(config: Config): Section {
    if (this.#section && this.#config === config && !this.#kernel?.worn) return this.#section
    const kernel = (this.#kernel ??= new Kernel(this.#module, this.#sizesBy(config)))
    const variants = compileVariants(config, (value, modulus) => kernel.hashmod(value, modulus))
    const tenants = new Map<string, number>()
    if (config.auth !== 'none') {
      for (const { tenant } of config.auth) {
        if (!tenants.has(tenant)) tenants.set(tenant, tenants.size + 1)
      }
    }
    const streams = planStreams(config, variants.ofOrigin)
    const translation = {
      translator: createTranslator(config.otlp),
      ...histogramsFor(config, streams),
    }
    this.#section = undefined // what throws below leaves none
    kernel.configureOtlp({
      ...translation,
      starts: streams.some(({ message }) => message === 2),
      scopes: config.otlp.promoteScopeMetadata,
      targets: config.otlp.targetInfo,
      silentDelta: config.otlp.delta === 'drop',
      exemplarLength: config.otlp.exemplarMaxLength,
      records: streams.some(({ message }) => message === 2),
      families: streams.some(
        ({ message, kinds }) => message === 1 && ((kinds >>> METADATA) & 1) === 1,
      ),
    })
    kernel.setExpand(streams.some(({ message, expand }) => message === 1 && expand))
    this.#section = {
      kernel,
      table: new SeriesTable(kernel, variants, config.limits, translation),
      streams,
      tenant: (name) => tenants.get(name) ?? 0,
    }
    this.#config = config
    return this.#section
  }

  #sizesBy(config: Config): Sizes {
    if (this.#sizes === undefined) {
      const sizes = sizesFor(config)
      this.#sizes = { ...sizes, table: this.#table ?? sizes.table }
    }
    return this.#sizes
  }

  #drop(): void {
    this.#kernel = undefined
    this.#config = undefined
    this.#section = undefined
  }
}

/** What explicit histograms of OTLP become: classic series, unless the config converts them and no origin needs classic ones in their place. */
function histogramsFor({ otlp }: Config, streams: readonly Stream[]) {
  const native = otlp.convertHistogramsToNhcb
  return {
    native,
    classic: !native || streams.some(({ message, expand }) => message === 1 && expand),
  }
}

/** What the memory is laid out for. */
export function sizesFor(config: Config): Sizes {
  const { body, decoded, series, labels, labelName, labelValue } = config.limits
  const piece = Math.max(...config.origins.map((origin) => origin.maxBytesPerSend))
  const sizes = {
    // A piece that is to be halved is read as a body is.
    body: Math.max(body, piece + Math.ceil(piece / 6) + 96),
    decoded: Math.max(decoded, piece),
    piece,
    // All labels of a series together: whatever the limits add up to, but no more than a body could hold. Any one label
    // fits, those that a rule or a later config makes too.
    key: Math.max(
      LONGEST_LABEL,
      Math.min(labels * (labelName + labelValue + 16), decoded, Math.max(2 ** 21, labelValue * 4)),
    ),
    rows: Math.min(series, ROWS) + 1024,
    made: MADE,
  }
  const room = (TOTAL - memoryOf({ ...sizes, table: 0, stencils: 0 })) / (1 + STENCILS)
  const table = Math.max(SMALLEST_TABLE, Math.min(TABLE, room & ~0xffff))
  return { ...sizes, table, stencils: Math.floor(table * STENCILS) & ~63 }
}
