import { expect, test } from 'vitest'
import { closestWord } from '../../src/config/closest-word.ts'

const known = [
  'url',
  'name',
  'headers',
  'remote_timeout',
  'write_relabel_configs',
  'send_exemplars',
]

test.each([
  ['ulr', 'url'],
  ['nam', 'name'],
  ['header', 'headers'],
  ['Headers', 'headers'],
  ['remote-timeout', 'remote_timeout'],
  ['remotetimeout', 'remote_timeout'],
  ['write_relabel_config', 'write_relabel_configs'],
  ['send_examplers', 'send_exemplars'],
])('%s was meant to be %s', (word, meant) => {
  expect(closestWord(word, known)).toBe(meant)
})

test.each(['', 'x', 'uxx', 'timeout', 'proxy', 'a'.repeat(1000)])('%j is near nothing', (word) => {
  expect(closestWord(word, known)).toBeUndefined()
})
