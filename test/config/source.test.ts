import { expect, test } from 'vitest'
import { configText } from '../../src/config/source.ts'

test.each([
  [{}, 'bundled', 'b'],
  [{ SLUICE_CONFIG: '' }, 'bundled', 'b'],
  [{ OTHER: 'x', SLUICE_KV: {} }, 'bundled', 'b'],
  [{ SLUICE_CONFIG: 'v' }, 'variables', 'v'],
  [{ SLUICE_CONFIG: 'v', SLUICE_CONFIG_2: 'w\n', SLUICE_CONFIG_3: 'x' }, 'variables', 'vw\nx'],
  [{ SLUICE_CONFIG: 'v', SLUICE_CONFIG_02: 'w' }, 'variables', 'v'],
])('of %j the config is the %s one', (env, source, text) => {
  expect(configText(env, 'b')).toEqual({ source, text, problems: [] })
})

test.each([
  [{ SLUICE_CONFIG: 'v', SLUICE_CONFIG_3: 'x' }, 'SLUICE_CONFIG_3 is set, but SLUICE_CONFIG_2 is'],
  [{ SLUICE_CONFIG_2: 'x' }, 'the variable SLUICE_CONFIG_2 is set, but SLUICE_CONFIG is not'],
  [{ SLUICE_CONFIG: { a: 1 } }, 'the variable SLUICE_CONFIG is not a string'],
  [{ SLUICE_CONFIG: 'v', SLUICE_CONFIG_2: 5 }, 'the variable SLUICE_CONFIG_2 is not a string'],
])('variables %j are refused, and the bundled config is not used', (env, message) => {
  const { source, problems } = configText(env, 'b')
  expect(source).toBe('variables')
  expect(problems).toEqual([
    { severity: 'error', line: 0, column: 0, path: '', message: expect.stringContaining(message) },
  ])
})
