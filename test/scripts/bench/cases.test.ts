import { expect, test } from 'vitest'
import { caseNamed, cases } from '../../../scripts/bench/cases.ts'

// That they do not fail, not how long they take. The large ones differ from these in their size only.

const small = cases.filter(({ items }) => items <= 2000)

test.for(small.map(({ name }) => name))('%s runs, again and again', async (name) => {
  const { sluice, plain } = caseNamed(name).make()
  for (let i = 0; i < 2; i++) {
    sluice.before?.()
    await sluice.run()
  }
  await plain?.run()
})

test('a case that is not there is named', () => {
  expect(() => caseNamed('heap/7')).toThrow('there is no case heap/7')
})
