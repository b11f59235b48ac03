import { printable } from '../telemetry/printable.ts'
import { type AnswerStart, discardBody } from './answer-body.ts'
import { redact } from './redact.ts'

/** Whom an answer is from, and what may not be repeated of it. */
export interface Answerer {
  readonly name: string
  readonly secrets: readonly string[]
}

const MAX_MESSAGE = 256
const MAX_NAME = 64

/** A message about an origin that said nothing itself. */
export function about(origin: Answerer, text: string): string {
  return printable(`${named(origin)}: ${redact(text, origin.secrets)}`, MAX_MESSAGE)
}

/** What an origin answered: the status, a remark of ours, the first line of what it said itself. */
export function answered(
  origin: Answerer,
  status: number,
  start: AnswerStart,
  remark?: string,
): string {
  const head = `${named(origin)} answered ${status}${remark === undefined ? '' : `, ${remark}`}`
  const text = firstLine(origin, start)
  return printable(text === '' ? head : `${head}: ${text}`, MAX_MESSAGE)
}

/**
 * What a redirect that is not followed says. Only its host: path and query of a login page may hold anything. The body
 * is let go.
 */
export function leadsTo(response: Response): AnswerStart {
  discardBody(response)
  const host = URL.parse(response.headers.get('location') ?? '')?.host
  return { text: host ? `a redirect to ${host}` : 'a redirect', cut: false }
}

function firstLine(origin: Answerer, { text, cut }: AnswerStart): string {
  return (
    redact(text, origin.secrets, cut)
      .trimStart()
      .split(/[\r\n]/, 1)[0] ?? ''
  )
}

function named(origin: Answerer): string {
  return `origin ${printable(origin.name, MAX_NAME)}`
}
