import { describe, expect, test } from 'vitest'
import { parseRelabelConfig } from '../../src/config/relabel-config.ts'
import golden from '../golden/relabel.json' with { type: 'json' }
import { type Labels, relabel } from './labels.ts'

interface Vector {
  readonly id: string
  readonly note: string
  readonly validation_scheme: string
  readonly config: readonly object[]
  readonly input: Labels
  readonly output?: Labels | null
  readonly config_error?: boolean
}

const vectors = golden.prometheus as unknown as readonly Vector[]
const scheme = (vector: Vector) => vector.validation_scheme as 'utf8' | 'legacy'

describe.each([
  ['by hand where it can be', true],
  ['on RE2 always', false],
])('Prometheus vectors, matched %s', (_, byHand) => {
  test.each(vectors.filter((vector) => vector.config_error !== true))('$id: $note', (vector) => {
    const result = relabel(vector.config, vector.input, { scheme: scheme(vector), byHand })
    if (vector.output === null) expect(result).toBeTypeOf('number')
    else expect(result).toEqual(vector.output)
  })
})

test.each(vectors.filter((vector) => vector.config_error === true))(
  '$id is refused: $note',
  (vector) => {
    const parsed = vector.config.map((config) => parseRelabelConfig(config, scheme(vector)))
    expect(parsed.some((result) => 'problems' in result)).toBe(true)
  },
)

test('no vector is left out', () => {
  expect(vectors.length).toBe(69)
})
