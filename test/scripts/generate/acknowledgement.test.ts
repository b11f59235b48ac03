import { create, toBinary } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { acknowledgement } from '../../../scripts/generate/acknowledgement.ts'
import type { Answer } from '../../../scripts/generate/answer.ts'
import type { Protocol } from '../../../scripts/generate/request-writer.ts'
import { ExportMetricsServiceResponseSchema } from '../../../src/wire/gen/opentelemetry_pb.js'

const answer = (status: number, body: string | Uint8Array = '', headers = {}): Answer => ({
  status,
  headers,
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
})
const rejected = (rejectedDataPoints: bigint, errorMessage: string) =>
  toBinary(
    ExportMetricsServiceResponseSchema,
    create(ExportMetricsServiceResponseSchema, {
      partialSuccess: { rejectedDataPoints, errorMessage },
    }),
  )
const WRITTEN = 'x-prometheus-remote-write-samples-written'
const HISTOGRAMS = 'x-prometheus-remote-write-histograms-written'

it.each<[Protocol, Answer, true | string]>([
  ['remotewrite1', answer(204), true],
  ['remotewrite1', answer(200), true],
  ['remotewrite1', answer(302), '302 '],
  ['remotewrite1', answer(400, 'too old'), '400 too old'],
  ['remotewrite1', { failure: 'timeout', message: 'no answer' }, 'timeout: no answer'],
  ['remotewrite2', answer(204, '', { [WRITTEN]: '10' }), true],
  ['remotewrite2', answer(204, '', { [WRITTEN]: '4', [HISTOGRAMS]: '6' }), true],
  ['remotewrite2', answer(204, '', { [WRITTEN]: '0', [HISTOGRAMS]: '10' }), true],
  ['remotewrite2', answer(204, '', { [WRITTEN]: '9' }), '204, but 9 of 10 samples were written'],
  [
    'remotewrite2',
    answer(204, '', { [WRITTEN]: 'ten' }),
    '204, but NaN of 10 samples were written',
  ],
  ['remotewrite2', answer(204), '204, but without the headers that say what was written'],
  ['otlp', answer(200), true],
  ['otlp', answer(200, rejected(0n, 'a warning')), true],
  ['otlp', answer(200, rejected(3n, 'no')), '200, but 3 points were rejected: no'],
  ['otlp', answer(200, 'ok'), true],
  ['otlp', answer(503, 'later'), '503 later'],
  ['otlp-json', answer(200, '{}'), true],
  ['otlp-json', answer(200, ''), true],
  ['otlp-json', answer(200, '{"partialSuccess":{}}'), true],
  [
    'otlp-json',
    answer(200, '{"partialSuccess":{"rejectedDataPoints":"2","errorMessage":"x"},"more":1}'),
    '200, but 2 points were rejected: x',
  ],
])('%s %j', (protocol, given, wanted) => {
  expect(acknowledgement(protocol, given, 10)).toBe(wanted)
})
