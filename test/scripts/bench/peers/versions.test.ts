import { expect, test } from 'vitest'
import { builtVersion } from '../../../../scripts/bench/peers/versions.ts'

const program = Buffer.from(
  '\x7fELF…path\texample.org/app\nmod\texample.org/app\tv1.151.0\th1:abc=\ndep\texample.org/lib/v2\tv2.0.0-rc.1+incompatible\th1:x\n',
)

test.for([
  ['example.org/app', '1.151.0'],
  ['example.org/lib/v2', '2.0.0-rc.1+incompatible'],
  ['example.org/lib', 'unknown'],
] as const)('of %s a program says that it is %s', ([module, version]) => {
  expect(builtVersion(program, module)).toBe(version)
})
