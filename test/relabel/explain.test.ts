import { expect, test } from 'vitest'
import { compileRules } from '../../src/relabel/compile.ts'
import { md5Hashmod } from '../../src/relabel/hashmod.ts'
import { labelSet, pairsOf, rule } from './labels.ts'

const rules = compileRules(
  [
    { source_labels: ['a', 'b'], target_label: 'c', separator: '-' },
    { source_labels: ['c'], regex: '1-2', target_label: 'b', replacement: '' },
    { action: 'labelmap', regex: '(a)', replacement: 'a_copy$2' },
    { action: 'drop', source_labels: ['a'], regex: 'x' },
    { action: 'labeldrop', regex: 'a' },
  ].map((raw) => rule(raw)),
  md5Hashmod,
)

test('every step is told: the value, what happened, the labels after it', () => {
  const labels = labelSet({ a: '1', b: '2' })
  expect(rules.explain(labels)).toEqual([
    {
      rule: 0,
      action: 'replace',
      value: '1-2',
      dropped: false,
      what: 'set c="1-2"',
      labels: [
        ['a', '1'],
        ['b', '2'],
        ['c', '1-2'],
      ],
    },
    {
      rule: 1,
      action: 'replace',
      value: '1-2',
      dropped: false,
      what: 'removed b',
      labels: [
        ['a', '1'],
        ['c', '1-2'],
      ],
    },
    {
      rule: 2,
      action: 'labelmap',
      value: null,
      dropped: false,
      what: 'set a_copy="1"',
      labels: [
        ['a', '1'],
        ['a_copy', '1'],
        ['c', '1-2'],
      ],
    },
    {
      rule: 3,
      action: 'drop',
      value: '1',
      dropped: false,
      what: 'nothing',
      labels: [
        ['a', '1'],
        ['a_copy', '1'],
        ['c', '1-2'],
      ],
    },
    {
      rule: 4,
      action: 'labeldrop',
      value: null,
      dropped: false,
      what: 'removed a',
      labels: [
        ['a_copy', '1'],
        ['c', '1-2'],
      ],
    },
  ])
  expect(pairsOf(labels).sort()).toEqual([
    ['a_copy', '1'],
    ['c', '1-2'],
  ])
})

test('a drop is the last step, with the labels that were dropped', () => {
  const steps = rules.explain(labelSet({ a: 'x' }))
  expect(steps.map((step) => step.what)).toEqual([
    'set c="x-"',
    'nothing',
    'set a_copy="x"',
    'dropped',
  ])
  expect(steps.at(-1)).toMatchObject({
    rule: 3,
    dropped: true,
    labels: [
      ['a', 'x'],
      ['a_copy', 'x'],
      ['c', 'x-'],
    ],
  })
})
