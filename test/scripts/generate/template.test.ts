// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import { describe, expect, test } from 'vitest'
import { TemplateProblem } from '../../../scripts/generate/parse-template.ts'
import { compileTemplate } from '../../../scripts/generate/template.ts'
import { seeded } from '../../../scripts/seeded.ts'

describe('a template', () => {
  test.each([
    ['', 7, ''],
    ['text', 7, 'text'],
    ['$', 7, '$'],
    ['$series_id {series_id} }', 7, '$series_id {series_id} }'],
    ['${series_id}', 0, '0'],
    ['${series_id}', 9_007_199_254_740_991, '9007199254740991'],
    ['${series_id/10}', 123, '12'],
    ['${series_id%10}', 123, '3'],
    ['${series_id/10}', 9, '0'],
    ['${series_id/10%10}', 1234, '3'],
    ['${series_id%100/10}', 1234, '3'],
    ['pod-${series_id/50}-${series_id%50}.example', 1234, 'pod-24-34.example'],
    ['${series_id}${series_id}', 12, '1212'],
    ['$${series_id}$', 1, '$1$'],
    ['ü${series_id%2}🦥', 3, 'ü1🦥'],
  ])('%j of series %d is %j', (text, id, value) => {
    const template = compileTemplate(text)
    expect(template.evaluate(id)).toBe(value)
    expect(template.evaluate(id)).toBe(value)
  })

  test('tells how often a series was replaced, which is 0 when nobody says', () => {
    const template = compileTemplate('${series_id}-${generation}-${generation%2}')
    expect([template.evaluate(5, 3), template.evaluate(5)]).toEqual(['5-3-1', '5-0-0'])
  })

  test('says on what it depends', () => {
    expect(compileTemplate('a').uses).toEqual({ seriesId: false, generation: false })
    expect(compileTemplate('${series_id}').uses).toEqual({ seriesId: true, generation: false })
    expect(compileTemplate('${generation}').uses).toEqual({ seriesId: false, generation: true })
  })

  test('is right for far more values than are remembered, in any order', () => {
    const random = seeded(6)
    const template = compileTemplate('a${series_id}b${series_id/7}c${series_id%1000}d${generation}')
    for (let i = 0; i < 20_000; i++) {
      const id = Math.floor(random() * 2 ** (1 + random() * 50))
      const generation = Math.floor(random() * 3)
      const plain = `a${id}b${Math.floor(id / 7)}c${id % 1000}d${generation}`
      expect(template.evaluate(id, generation)).toBe(plain)
    }
  })
})

describe('no template is', () => {
  test.each([
    ['pod-${series}', 'expected series_id or generation here, not "series"', 6],
    ['${}', 'expected series_id or generation here, not nothing of the kind', 2],
    ['${ series_id}', 'expected series_id or generation here, not nothing of the kind', 2],
    ['a${series_id', 'this ${ has no } that closes it', 1],
    ['${series_id*2}', 'expected /, % or } here', 11],
    ['${series_id }', 'expected /, % or } here', 11],
    ['${series_id/}', 'expected a whole number here', 12],
    ['${series_id%-1}', 'expected a whole number here', 12],
    ['${series_id/0}', 'nothing can be divided by 0', 12],
    ['${series_id%00}', 'nothing can be divided by 0', 12],
    ['${series_id/1000000001}', 'this number is over 1,000,000,000', 12],
    ['${series_id}${series_id/x}', 'expected a whole number here', 24],
    ['ab\ud83e', 'this is half a character', 2],
  ])('%j', (text, reason, at) => {
    const problem = problemOf(text)
    expect(problem.at).toBe(at)
    expect(problem.message).toBe(`${reason}\n  ${text}\n  ${' '.repeat(at)}^`)
  })

  test('a long text, of which only what is around the character is shown', () => {
    const [, line, caret] = problemOf(`${'a'.repeat(5000)}\${x}${'b'.repeat(5000)}`).message.split(
      '\n',
    )
    expect(line!.length).toBeLessThan(130)
    expect(line![caret!.indexOf('^')]).toBe('x')
  })

  test('text with a line break, which does not move the caret', () => {
    const [, line, caret, more] = problemOf('a\nb${x}').message.split('\n')
    expect([line, caret, more]).toEqual(['  a b${x}', '       ^', undefined])
  })
})

function problemOf(text: string): TemplateProblem {
  try {
    compileTemplate(text)
  } catch (error) {
    if (error instanceof TemplateProblem) return error
    throw error
  }
  throw new Error('it is a template')
}
