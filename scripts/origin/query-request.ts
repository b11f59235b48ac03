import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { queryAnswer } from './query.ts'
import { readBody } from './read-body.ts'
import { parseSelector, SelectorError } from './selector.ts'
import type { SeriesStore } from './series-store.ts'

const MAX_FORM = 64 * 1024

/** Answers /api/v1/query as Prometheus does, as far as it is a selector; anything else is 400 with what is wrong. */
export async function answerQuery(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  store: SeriesStore,
): Promise<void> {
  const parameters = await parametersOf(request, url)
  try {
    if (parameters === undefined) throw new SelectorError(`a form has at most ${MAX_FORM} bytes`)
    const selector = parseSelector(parameters.get('query') ?? '')
    const time = timeOf(parameters.get('time'))
    response.writeHead(200, { 'Content-Type': 'application/json' })
    await pipeline(Readable.from(queryAnswer(store, selector, time)), response)
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    const body = { status: 'error', errorType: 'bad_data', error: error.message }
    response.writeHead(400, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  }
}

/** Of a POST also those of its form. */
async function parametersOf(
  request: IncomingMessage,
  url: URL,
): Promise<URLSearchParams | undefined> {
  if (request.method !== 'POST') return url.searchParams
  const read = await readBody(request, { most: MAX_FORM, rate: undefined })
  if (!('body' in read)) return undefined
  const form = new URLSearchParams(Buffer.from(read.body).toString())
  return new URLSearchParams([...form, ...url.searchParams])
}

/** Milliseconds: now, or what `time` says in seconds or as a date of RFC 3339. */
function timeOf(text: string | null): number {
  if (text === null || text === '') return Date.now()
  const time = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text)
  if (Number.isNaN(time)) throw new SelectorError('time is neither seconds nor a date of RFC 3339')
  return time
}
