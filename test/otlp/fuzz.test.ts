import { fromBinary, toBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seeded } from '../../scripts/seeded.ts'
import {
  type ExportMetricsServiceRequest,
  ExportMetricsServiceRequestSchema,
} from '../../src/wire/gen/opentelemetry_pb.js'
import { RequestError } from '../../src/wire/request-error.ts'
import { convert, metricsOf } from './document.ts'
import { anyRequest } from './random-request.ts'
import { oddJson, plainJson } from './write-json.ts'

const pointsOf = (request: ExportMetricsServiceRequest) =>
  metricsOf(request).reduce((sum, { data }) => sum + (data.value?.dataPoints.length ?? 0), 0)
const bytesOf = (request: ExportMetricsServiceRequest) =>
  Buffer.from(toBinary(ExportMetricsServiceRequestSchema, request))

function expectSame(text: string, request: ExportMetricsServiceRequest): void {
  const { message, points, rejected, idsDropped } = convert(text)
  expect(rejected).toEqual([])
  expect([points, idsDropped]).toEqual([pointsOf(request), 0])
  const read = fromBinary(ExportMetricsServiceRequestSchema, message)
  expect(bytesOf(read).equals(bytesOf(request))).toBe(true)
}

describe('any request, turned into binary, is the request', () => {
  it('written as OTLP/JSON has it', () => {
    const property = fc.property(anyRequest, (request) => expectSame(plainJson(request), request))
    fc.assert(property, { seed: 1, numRuns: 300 })
  })

  it('written as oddly as may be', () => {
    const property = fc.property(anyRequest, fc.nat(), (request, seed) =>
      expectSame(oddJson(request, seeded(seed)), request),
    )
    fc.assert(property, { seed: 2, numRuns: 300 })
  })
})

/** Converts what may be anything: a sound message or a RequestError, soon. */
function attempt(body: Uint8Array): 'taken' | 'refused' {
  const started = performance.now()
  try {
    const { message, points } = convert(body)
    const read = fromBinary(ExportMetricsServiceRequestSchema, message)
    expect(pointsOf(read)).toBe(points)
    return 'taken'
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    expect([400, 413]).toContain(error.status)
    expect(error.message).toMatch(/ at byte \d+$/)
    return 'refused'
  } finally {
    expect(performance.now() - started).toBeLessThan(2000)
  }
}

describe('whatever comes is taken or refused', () => {
  const bodies = fc
    .sample(anyRequest, { seed: 3, numRuns: 40 })
    .map((request) => new TextEncoder().encode(plainJson(request)))
    .filter(({ length }) => length > 200)

  it('cut', () => {
    const random = seeded(4)
    for (const body of bodies) {
      for (let i = 0; i < 40; i++) {
        const cut = body.subarray(0, Math.floor(random() * body.length))
        expect(attempt(cut)).toBe('refused')
      }
    }
  })

  it('with bytes changed, and pieces moved', () => {
    const random = seeded(5)
    const alphabet = Buffer.from('{}[]",:\\0123456789-+.eEnulltruefalse \n\u00ff')
    const outcomes = { taken: 0, refused: 0 }
    for (let i = 0; i < 3000; i++) {
      const body = Uint8Array.from(bodies[i % bodies.length]!)
      for (let changes = 1 + Math.floor(random() * 3); changes > 0; changes--) {
        const at = Math.floor(random() * body.length)
        const byte = alphabet[Math.floor(random() * alphabet.length)]!
        if (random() < 0.7) body[at] = byte
        else body.copyWithin(at, Math.floor(random() * body.length), body.length)
      }
      outcomes[attempt(body)]++
    }
    expect(outcomes.taken).toBeGreaterThan(100)
    expect(outcomes.refused).toBeGreaterThan(100)
  })

  it('with values exchanged, that are JSON still: only metrics are lost', () => {
    const random = seeded(6)
    const values = [
      'null',
      '5',
      '-1',
      '1.5',
      '"x"',
      '"\\udc00"',
      '[]',
      '[5]',
      '{}',
      'true',
      '1e999',
    ]
    let lost = 0
    for (let i = 0; i < 3000; i++) {
      const whole = JSON.parse(new TextDecoder().decode(bodies[i % bodies.length]!))
      const places: [holder: Record<string, unknown>, key: string][] = []
      const visit = (value: unknown, inMetric: boolean) => {
        if (typeof value !== 'object' || value === null) return
        for (const [key, member] of Object.entries(value)) {
          if (inMetric) places.push([value as Record<string, unknown>, key])
          visit(member, inMetric || key === 'metrics')
        }
      }
      visit(whole, false)
      if (places.length === 0) continue
      const [holder, key] = places[Math.floor(random() * places.length)]!
      holder[key] = '@@'
      const value = values[Math.floor(random() * values.length)]!
      const { rejected } = convert(JSON.stringify(whole).replace('"@@"', value))
      expect(rejected.length).toBeLessThanOrEqual(1)
      lost += rejected.length
    }
    expect(lost).toBeGreaterThan(500)
  })
})
