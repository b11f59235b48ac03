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
