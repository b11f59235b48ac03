import { expect, test, vi } from 'vitest'
import { rehearse } from '../src/rehearsal.ts'
import { configWith, NOW, Sluice } from './batch/harness.ts'
import { label, message, sample, series } from './batch/message.ts'

const body = message(
  series(label('__name__', 'up'), label('instance', 'a:1'), label('pod', 'p'), sample(1, NOW)),
)
const rules =
  '[{source_labels: [pod], target_label: host}, {source_labels: [instance], regex: "(.*):.*", target_label: instance}]'

test('a rehearsal leaves nothing behind: the first request is all misses, and comes out as without', () => {
  const plain = new Sluice(configWith(rules)).run(body)
  const rehearsed = new Sluice(configWith(rules))
  rehearse(rehearsed.workspace, rehearsed.config)
  expect(rehearsed.workspace.use.series).toBe(0)
  const first = rehearsed.run(body)
  expect(first.raw).toEqual(plain.raw)
  expect(first.batch.missed).toBe(1)
  expect(rehearsed.run(body).batch.missed).toBe(0)
})

test('it runs before there are random numbers, and real requests draw them', () => {
  const sluice = new Sluice(configWith(rules))
  const draw = vi.spyOn(crypto, 'getRandomValues')
  rehearse(sluice.workspace, sluice.config)
  expect(draw).not.toHaveBeenCalled()
  sluice.run(body)
  expect(draw).toHaveBeenCalledOnce()
  draw.mockRestore()
})

test.each([
  ['long label names', `[{source_labels: [${'n'.repeat(300)}], target_label: x}]`, ''],
  ['a small limits.decoded', '[]', 'limits: {decoded: 1KB}'],
])('%s do not stop it', (_, rules, sluice) => {
  const rehearsed = new Sluice(configWith(rules, { sluice }))
  rehearse(rehearsed.workspace, rehearsed.config)
  expect(rehearsed.workspace.use.series).toBe(0)
  expect(rehearsed.run(body).batch.missed).toBe(1)
})

test('a rehearsal that fails leaves nothing behind either', () => {
  const sluice = new Sluice(configWith(rules))
  sluice.workspace.enter(sluice.config, ({ kernel }) => {
    vi.spyOn(kernel, 'compress').mockImplementationOnce(() => {
      throw new Error('broken')
    })
  })
  expect(() => rehearse(sluice.workspace, sluice.config)).toThrow('broken')
  expect(sluice.workspace.use.series).toBe(0)
  expect(sluice.run(body).batch.missed).toBe(1)
})
