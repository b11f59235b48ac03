import { create, toBinary } from '@bufbuild/protobuf'
import { compress } from 'snappyjs'
import { WriteRequestSchema } from '../../src/wire/gen/prometheus_pb.js'

const PLACE = /\$\{series_id(?:([/%])(\d+))?\}/g

/** The text of a template for this series, replaced anew each time. */
export function plainText(template: string, seriesId: number): string {
  return template.replace(PLACE, (_, operator?: string, operand?: string) => {
    if (operator === undefined) return String(seriesId)
    const by = Number(operand)
    return String(operator === '/' ? Math.floor(seriesId / by) : seriesId % by)
  })
}

/** A request of remote write 1.0 made of objects and written by protobuf-es: the series [first, first + count), their labels already sorted. */
export function plainMessage(
  labels: Readonly<Record<string, string>>,
  first: number,
  count: number,
  timestamp: number,
  value: number,
): Uint8Array {
  const templates = Object.entries(labels)
  const timeseries = Array.from({ length: count }, (_, i) => ({
    labels: templates.map(([name, template]) => ({ name, value: plainText(template, first + i) })),
    samples: [{ value, timestamp: BigInt(timestamp) }],
  }))
  return toBinary(WriteRequestSchema, create(WriteRequestSchema, { timeseries }))
}

/** The same, compressed. */
export function plainBody(...request: Parameters<typeof plainMessage>): Uint8Array {
  return compress(plainMessage(...request))
}
