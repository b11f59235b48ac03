import { gunzipSync } from 'node:zlib'
import type { Protocol } from '../../src/batch/protocol.ts'
import type { Config } from '../../src/config/types.ts'
import { plainConversion } from './plain-conversion.ts'
import { protocolHeaders } from './protocol-headers.ts'
import { type AnswerAtOnce, answerAtOnce } from './whole-path.ts'

/** What differs between plain pushes. */
export interface PlainPushOptions {
  /** What requests come by; remote write 1.0 when missing. */
  readonly protocol?: Protocol
  /** The origin; it answers 204 when missing. */
  readonly fetch?: AnswerAtOnce
  /** The status that the origin is to answer with. */
  readonly expected?: number
}

/** The plain way from a request to an answered fetch: reads the body, makes one payload of it, sends it. */
export function plainPush(
  config: Config,
  { protocol = 'remotewrite1', fetch = answerAtOnce(), expected = 204 }: PlainPushOptions = {},
): (request: Request) => Promise<void> {
  const [{ url, message }] = config.origins
  const convert = plainConversion(config, protocol)
  const sent = message === 2 ? 'remotewrite2' : 'remotewrite1'
  const headers = { ...protocolHeaders[sent], 'user-agent': 'plain' }
  return async (request) => {
    const bytes = new Uint8Array(await request.arrayBuffer())
    const body = convert(protocol === 'otlp' ? gunzipSync(bytes) : bytes)
    const init = { method: 'POST', headers, body: body as Uint8Array<ArrayBuffer> }
    const { status } = await fetch(url, init)
    if (status !== expected) throw new Error(`${status}`)
  }
}
