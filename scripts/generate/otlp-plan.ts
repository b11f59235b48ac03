import { framedLabels } from './framed-labels.ts'
import type { Frame, FramedTemplate } from './framed-template.ts'
import { MessageBuffer } from './message-buffer.ts'
import { type ExtraLabels, labelsWith, type SeriesLabel } from './series-labels.ts'
import type { SeriesKind, SeriesSet, SeriesShape } from './series-set.ts'

/** The attributes of a resource of which receivers make labels (spec 3.3). */
const RESOURCE_ATTRIBUTES: Readonly<Record<string, string>> = {
  job: 'service.name',
  instance: 'service.instance.id',
}

/** A form of series as OTLP has it. */
export interface OtlpShape {
  readonly kind: SeriesKind
  readonly name: FramedTemplate
  readonly resource: readonly FramedTemplate[]
  readonly attributes: readonly FramedTemplate[]
  /** Description and unit, as they are written after the name. */
  readonly metadata: Buffer
}

/** What a format puts around names and attributes. */
export interface OtlpFrames {
  readonly name: Frame
  /** Writes a metric's description and unit, as UCUM has it. Either may be empty. */
  metadata(description: string, unit: string, into: MessageBuffer): void
  resourceAttribute(key: string): Frame
  pointAttribute(key: string, kind: SeriesKind): Frame
}

/**
 * The forms as OTLP has them: `job` and `instance` belong to the resource, all other labels to the point. Throws where a receiver would change a name
 * (Prometheus' default translation does), for then nobody could find the series again.
 */
export function otlpShapes(
  set: SeriesSet,
  extra: ExtraLabels,
  frames: OtlpFrames,
): readonly OtlpShape[] {
  const labelsOf = labelsWith(extra)
  const name = framedLabels(() => frames.name)
  const resource = framedLabels((label) => frames.resourceAttribute(RESOURCE_ATTRIBUTES[label]!))
  const number = framedLabels((label) => frames.pointAttribute(label, 'gauge'))
  const histogram = framedLabels((label) => frames.pointAttribute(label, 'histogram'))
  return set.shapes.map((shape): OtlpShape => {
    const labels = labelsOf(shape)
    checkNames(shape, labels)
    const ofResource = labels.filter((label) => Object.hasOwn(RESOURCE_ATTRIBUTES, label.name))
    const ofPoint = labels.filter((label) => label.name !== '__name__')
    return {
      kind: shape.kind,
      name: name(labels.find((label) => label.name === '__name__')!),
      resource: ofResource.map(resource),
      attributes: ofPoint
        .filter((label) => !ofResource.includes(label))
        .map(shape.kind === 'histogram' ? histogram : number),
      metadata: metadataOf(shape, frames),
    }
  })
}

function metadataOf({ help, unit }: SeriesShape, frames: OtlpFrames): Buffer {
  const buffer = new MessageBuffer()
  frames.metadata(help, UNITS[unit] ?? '', buffer)
  return Buffer.from(buffer.written())
}

/** A unit that the name has as a word already changes nothing. */
const UNITS: Readonly<Record<string, string>> = { seconds: 's', bytes: 'By' }

function checkNames({ kind, labels: own, unit }: SeriesShape, all: readonly SeriesLabel[]): void {
  const name = own.get('__name__')!.text
  if (/:|__|^_|_$/.test(name)) {
    throw new Error(
      `OTLP receivers would change the name ${name}: a name with :, __ or _ at an end`,
    )
  }
  if (kind === 'counter' && !name.endsWith('_total')) {
    throw new Error(`OTLP receivers would change the name ${name}: a counter's ends in _total`)
  }
  if (UNITS[unit] !== undefined && !name.split('_').includes(unit)) {
    throw new Error(`OTLP receivers would change the name ${name}: its unit is ${unit}`)
  }
  for (const { name: label } of all) {
    if (label !== '__name__' && /__|^_/.test(label)) {
      throw new Error(`OTLP receivers would change the name of the label ${label}`)
    }
  }
}
