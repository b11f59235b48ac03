import { fromBinary, fromJson } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { exportAnswer, statusAnswer } from '../../src/otlp/answer.ts'
import { StatusSchema } from '../../src/wire/gen/google-rpc_pb.js'
import { ExportMetricsServiceResponseSchema } from '../../src/wire/gen/opentelemetry_pb.js'
import { badRequest, type RefusalStatus, RequestError } from '../../src/wire/request-error.ts'

const bytes = async (response: Response) => new Uint8Array(await response.arrayBuffer())

const HEADERS = {
  protobuf: { 'content-type': 'application/x-protobuf', 'x-content-type-options': 'nosniff' },
  json: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
}

describe('a request that was taken', () => {
  it.each([undefined, { rejected: 0, message: '' }])(
    'whole: 200, an empty message',
    async (partial) => {
      for (const encoding of ['protobuf', 'json'] as const) {
        const response = exportAnswer(encoding, partial)
        expect(response.status).toBe(200)
        expect(Object.fromEntries(response.headers)).toEqual(HEADERS[encoding])
        expect(await response.text()).toBe(encoding === 'json' ? '{}' : '')
      }
    },
  )

  it.each([
    [3, 'delta', '{"rejectedDataPoints":"3","errorMessage":"delta"}'],
    [3, '', '{"rejectedDataPoints":"3"}'],
    [0, 'a warning', '{"errorMessage":"a warning"}'],
    [2 ** 40, 'é "x"', '{"rejectedDataPoints":"1099511627776","errorMessage":"é \\"x\\""}'],
  ])('but for %d points: %s', async (rejected, message, json) => {
    const text = await exportAnswer('json', { rejected, message }).text()
    expect(text).toBe(`{"partialSuccess":${json}}`)
    const wanted = { rejectedDataPoints: BigInt(rejected), errorMessage: message }
    const schema = ExportMetricsServiceResponseSchema
    expect(fromJson(schema, JSON.parse(text)).partialSuccess).toMatchObject(wanted)
    const response = exportAnswer('protobuf', { rejected, message })
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toEqual(HEADERS.protobuf)
    expect(fromBinary(schema, await bytes(response)).partialSuccess).toMatchObject(wanted)
  })

  it('the message is one printable line without credentials, of a length that is read', async () => {
    const message = `a\nhttps://u:p@host/ ${'é'.repeat(5000)}`
    for (const encoding of ['protobuf', 'json'] as const) {
      const text = await exportAnswer(encoding, { rejected: 1, message }).text()
      expect(text).toContain('a https://***@host/ é')
      expect(text.length).toBeLessThan(1100)
    }
  })
})

describe('a request that can not be served', () => {
  const cases: [status: RefusalStatus, code: number][] = [
    [400, 3],
    [401, 16],
    [403, 7],
    [404, 5],
    [405, 12],
    [413, 8],
    [415, 3],
    [503, 14],
  ]
  it.each(cases)('%d is code %d', async (status, code) => {
    const error = new RequestError(status, 'x', 'what is\nwrong')
    const json = statusAnswer('json', error, () => 0)
    expect(json.status).toBe(status)
    expect(json.headers.get('content-type')).toBe('application/json')
    expect(json.headers.get('retry-after')).toBe(status === 503 ? '1' : null)
    expect(await json.text()).toBe(`{"code":${code},"message":"what is wrong"}`)
    const protobuf = statusAnswer('protobuf', error, () => 0.999)
    expect(protobuf.status).toBe(status)
    expect(protobuf.headers.get('content-type')).toBe('application/x-protobuf')
    expect(protobuf.headers.get('retry-after')).toBe(status === 503 ? '5' : null)
    expect(protobuf.headers.get('x-content-type-options')).toBe('nosniff')
    const read = fromBinary(StatusSchema, await bytes(protobuf))
    expect(read).toMatchObject({ code, message: 'what is wrong' })
  })

  it('is told when to try again, and what else belongs to it', () => {
    const told = { status: 503, message: 'busy', retryAfter: 7.2, headers: { 'X-A': 'b' } } as const
    const { headers } = statusAnswer('protobuf', told)
    expect([headers.get('retry-after'), headers.get('x-a')]).toEqual(['8', 'b'])
  })

  it('shows no credentials', async () => {
    const text = await statusAnswer('json', badRequest('x', 'see https://u:p@host/')).text()
    expect(text).toBe('{"code":3,"message":"see https://***@host/"}')
  })

  it('gets plain text where its encoding is not known', async () => {
    const error = new RequestError(415, 'x', 'no such type', { headers: { Accept: 'a/b' } })
    const response = statusAnswer(undefined, error)
    expect(response.status).toBe(415)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('accept')).toBe('a/b')
    expect(await response.text()).toBe('no such type\n')
  })
})
