import { type Bytes, double, field, number, text, varint } from './message.ts'

// A writer of remote write 2.0 messages as strangers may write them. Fields of a series are made with the symbols of the request they go into.

/** The symbols of one request: numbered as they are first asked for, the empty one 0. */
export class Symbols {
  readonly #refs = new Map<string, number>([['', 0]])

  ref(text: string): number {
    const known = this.#refs.get(text)
    if (known !== undefined) return known
    this.#refs.set(text, this.#refs.size)
    return this.#refs.size - 1
  }

  /** The symbols as fields of a Request, as far as they are known by now. */
  fields(): Bytes {
    return [...this.#refs.keys()].flatMap((symbol) => text(4, symbol))
  }

  /** Refs of these labels, as one packed field, or each on its own. */
  labels(labels: readonly (readonly [string, string])[], packed = true): Bytes {
    const refs = labels.flatMap(([name, value]) => [this.ref(name), this.ref(value)])
    return packed
      ? field(
          1,
          refs.flatMap((ref) => varint(ref)),
        )
      : refs.flatMap((ref) => number(1, ref))
  }

  exemplar(labels: Record<string, string>, value: number, time: number, packed = true): Bytes {
    const pairs = Object.entries(labels)
    return field(4, [
      ...(pairs.length > 0 ? this.labels(pairs, packed) : []),
      ...double(2, value),
      ...number(3, time),
    ])
  }

  metadata(type: number, help = '', unit = ''): Bytes {
    return field(5, [
      ...(type ? number(1, type) : []),
      ...number(3, this.ref(help)),
      ...number(4, this.ref(unit)),
    ])
  }
}

/** The request: symbols, then series; or the other way round. */
export function request(
  symbols: Symbols,
  series: readonly Bytes[],
  symbolsLast = false,
): Uint8Array {
  const all = series.flatMap((fields) => field(5, fields))
  return Uint8Array.from(
    symbolsLast ? [...all, ...symbols.fields()] : [...symbols.fields(), ...all],
  )
}

export function sample2(
  value: number | Bytes,
  time: number | bigint,
  start: number | bigint = 0,
): Bytes {
  const plain = value === 0 ? [] : double(1, value)
  return field(2, [
    ...plain,
    ...(time === 0 ? [] : number(2, time)),
    ...(start === 0 ? [] : number(3, start)),
  ])
}

/** The histogram of message.ts, with the tag of 2.0. */
export function asHistogram2(fields: Bytes, start: number | bigint = 0): Bytes {
  // Tag and a length of one byte
  const payload = [...fields.slice(2), ...(start === 0 ? [] : number(17, start))]
  return field(3, payload)
}
