import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answer, loginPage, refusal, scriptedAnswer, takenAnswer } from './answer.ts'
import { type Opened, openBody } from './open-body.ts'
import type { Player, Treatment } from './play-script.ts'
import { createFindings, type ProblemCode } from './problems.ts'
import { readBody } from './read-body.ts'
import type { Counters } from './report.ts'
import { type Sending, sendAnswer } from './send-answer.ts'
import type { SeriesStore } from './series-store.ts'
import type { PointCounts } from './take-points.ts'
import { takeRequest } from './take-request.ts'
import { checkHeaders, type WriteKind, writeKind } from './write-kind.ts'

/** What requests to write are handled with. */
export interface Receiving {
  readonly store: SeriesStore
  readonly counters: Counters
  readonly player: Player
  /** Problems that are not answered 400. */
  readonly allowed: ReadonlySet<ProblemCode>
  /** Bytes of a body, as it comes and decoded. */
  readonly maxBody: number
  readonly maxDecoded: number
  /** Milliseconds since the origin began. */
  readonly elapsed: () => number
}

/** Handles one request that is to write something, as the script says, and counts what became of it. */
export async function handleWrite(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  receiving: Receiving,
): Promise<void> {
  const { counters, player, maxBody } = receiving
  const number = counters.begin()
  const said = writeKind(path, request.headers)
  const kind = typeof said === 'string' ? undefined : said
  if (kind !== undefined) counters.kind(kind.protocol, kind.encoding)
  const treatment = player.next(kind?.protocol, receiving.elapsed())
  if (treatment.endings.some((one) => one.kind === 'reset' && one.at === 'before_reading')) {
    request.socket.resetAndDestroy()
    counters.answered('reset')
    return
  }
  const read = await readBody(request, { most: maxBody, rate: treatment.readRate })
  counters.received('body' in read ? read.body.length : read.read)
  if ('refused' in read && read.refused === 'broken') return counters.answered('gone')
  const { answer, breakAt } =
    'refused' in read
      ? { answer: notRead(kind, read.refused, maxBody), breakAt: undefined }
      : judge(said, read.body, treatment, number, request, receiving)
  const { latency, answerOver } = treatment
  const sending: Sending = { latency, over: answerOver, ...(breakAt && { breakAt }) }
  const sent = await sendAnswer(request, response, answer, sending)
  counters.answered(sent === 'sent' ? answer.status : sent)
}

function notRead(
  kind: WriteKind | undefined,
  refused: 'too_large' | 'busy' | 'broken',
  most: number,
): Answer {
  if (refused === 'too_large')
    return refusal(kind, 413, `the body is larger than ${most} bytes (--max-body)`)
  return refusal(kind, 503, 'too many bodies are read at the same time', 1000)
}

interface Judged {
  readonly answer: Answer
  readonly breakAt?: 'in_head' | 'in_body' | undefined
}

/** The answer to a request whose body was read: of the script's endings the first that applies, or what comes of taking it. */
function judge(
  said: WriteKind | string,
  body: Uint8Array,
  { endings }: Treatment,
  number: number,
  request: IncomingMessage,
  receiving: Receiving,
): Judged {
  const kind = typeof said === 'string' ? undefined : said
  let opened: Opened | undefined
  const open = (of: WriteKind) => (opened ??= openBody(body, of.encoding, receiving.maxDecoded))
  const length = (of: 'body' | 'decoded') => {
    if (of === 'body' || kind === undefined) return body.length
    const found = open(kind)
    if ('bytes' in found) return found.bytes.length
    // Larger than may be looked at, or nothing that has a length.
    return found.refused === 'too_large' ? Number.POSITIVE_INFINITY : 0
  }
  let breakAt: Judged['breakAt']
  for (const ending of endings) {
    if (ending.kind === 'status')
      return { answer: scriptedAnswer(kind, ending.status, ending.retryAfter) }
    if (ending.kind === 'login_page') return { answer: loginPage() }
    if (ending.kind === 'too_large' && length(ending.of) > ending.over) {
      const what = ending.of === 'body' ? 'body' : 'decoded body'
      return { answer: refusal(kind, 413, `the ${what} is larger than ${ending.over} bytes`) }
    }
    if (ending.kind === 'reset' && ending.at !== 'before_reading') {
      breakAt = ending.at
      break
    }
  }
  if (typeof said === 'string') return { answer: refusal(undefined, 415, said), breakAt }
  return { answer: take(said, open(said), number, request, receiving), breakAt }
}

/** Takes a request in: decodes, checks and stores it. */
function take(
  kind: WriteKind,
  opened: Opened,
  number: number,
  request: IncomingMessage,
  { store, counters, allowed, maxDecoded }: Receiving,
): Answer {
  const findings = createFindings(number, allowed)
  const came: PointCounts = { samples: 0, histograms: 0, exemplars: 0 }
  const written: PointCounts = { ...came }
  if ('refused' in opened && opened.refused === 'too_large')
    return refusal(kind, 413, `${opened.message} (--max-decoded ${maxDecoded})`)
  checkHeaders(kind, request.headers, findings)
  if ('refused' in opened) findings.add('not_decoded', 'the body', opened.message)
  else {
    counters.decoded(opened.bytes.length)
    const taking = { store, findings, now: Date.now(), came, written }
    counters.points(came, takeRequest(kind, opened.bytes, taking))
  }
  counters.findings(findings)
  return takenAnswer(kind, written, findings)
}
