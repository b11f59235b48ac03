import type { Config } from '../../src/config/types.ts'
import { plainWay } from './plain.ts'
import { type AnswerAtOnce, answerAtOnce } from './whole-path.ts'

/** The plain way from a request to an answered fetch: reads the body, makes one payload of it, sends it. */
export function plainPush(
  { origins: [origin] }: Config,
  fetch: AnswerAtOnce = answerAtOnce(),
): (request: Request) => Promise<void> {
  const convert = plainWay(origin.writeRelabelConfigs)
  return async (request) => {
    const body = convert(new Uint8Array(await request.arrayBuffer())) as Uint8Array<ArrayBuffer>
    const headers = {
      'content-type': 'application/x-protobuf',
      'content-encoding': 'snappy',
      'x-prometheus-remote-write-version': '0.1.0',
      'user-agent': 'plain',
    }
    const response = await fetch(origin.url, { method: 'POST', headers, body })
    if (!response.ok) throw new Error(`${response.status}`)
  }
}
