import { expect, test } from 'vitest'
import { originOf, problemsOf, withOrigin, withSluice } from './problems-of.ts'

const rules = (list: string) => withOrigin(`write_relabel_configs:\n${list}`)

test.each([
  ['- { regex: 1.0, action: labeldrop }', { regex: '1.0' }],
  ['- { regex: 007, action: labeldrop }', { regex: '007' }],
  ['- { source_labels: [on, 1.50], action: drop }', { sourceLabels: ['on', '1.50'] }],
  ['- { target_label: a, replacement: 1e3 }', { replacement: '1e3' }],
  [`- { target_label: a, replacement: "$1-\${1}-$$" }`, { replacement: `$1-\${1}-$$` }],
  [
    '- { action: HashMod, target_label: a, modulus: 18446744073709551615 }',
    { action: 'hashmod', modulus: 18446744073709551615n },
  ],
  ['- { action: drop, regex: }', { regex: '' }],
])('the rule %s keeps what was written', (rule, expected) => {
  expect(originOf(`write_relabel_configs:\n${rule}`).writeRelabelConfigs).toMatchObject([expected])
})

test.each([
  ['- { action: drop }\n- { action: dropp }', '5:17', '[1].action'],
  ['- action: keep\n  regex: "a("', '5:14', '[0].regex'],
  ['- { action: replace }', '4:7', '[0]'],
  ['- { action: hashmod, target_label: a }', '4:7', '[0]'],
  ['- { action: drop, source_labels: [a, [b]] }', '4:42', '[0].source_labels[1]'],
  ['- { action: drop, source_label: [a] }', '4:37', '[0].source_label'],
  ['- { action: drop, action: keep }', '4:23', '[0].action'],
  ['- drop', '4:7', '[0]'],
  ['-', '4:6', '[0]'],
])('a problem in the rules %j has its place and path', (list, place, path) => {
  expect(problemsOf(rules(list))).toEqual([
    expect.stringContaining(`${place} error remote_write[0].write_relabel_configs${path}: `),
  ])
})

test('every problem of every rule is told', () => {
  const text = withSluice(`auth: none
relabel_configs:
  - { regex: "(", action: drop }
  - { action: nothing, modulus: -1 }`)
  expect(problemsOf(text).map((problem) => problem.split(': ')[0])).toEqual([
    '5:16 error sluice.relabel_configs[0].regex',
    '6:17 error sluice.relabel_configs[1].action',
    '6:35 error sluice.relabel_configs[1].modulus',
  ])
})
