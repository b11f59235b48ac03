import { expect, test } from 'vitest'
import { playScript } from '../../../scripts/origin/play-script.ts'
import { readScript, readStepText, type ScriptRead } from '../../../scripts/origin/read-script.ts'
import type { Script } from '../../../scripts/origin/script.ts'
import { stepText } from '../../../scripts/origin/step-text.ts'

function scriptIn(read: ScriptRead): Script {
  if ('script' in read) return read.script
  throw new Error(read.problems.join('\n'))
}

const step = (text: string) => scriptIn(readStepText(text)).steps[0]!

test.each([
  ['latency: 10ms'],
  ['latency: 10ms-1s500ms, share: 0.5'],
  ['slow_read: 64KB, protocol: otlp'],
  ['slow_answer: 2s, first: 3'],
  ['status: 503, retry_after: 2s, every: 10'],
  ['status: 429'],
  ['too_large: 1MB, of: decoded'],
  ['reset: in_body'],
  ['login_page: true, after: 10s, for: 5s'],
])('%s reads as what it says', (text) => {
  expect(stepText(step(text))).toBe(text)
})

test.each([
  ['share: 10%, status: 503', 'status: 503, share: 0.1'],
  ['{ "status": 503 }', 'status: 503'],
  ['too_large: 100', 'too_large: 100B, of: body'],
])('%s is %s', (text, wanted) => {
  expect(stepText(step(text))).toBe(wanted)
})

test.each([
  'steps:\n  - status: 503\n  - latency: 1s\nseed: 7\n',
  '{"seed":7,"steps":[{"status":503},{"latency":"1s"}]}',
])('a script may be YAML or JSON', (text) => {
  const { seed, steps } = scriptIn(readScript(text, 'x'))
  expect([seed, ...steps.map(stepText)]).toEqual([7, 'status: 503', 'latency: 1s'])
})

test.each([
  ['', 'x: error: the script is empty: it needs steps'],
  ['- status: 503', 'x:1:1: error: a script must be a mapping with the keys seed and steps'],
  ['seed: 1', 'x:1:1: error: the script has no steps'],
  ['steps: 3', 'x:1:8: error: steps: wanted a list of steps, found a number'],
  [
    'step: []',
    'x:1:1: error: step: unknown key: did you mean steps?\nx:1:1: error: the script has no steps',
  ],
  [
    'steps:\n  - statuss: 503',
    'x:2:5: error: steps[0].statuss: unknown key: did you mean status?\nx:2:5: error: steps[0]: wanted one of latency, slow_read, slow_answer, status, too_large, login_page, reset; there is none',
  ],
  [
    'steps:\n  - every: 3',
    'x:2:5: error: steps[0]: wanted one of latency, slow_read, slow_answer, status, too_large, login_page, reset; there is none',
  ],
  [
    'steps:\n  - status: 503\n    latency: 1s',
    'x:2:5: error: steps[0]: wanted one of latency, slow_read, slow_answer, status, too_large, login_page, reset; there is latency and status',
  ],
  [
    'steps:\n  - status: 99',
    'x:2:13: error: steps[0].status: wanted a whole number from 200 to 599, found "99"',
  ],
  [
    'steps:\n  - latency: 1s\n    retry_after: 1s',
    'x:3:18: error: steps[0].retry_after: this goes with status only',
  ],
  [
    'steps:\n  - status: 503\n    of: body',
    'x:3:9: error: steps[0].of: this goes with too_large only',
  ],
  [
    'steps:\n  - latency: 2s-1s',
    'x:2:14: error: steps[0].latency: wanted a time such as 50ms, or two such as 50ms-200ms, up to a day, found "2s-1s"',
  ],
  [
    'steps:\n  - status: 503\n    share: 120%',
    'x:3:12: error: steps[0].share: wanted a share such as 10% or 0.1, found "120%"',
  ],
  [
    'steps:\n  - reset: now',
    'x:2:12: error: steps[0].reset: wanted before_reading or in_head or in_body, found "now"',
  ],
  [
    'steps:\n  - status: 503\n    protocol: http',
    'x:3:15: error: steps[0].protocol: wanted remotewrite1 or remotewrite2 or otlp, found "http"',
  ],
  ['steps: [', /^x:1:\d+: error: /],
])('%j is refused', (text, message) => {
  const read = readScript(text, 'x')
  const said = 'problems' in read ? read.problems.join('\n') : ''
  if (message instanceof RegExp) expect(said).toMatch(message)
  else expect(said).toBe(message)
})

test('of a step on the command line the columns are those of what was given', () => {
  expect(readStepText('status: 503, evry: 3')).toEqual({
    problems: ['--step:1:14: error: evry: unknown key: did you mean every?'],
  })
})

/** Numbers of the requests, from 1 on, that a step is for; a request each second. */
function played(text: string, requests = 12, seed = 1): number[] {
  const player = playScript({ seed, steps: [step(text)] })
  const found: number[] = []
  for (let i = 1; i <= requests; i++)
    if (player.next('remotewrite1', (i - 1) * 1000).endings.length > 0) found.push(i)
  expect(player.played).toEqual([found.length])
  return found
}

test.each<[string, number[]]>([
  ['status: 503', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
  ['status: 503, every: 5', [5, 10]],
  ['status: 503, first: 2', [1, 2]],
  ['status: 503, after: 3s, for: 2s', [4, 5]],
  ['status: 503, for: 2s', [1, 2]],
  ['status: 503, after: 10s', [11, 12]],
  ['status: 503, after: 3s, every: 3', [6, 9, 12]],
  ['status: 503, first: 7, every: 3', [3, 6]],
  ['status: 503, share: 0%', []],
  ['status: 503, share: 100%, first: 1', [1]],
  ['status: 503, protocol: otlp', []],
  ['status: 503, protocol: remotewrite1, every: 6', [6, 12]],
])('%s is for %j', (text, wanted) => {
  expect(played(text)).toEqual(wanted)
})

test('a share is about that share, the same for a seed and another for another', () => {
  const third = played('status: 503, share: 30%', 1000)
  expect(third.length).toBeGreaterThan(250)
  expect(third.length).toBeLessThan(350)
  expect(played('status: 503, share: 30%', 1000)).toEqual(third)
  expect(played('status: 503, share: 30%', 1000, 2)).not.toEqual(third)
})

test('latencies lie within their range and add up; of several rates of reading the slowest holds', () => {
  const steps = ['latency: 100ms-200ms', 'latency: 1s', 'slow_read: 2KB', 'slow_read: 1KB'].map(
    step,
  )
  const player = playScript({ seed: 5, steps })
  const latencies = Array.from({ length: 100 }, () => player.next('otlp', 0).latency)
  expect(Math.min(...latencies)).toBeGreaterThanOrEqual(1100)
  expect(Math.max(...latencies)).toBeLessThanOrEqual(1200)
  expect(new Set(latencies).size).toBeGreaterThan(90)
  expect(player.next('otlp', 0).readRate).toBe(1024)
})
