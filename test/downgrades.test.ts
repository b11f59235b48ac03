import { expect, test } from 'vitest'
import { parseConfig } from '../src/config/parse.ts'
import type { Config } from '../src/config/types.ts'
import { createDowngrades, DOWNGRADED_FOR } from '../src/downgrades.ts'

function configOf(...origins: readonly string[]): Config {
  const list = origins.map((more, i) => `  - {name: o${i}, url: "http://o${i}.test/"${more}}`)
  const { config, problems } = parseConfig(
    `remote_write:\n${list.join('\n')}\nsluice: {auth: none}`,
    {},
  )
  if (config === undefined) throw new Error(JSON.stringify(problems))
  return config
}

const TWO = ', protobuf_message: io.prometheus.write.v2.Request'
const ZSTD = ', compression: zstd'
const forms = ({ origins }: Config) => origins.map((o) => `${o.message} ${o.compression}`)

function at(start = 1000) {
  let now = start
  const downgrades = createDowngrades(() => now)
  return { ...downgrades, wait: (ms: number) => void (now += ms) }
}

test('as long as nobody refused the config is the one that is given', () => {
  const { apply } = at()
  const config = configOf(TWO, ZSTD, '')
  expect(apply(config)).toBe(config)
})

test('an origin that refused is given the common protocol, the others stay as they are', () => {
  const { add, apply } = at()
  const config = configOf(TWO, ZSTD, '', TWO)
  add(config.origins[0]!)
  expect(forms(apply(config))).toEqual(['1 snappy', '1 zstd', '1 snappy', '2 snappy'])
  add(config.origins[1]!)
  expect(forms(apply(config))).toEqual(['1 snappy', '1 snappy', '1 snappy', '2 snappy'])
  const { origins, ...rest } = apply(config)
  expect(rest).toEqual({ ...config, origins: undefined, ...rest })
  expect(origins[0]).toEqual({ ...config.origins[0], message: 1, compression: 'snappy' })
  expect(origins[3]).toBe(config.origins[3])
  expect(forms(config)).toEqual(['2 snappy', '1 zstd', '1 snappy', '2 snappy'])
})

test('the config is the same object until something changes, as the series table is kept by it', () => {
  const { add, apply, wait } = at()
  const config = configOf(TWO, TWO)
  add(config.origins[0]!)
  const first = apply(config)
  wait(1000)
  expect(apply(config)).toBe(first)
  add(config.origins[0]!)
  expect(apply(config)).toBe(first)
  add(config.origins[1]!)
  const second = apply(config)
  expect(second).not.toBe(first)
  expect(apply(config)).toBe(second)
})

test('after an hour it is tried again', () => {
  const { add, apply, wait } = at()
  const config = configOf(TWO)
  add(config.origins[0]!)
  wait(DOWNGRADED_FOR - 1)
  expect(forms(apply(config))).toEqual(['1 snappy'])
  wait(1)
  expect(apply(config)).toBe(config)
  add(config.origins[0]!)
  wait(DOWNGRADED_FOR - 1)
  expect(forms(apply(config))).toEqual(['1 snappy'])
})

test('a reload forgets nothing, unless it chooses another protocol or another place', () => {
  const { add, apply } = at()
  add(configOf(TWO).origins[0]!)
  expect(forms(apply(configOf(TWO)))).toEqual(['1 snappy'])
  expect(forms(apply(configOf(ZSTD)))).toEqual(['1 zstd'])
  expect(forms(apply(configOf('', TWO)))).toEqual(['1 snappy', '2 snappy'])
})

test('an origin with the common protocol is never changed', () => {
  const { add, apply } = at()
  const config = configOf('')
  add(config.origins[0]!)
  expect(apply(config)).toBe(config)
})
