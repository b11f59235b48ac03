import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Runs a script as npm does, from the repository's root. */
function run(script: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`scripts/${script}`, ...args], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test('bench --list prints the names that match and measures nothing', () => {
  expect(run('bench.ts', '--list', '^snappy/')).toEqual({
    status: 0,
    stdout: 'snappy/decode\nsnappy/encode\n',
    stderr: '',
  })
})

test('with --peers it has the cases beside other programs', () => {
  const { status, stdout } = run('bench.ts', '--peers', '--list', '^peers/otlp')
  expect([status, stdout]).toEqual([0, 'peers/otlp\n'])
})

test.for([
  ['a filter that matches nothing', ['nothing-of-this-name'], 'no case matches'],
  ['a filter that is no regex', ['('], 'Invalid regular expression'],
] as const)('bench refuses %s', ([, args, message]) => {
  const { status, stderr } = run('bench.ts', ...args)
  expect(status).toBe(1)
  expect(stderr).toContain(message)
})

test('profile names a case that is not there', () => {
  const { status, stderr } = run('bench/profile.ts', 'no-such-case')
  expect(status).toBe(1)
  expect(stderr).toContain('there is no case no-such-case')
})
