import { framedLabels } from './framed-labels.ts'
import type { Frame } from './framed-template.ts'
import { MessageBuffer } from './message-buffer.ts'
import type { MessageWriter } from './message-writer.ts'
import { writeHistogram, writeSample } from './remote-write-points.ts'
import { type ExtraLabels, labelsWith, literalTemplate } from './series-labels.ts'
import { generationOf, type SeriesKind, type SeriesSet } from './series-set.ts'
import { type SymbolSource, SymbolTable, symbolSource } from './symbol-table.ts'

// Request      symbols=4 repeated string  timeseries=5 repeated TimeSeries
// TimeSeries   labels_refs=1 repeated uint32 packed  samples=2 repeated Sample  histograms=3 repeated Histogram  metadata=5 Metadata
// Metadata     type=1 enum  help_ref=3 uint32  unit_ref=4 uint32

const TYPES: Readonly<Record<SeriesKind, number>> = { counter: 1, gauge: 2, histogram: 3 }

interface Shape {
  /** Name, value, name, value. */
  readonly labels: readonly SymbolSource[]
  readonly type: number
  readonly help: SymbolSource | undefined
  readonly unit: SymbolSource | undefined
}

/** Writes remote write 2.0, with metadata. */
export function remoteWrite2(set: SeriesSet, extra: ExtraLabels): MessageWriter {
  const shapes = shapesOf(set, extra)
  const symbols = new SymbolTable()
  const series = new MessageBuffer()
  const sample = new MessageBuffer()
  const histogram = new MessageBuffer()
  // The last ones' lengths, which the next ones' are like.
  let refsLength = 0
  let length = 0

  const writeSeries = ({ labels, type, help, unit }: Shape, id: number, generation: number) => {
    series.byte(0x0a)
    const guess = refsLength
    const refs = series.open(guess)
    for (let i = 0; i < labels.length; i++) {
      series.varint(symbols.find(labels[i]!, id, generation))
    }
    refsLength = series.close(refs, guess)
    series.append(type === TYPES.histogram ? histogram : sample)
    series.byte(0x2a)
    const metadata = series.open(0)
    series.byte(0x08)
    series.varint(type)
    if (help !== undefined) {
      series.byte(0x18)
      series.varint(symbols.find(help, id, generation))
    }
    if (unit !== undefined) {
      series.byte(0x20)
      series.varint(symbols.find(unit, id, generation))
    }
    series.close(metadata, 0)
  }

  return {
    write(first, count, timestamp, value, round) {
      series.clear()
      symbols.begin()
      writeSample(sample, value, timestamp)
      writeHistogram(histogram, 0x1a, value, timestamp)
      for (let id = first; id < first + count; id++) {
        series.byte(0x2a)
        const guess = length
        const start = series.open(guess)
        writeSeries(shapes[id % shapes.length]!, id, generationOf(set, id, round))
        length = series.close(start, guess)
      }
      symbols.message.append(series)
      return symbols.message
    },
  }
}

function shapesOf(set: SeriesSet, extra: ExtraLabels): readonly Shape[] {
  const labelsOf = labelsWith(extra)
  const framed = framedLabels(() => SYMBOL)
  const sources = new Map<object, SymbolSource>()
  const texts = new Map<string, SymbolSource>()
  const source = (of: Parameters<typeof framed>[0]) => {
    const found = framed(of)
    const made = sources.get(found) ?? symbolSource(found)
    sources.set(found, made)
    return made
  }
  const constant = (text: string) => {
    const made = texts.get(text) ?? source({ name: '', template: literalTemplate(text) })
    texts.set(text, made)
    return made
  }
  const optional = (text: string) => (text === '' ? undefined : constant(text))
  return set.shapes.map((shape) => ({
    // A template is a source of symbols whatever the name of its label is.
    labels: labelsOf(shape).flatMap(({ name, template }) => [
      constant(name),
      source({ name: '', template }),
    ]),
    type: TYPES[shape.kind],
    help: optional(shape.help),
    unit: optional(shape.unit),
  }))
}

const SYMBOL: Frame = {
  overhead: 10,
  write(value, into) {
    into.byte(0x22)
    into.varint(value.length)
    into.append(value)
  },
}
