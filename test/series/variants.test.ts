import { expect, test } from 'vitest'
import { compileVariants } from '../../src/series/variants.ts'
import { config } from '../batch/harness.ts'

const drop = '{source_labels: [a], regex: x, action: drop}'

function variantsOf(...rules: string[]) {
  const origins = rules.map(
    (rule, i) => `  - {name: o${i}, url: "http://o${i}.test/", write_relabel_configs: ${rule}}`,
  )
  return compileVariants(
    config(
      `remote_write:\n${origins.join('\n')}\nsluice: {auth: none, relabel_configs: [${drop}]}`,
    ),
    () => '0',
  )
}

test.each<[string, string[], number[], number[]]>([
  ['one origin', [`[${drop}]`], [0], [1]],
  ['no rules at all', ['[]', '[]'], [0, 0], [0]],
  ['equal rules', [`[${drop}]`, '[]', `[${drop}]`], [0, 1, 0], [1, 0]],
  [
    'rules that are equal once defaults are applied',
    [`[${drop}]`, `[${drop.replace('}', ', separator: ";"}')}]`],
    [0, 0],
    [1],
  ],
  [
    'rules that differ in one value',
    [`[${drop}]`, `[${drop.replace(' x', ' y')}]`],
    [0, 1],
    [1, 1],
  ],
  [
    'rules in another order',
    [`[${drop}, {target_label: b}]`, `[{target_label: b}, ${drop}]`],
    [0, 1],
    [2, 2],
  ],
  [
    'moduli beyond what a number holds',
    ['9007199254740993', '9007199254740992'].map(
      (m) => `[{source_labels: [a], target_label: b, action: hashmod, modulus: ${m}}]`,
    ),
    [0, 1],
    [1, 1],
  ],
])('origins share a variant where their rules are equal: %s', (_, rules, ofOrigin, lengths) => {
  const variants = variantsOf(...rules)
  expect(variants.ofOrigin).toEqual(ofOrigin)
  expect(variants.rules.map(({ length }) => length)).toEqual(lengths)
  expect(variants.ingress.length).toBe(1)
})
