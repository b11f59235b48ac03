import { expect, test } from 'vitest'
import type { OriginConfig } from '../../src/config/types.ts'
import { type OriginResult, tallyFor } from '../../src/deliver/origin-result.ts'
import { type Verdict, verdict } from '../../src/deliver/verdict.ts'
import { originConfig } from './fixtures.ts'

function result(
  worst: OriginResult['worst'],
  messages: string[] = [],
  more: Partial<OriginResult> = {},
  origin: Partial<OriginConfig> = {},
) {
  const empty = tallyFor(originConfig(origin)).result()
  return { result: { ...empty, worst, messages, ...more } }
}

function f(
  results: { result: OriginResult }[],
  rejected: string[],
  want: Partial<Verdict>,
  random = 0.5,
) {
  expect(verdict(results, { rejected }, () => random)).toEqual(want)
}

const ignore = { onFailure: 'ignore' } as const

test('all well is 204 without a word', () => {
  f([], [], { status: 204, message: '' })
  f([result('delivered'), result('delivered')], [], { status: 204, message: '' })
})

test('503 beats 400 beats 204', () => {
  const well = result('delivered')
  const bad = result('rejected', ['origin a answered 400: too old'])
  const down = result('busy', ['origin b answered 503'], { retryAfter: 2000 })
  f([well, bad], [], { status: 400, message: 'origin a answered 400: too old' })
  f([bad, well, down], ['no name'], {
    status: 503,
    retryAfter: 2,
    message: 'origin b answered 503',
  })
})

test('our own rejections are 400, and come first', () => {
  f([result('delivered')], ['no name'], { status: 400, message: 'no name' })
  f([result('rejected', ['origin a answered 409'])], ['no name'], {
    status: 400,
    message: 'no name; origin a answered 409',
  })
})

test('ignore origins never decide', () => {
  f([result('busy', ['x'], {}, ignore), result('rejected', ['y'], {}, ignore)], [], {
    status: 204,
    message: '',
  })
  f([result('busy', ['x'], { retryAfter: 60_000 }, ignore), result('busy', ['y'])], [], {
    status: 503,
    retryAfter: 3,
    message: 'y',
  })
})

test('one origin that refuses for ever while another has taken all is 400 with the details', () => {
  const refused = result('rejected', ['origin a answered 409: out of order sample'])
  f([refused, result('delivered')], [], {
    status: 400,
    message: 'origin a answered 409: out of order sample',
  })
})

test('Retry-After is the longest asked for, whole seconds rounded up, at most 120', () => {
  const asking = (...asked: (number | undefined)[]) =>
    verdict(
      asked.map((retryAfter) => result('busy', [], retryAfter === undefined ? {} : { retryAfter })),
      { rejected: [] },
      () => 0,
    ).retryAfter
  expect(asking(3000, undefined, 9000)).toBe(9)
  expect(asking(1)).toBe(1)
  expect(asking(1001)).toBe(2)
  expect(asking(900_000)).toBe(120)
})

test('where none was asked for it is 1 to 5 s, by chance', () => {
  const wait = (random: number) =>
    verdict([result('busy')], { rejected: [] }, () => random).retryAfter
  expect([0, 0.2, 0.4, 0.6, 0.8, 0.999, 1].map(wait)).toEqual([1, 2, 3, 4, 5, 5, 5])
})

test('each origin has its say before one has its second', () => {
  f([result('rejected', ['a1', 'a2', 'a3']), result('rejected', ['b1'])], [], {
    status: 400,
    message: 'a1; b1; a2; and 1 more',
  })
})

test('the message is one printable line, bounded', () => {
  const long = Array.from({ length: 5 }, (_, i) => `${i}\n\x1b${'x'.repeat(300)}`)
  const { message } = verdict([], { rejected: long }, () => 0)
  expect(message.length).toBeLessThanOrEqual(512)
  expect(message).toMatch(/^[^\p{C}]+$/u)
})
