import type { Target } from '../request-headers.ts'
import type { Shown } from '../secrets.ts'

/** The receiver that is to be asked what it has. */
export interface Receiver extends Target {
  readonly shown: Shown
  /** Ends what is asked. */
  readonly signal: AbortSignal
}

/** A receiver could not be asked. The message may be shown. */
export class AskProblem extends Error {
  override readonly name = 'AskProblem'
  /** Undefined when there was no answer. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

/** Why not all was asked for, after Ctrl-C. */
export const CALLED_OFF = 'it was called off'

const TIMEOUT = 60_000

/**
 * Asks for a path below the receiver's URL, as a form by POST where there is one. Any status is an answer. Throws an
 * AskProblem when there is none.
 */
export async function ask(
  { url, headers, shown, signal }: Receiver,
  path: string,
  form?: URLSearchParams,
): Promise<Response> {
  const target = new URL(url)
  const [pathname, query = ''] = path.split('?')
  target.pathname = target.pathname.replace(/\/+$/, '') + pathname
  if (query !== '') target.search = query
  try {
    return await fetch(target, {
      headers,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
      ...(form !== undefined && { method: 'POST', body: form }),
    })
  } catch (error) {
    if (signal.aborted) throw new AskProblem(CALLED_OFF)
    throw noAnswer(error, shown)
  }
}

/** The error of a fetch, or of reading what it gave, in words that may be shown. */
export function noAnswer(error: unknown, shown: Shown): AskProblem {
  if (error instanceof AskProblem) return error
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return new AskProblem(
    `no answer: ${shown(cause instanceof Error ? cause.message : String(cause))}`,
  )
}

/** The text of an answer of at most so many bytes. Throws an AskProblem. */
export async function textOf(answer: Response, most: number, shown: Shown): Promise<string> {
  let text = ''
  for await (const piece of pieces(answer, most, shown)) text += piece
  return text
}

/** Its lines, each of at most so many bytes. Throws an AskProblem. */
export async function* linesOf(
  answer: Response,
  most: number,
  shown: Shown,
): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of pieces(answer, Number.POSITIVE_INFINITY, shown)) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop()!
    if (rest.length > most) throw new AskProblem(`a line is over ${most} bytes`)
    yield* lines
  }
  if (rest !== '') yield rest
}

async function* pieces(answer: Response, most: number, shown: Shown): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let length = 0
  try {
    for await (const piece of answer.body ?? []) {
      length += piece.length
      if (length > most) throw new AskProblem(`the answer is over ${most} bytes`)
      yield decoder.decode(piece, { stream: true })
    }
  } catch (error) {
    throw noAnswer(error, shown)
  }
}
