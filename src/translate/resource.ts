import type { OtlpConfig } from '../config/types.ts'
import { LabelPair } from '../relabel/label-pair.ts'
import { REASON_ATTRIBUTE_NAME, REASON_UTF8 } from '../wire/layout.ts'
import type { MessageReader } from '../wire/message-reader.ts'
import { addAttributes, type Joining } from './add-attributes.ts'
import { type Attribute, readAttribute } from './attribute.ts'
import { LabelList } from './label-list.ts'
import { type LabelNaming, labelName } from './label-name.ts'

/** What a resource gives to the labels of its points, and its own `target_info`. Never changes. */
export interface Resource {
  /** Resource attributes as labels, where a point has none of that name; each name once. */
  readonly promoted: readonly LabelPair[]
  /** `job` and `instance`, which replace attributes of that name; undefined when the resource does not say. */
  readonly job: LabelPair | undefined
  readonly instance: LabelPair | undefined
  /** 0, or REASON_UTF8 or REASON_ATTRIBUTE_NAME: none of its points can be accepted. */
  readonly problem: number
  /** All labels of target_info with `__name__` (spec 4.11); undefined when none is due, or it can't be made. */
  readonly targetInfo: readonly LabelPair[] | undefined
  /** 0, or the REASON_ why the target_info that is due can't be made; its points may still be sound. */
  readonly targetInfoProblem: number
}

// Resource   attributes=1 repeated KeyValue
const ATTRIBUTES = 10

const SERVICE_NAME = 'service.name'
const SERVICE_NAMESPACE = 'service.namespace'
const SERVICE_INSTANCE = 'service.instance.id'
const IDENTIFYING: readonly string[] = [SERVICE_NAMESPACE, SERVICE_NAME, SERVICE_INSTANCE]

const TARGET_INFO = new LabelPair('__name__', 'target_info')

type ResourceConfig = Pick<
  OtlpConfig,
  | 'promoteResourceAttributes'
  | 'promoteAllResourceAttributes'
  | 'ignoreResourceAttributes'
  | 'keepIdentifyingResourceAttributes'
  | 'targetInfo'
>

/** Makes the function that reads a Resource message to its end. It keeps nothing of the bytes. */
export function createResourceReader(
  config: ResourceConfig,
  naming: LabelNaming,
  joining: Joining,
): (reader: MessageReader) => Resource {
  const list = new LabelList()
  const isPromoted = promotion(config)
  return (reader) => {
    const attributes = readAttributes(reader, naming)
    const problem = problemOfIdentity(attributes)
    const promoted: LabelPair[] = []
    const refused = problem || promote(attributes.filter(isPromoted), promoted, list, naming)
    if (refused !== 0) return refusedResource(refused)
    const points = {
      promoted,
      job: jobOf(attributes),
      instance: instanceOf(attributes),
      problem: 0,
    }
    const none = { ...points, targetInfo: undefined, targetInfoProblem: 0 }
    if (!config.targetInfo || !isTargetInfoDue(attributes, points)) return none
    const described = config.keepIdentifyingResourceAttributes
      ? attributes
      : attributes.filter(({ key }) => !IDENTIFYING.includes(key))
    const labels: LabelPair[] = []
    const targetInfoProblem = addAttributes(described, labels, list, joining)
    if (targetInfoProblem !== 0) return { ...none, targetInfoProblem }
    if (points.job !== undefined) list.set(points.job)
    if (points.instance !== undefined) list.set(points.instance)
    if (list.get('job') === undefined && list.get('instance') === undefined) return none
    labels.push(TARGET_INFO)
    return { ...points, targetInfo: labels, targetInfoProblem: 0 }
  }
}

/** Reads the attributes of a message that has them in field 1. */
function readAttributes(reader: MessageReader, naming: LabelNaming): Attribute[] {
  const attributes: Attribute[] = []
  while (reader.more) {
    const tag = reader.tag()
    if (tag === ATTRIBUTES) attributes.push(readAttribute(reader.message(), naming))
    else reader.skip(tag)
  }
  return attributes
}

function refusedResource(problem: number): Resource {
  const nothing = { job: undefined, instance: undefined, targetInfo: undefined }
  return { promoted: [], ...nothing, problem, targetInfoProblem: 0 }
}

/** Of a repeated key the first counts, as in Prometheus. */
function first(attributes: readonly Attribute[], key: string): Attribute | undefined {
  return attributes.find((attribute) => attribute.key === key)
}

function problemOfIdentity(attributes: readonly Attribute[]): number {
  return IDENTIFYING.some((key) => first(attributes, key)?.problem === REASON_UTF8)
    ? REASON_UTF8
    : 0
}

/** An empty namespace still has its slash, as in Prometheus; a namespace without a name is nothing. */
function jobOf(attributes: readonly Attribute[]): LabelPair | undefined {
  const name = first(attributes, SERVICE_NAME)
  if (name === undefined) return undefined
  const namespace = first(attributes, SERVICE_NAMESPACE)
  const job = namespace === undefined ? name.value : `${namespace.value}/${name.value}`
  return job === '' ? undefined : new LabelPair('job', job)
}

function instanceOf(attributes: readonly Attribute[]): LabelPair | undefined {
  const id = first(attributes, SERVICE_INSTANCE)?.value ?? ''
  return id === '' ? undefined : new LabelPair('instance', id)
}

function promotion(config: ResourceConfig): (attribute: Attribute) => boolean {
  const all = config.promoteAllResourceAttributes
  const listed = new Set(all ? config.ignoreResourceAttributes : config.promoteResourceAttributes)
  return ({ key }) => listed.has(key) !== all
}

/** Fills `into`; of equal names the last counts, and when that is empty there is none. Returns 0 or a REASON_. */
function promote(
  attributes: readonly Attribute[],
  into: LabelPair[],
  list: LabelList,
  naming: LabelNaming,
): number {
  list.begin(into)
  for (const { key, name, pair, problem } of attributes) {
    if (problem !== 0) return problem
    // Here Prometheus looks at the name even where it does not escape.
    if (labelName(key, naming) === undefined) return REASON_ATTRIBUTE_NAME
    if (name === undefined) continue
    if (pair === undefined) list.remove(name)
    else list.set(pair)
  }
  return 0
}

/** Whether the resource says anything beside who it is, and who it is; else its target_info would be of no use. */
function isTargetInfoDue(
  attributes: readonly Attribute[],
  points: Pick<Resource, 'job' | 'instance'>,
): boolean {
  const identifying = IDENTIFYING.filter((key) => first(attributes, key) !== undefined).length
  if (attributes.length === identifying) return false
  if (points.job !== undefined || points.instance !== undefined) return true
  return attributes.some(({ pair }) => pair?.name === 'job' || pair?.name === 'instance')
}
