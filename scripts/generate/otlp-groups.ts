import type { FramedTemplate } from './framed-template.ts'
import { MessageBuffer } from './message-buffer.ts'
import type { MessageWriter } from './message-writer.ts'
import type { OtlpShape } from './otlp-plan.ts'
import { generationOf, type SeriesSet } from './series-set.ts'

/** How a format writes what belongs together. All are called in the order in which things are nested. */
export interface OtlpFormat {
  readonly message: MessageBuffer
  /** Begins the message; all its points have this time and value. */
  begin(timestamp: number, value: number): void
  end(): void
  /** `attributes` are framed, one after the other. */
  openResource(attributes: MessageBuffer): void
  closeResource(): void
  /** `name` is framed. */
  openMetric(shape: OtlpShape, name: MessageBuffer): void
  closeMetric(): void
  point(shape: OtlpShape, seriesId: number, generation: number): void
}

/**
 * Writes OTLP: series that follow each other and have the same resource, or the same name as well, are written under one. Compares bytes, remembers nothing else.
 */
export function otlpGroups(
  set: SeriesSet,
  shapes: readonly OtlpShape[],
  format: OtlpFormat,
): MessageWriter {
  let resource = new MessageBuffer()
  let nextResource = new MessageBuffer()
  const name = new MessageBuffer()

  const sameResource = (shape: OtlpShape, id: number, generation: number) => {
    nextResource.clear()
    for (let i = 0; i < shape.resource.length; i++) {
      append(nextResource, shape.resource[i]!, id, generation)
    }
    if (nextResource.equals(resource)) return true
    const before = resource
    resource = nextResource
    nextResource = before
    return false
  }

  return {
    write(first, count, timestamp, value, round) {
      format.begin(timestamp, value)
      let open: OtlpShape | undefined
      for (let id = first; id < first + count; id++) {
        const shape = shapes[id % shapes.length]!
        const generation = generationOf(set, id, round)
        const resourceStays = sameResource(shape, id, generation) && open !== undefined
        shape.name.find(id, generation)
        const { bytes, start, length } = shape.name
        if (!resourceStays || open!.kind !== shape.kind || !name.holds(bytes, start, length)) {
          if (open !== undefined) format.closeMetric()
          if (!resourceStays) {
            if (open !== undefined) format.closeResource()
            format.openResource(resource)
          }
          name.clear()
          name.copy(bytes, start, length)
          format.openMetric(shape, name)
          open = shape
        }
        format.point(shape, id, generation)
      }
      if (open !== undefined) {
        format.closeMetric()
        format.closeResource()
      }
      format.end()
      return format.message
    },
  }
}

/** Writes what this template is for this series. */
export function append(
  into: MessageBuffer,
  template: FramedTemplate,
  id: number,
  generation: number,
): void {
  template.find(id, generation)
  into.copy(template.bytes, template.start, template.length)
}
