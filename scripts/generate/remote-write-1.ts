import { framedLabels } from './framed-labels.ts'
import type { Frame, FramedTemplate } from './framed-template.ts'
import { MessageBuffer } from './message-buffer.ts'
import type { MessageWriter } from './message-writer.ts'
import { writeHistogram, writeSample } from './remote-write-points.ts'
import { type ExtraLabels, labelsWith } from './series-labels.ts'
import { generationOf, type SeriesSet } from './series-set.ts'

// WriteRequest   timeseries=1 repeated TimeSeries
// TimeSeries     labels=1 repeated Label  samples=2 repeated Sample  histograms=4 repeated Histogram
// Label          name=1 string  value=2 string

/** Writes remote write 1.0. */
export function remoteWrite1(set: SeriesSet, extra: ExtraLabels): MessageWriter {
  const labelsOf = labelsWith(extra)
  const framed = framedLabels(labelFrame)
  const shapes = set.shapes.map((shape) => ({
    labels: labelsOf(shape).map(framed),
    histogram: shape.kind === 'histogram',
  }))
  const message = new MessageBuffer()
  const sample = new MessageBuffer()
  const histogram = new MessageBuffer()
  // The last series' length, which the next one's is like.
  let length = 0
  return {
    write(first, count, timestamp, value, round) {
      message.clear()
      writeSample(sample, value, timestamp)
      writeHistogram(histogram, 0x22, value, timestamp)
      for (let id = first; id < first + count; id++) {
        const shape = shapes[id % shapes.length]!
        message.byte(0x0a)
        const guess = length
        const start = message.open(guess)
        writeLabels(message, shape.labels, id, generationOf(set, id, round))
        message.append(shape.histogram ? histogram : sample)
        length = message.close(start, guess)
      }
      return message
    },
  }
}

function writeLabels(
  message: MessageBuffer,
  labels: readonly FramedTemplate[],
  id: number,
  generation: number,
): void {
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i]!
    label.find(id, generation)
    message.copy(label.bytes, label.start, label.length)
  }
}

function labelFrame(name: string): Frame {
  const bytes = Buffer.from(name)
  return {
    overhead: name.length + 24,
    write(value, into) {
      into.byte(0x0a)
      const label = into.open(0)
      into.byte(0x0a)
      into.varint(bytes.length)
      into.constant(bytes)
      into.byte(0x12)
      into.varint(value.length)
      into.append(value)
      into.close(label, 0)
    },
  }
}
