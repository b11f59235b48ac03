/** The strings for a family's labels, in the order of their names. */
export type LabelValues<Names extends readonly string[]> = { readonly [K in keyof Names]: string }

/**
 * A value that only rises. Bound once with `Family.with`, then free to add to: no lookup, no
 * allocation.
 */
export class Counter {
  value = 0

  /**
   * Adds `n`, by default 1. Throws `BUG:` on a negative or NaN, which would spoil the counter for
   * good.
   */
  add(n = 1): void {
    if (!(n >= 0)) throw new Error(`BUG: ${n} added to a counter`)
    this.value += n
  }
}

/** A value that goes up and down. */
export class Gauge {
  value = 0

  set(value: number): void {
    this.value = value
  }
}

/** One child of a family, as it is exposed. */
export interface Child<Instrument> {
  readonly values: readonly string[]
  readonly instrument: Instrument
}

/** All children of one metric. */
export interface Family<Instrument, Names extends readonly string[]> {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  readonly help: string
  readonly labels: Names
  /** In the order in which they were made. */
  readonly children: Iterable<Child<Instrument>>
  /**
   * The child for these values, the same one each time; it is exposed as 0 from now on. Costs a
   * lookup: hot paths keep what they get. Past `MAX_CHILDREN` all further values share one child,
   * whose values are all `other`.
   */
  with(...values: LabelValues<Names>): Instrument
}

/**
 * Children of one family; a metric whose values were not bounded after all costs this much and no
 * more.
 */
export const MAX_CHILDREN = 1000

/**
 * A family of counters. `help` is one sentence; names are Prometheus' own style, `sluice_…_total`.
 */
export function counter<const Names extends readonly string[]>(
  name: string,
  help: string,
  labels: Names,
): Family<Counter, Names> {
  return family('counter', name, help, labels, () => new Counter())
}

/** A family of gauges. */
export function gauge<const Names extends readonly string[]>(
  name: string,
  help: string,
  labels: Names,
): Family<Gauge, Names> {
  return family('gauge', name, help, labels, () => new Gauge())
}

function family<Instrument, const Names extends readonly string[]>(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  labels: Names,
  make: () => Instrument,
): Family<Instrument, Names> {
  const children = new Map<string, Child<Instrument>>()

  function child(values: readonly string[]): Instrument {
    const key = JSON.stringify(values)
    const known = children.get(key)
    if (known !== undefined) return known.instrument
    if (labels.length > 0 && children.size >= MAX_CHILDREN) return overflow()
    return insert(key, values)
  }

  function overflow(): Instrument {
    const values = labels.map(() => 'other')
    const key = JSON.stringify(values)
    return children.get(key)?.instrument ?? insert(key, values)
  }

  function insert(key: string, values: readonly string[]): Instrument {
    const instrument = make()
    children.set(key, { values, instrument })
    return instrument
  }

  if (labels.length === 0) child([])
  return {
    name,
    type,
    help,
    labels,
    children: { [Symbol.iterator]: () => children.values() },
    with: (...values) => child(values),
  }
}
