// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import { describe, expect, test } from 'vitest'
import { type CommandLine, createCommand } from '../../../scripts/generate/command.ts'
import { planOf } from '../../../scripts/generate/plan.ts'

const plan = (...words: string[]) =>
  planOf(
    createCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
      .parse(['--url', 'http://h/api/v1/write', ...words], { from: 'user' })
      .opts<CommandLine>(),
    { TOKEN: 'tok-123456789' },
  )

describe('a plan', () => {
  test('has defaults', () => {
    expect(plan()).toMatchObject({
      protocol: 'remotewrite1',
      encoding: 'snappy',
      chunks: { series: 10_000, perRequest: 2000, count: 5 },
      load: { vus: 4 },
      duration: 30_000,
      timeout: 30_000,
      json: false,
    })
    expect(plan('--protocol', 'otlp').encoding).toBe('gzip')
    expect(plan('--series', '5').chunks).toMatchObject({ perRequest: 5, count: 1 })
    expect(plan('--rate', '1.5').load).toEqual({ rate: 1.5, maxInFlight: 256 })
  })

  test('has series of labels', () => {
    const { set } = plan('--label', '__name__=m_total', '--label', 'a=x=${series_id}')
    expect(set.shapes).toHaveLength(1)
    expect(set.shapes[0]!.kind).toBe('counter')
    expect(set.shapes[0]!.labels.get('a')!.evaluate(3)).toBe('x=3')
  })

  test('asks with the credentials of --url at the same host only', () => {
    const verify = (url: string, ...more: string[]) =>
      plan('--bearer-env', 'TOKEN', '--header', 'x-a: 1', '--verify', url, ...more).verify!.target
        .headers
    expect(verify('http://h/')).toEqual({ authorization: 'Bearer tok-123456789', 'x-a': '1' })
    expect(verify('http://other/')).toEqual({})
    expect(verify('https://h/')).toEqual({})
    expect(verify('http://h:81/', '--verify-header', 'x-b: 2')).toEqual({ 'x-b': '2' })
    expect(verify('http://h/', '--verify-header', 'X-A: 2')).toMatchObject({ 'x-a': '2' })
  })

  test.each([
    [['--rate', '5', '--vus', '5'], '--rate and --vus are two ways'],
    [['--preset', 'wide', '--label', '__name__=a'], '--preset and --label both say'],
    [['--label', 'x'], '--label "x": wanted name=template'],
    [['--label', '=x'], 'wanted name=template'],
    [['--label', 'a=1', '--label', 'a=2'], '--label: a is there twice'],
    [['--label', 'a=1'], '--label: the series have no label __name__'],
    [['--label', '__name__=a${series_id'], 'this ${ has no } that closes it\n  a${series_id\n   ^'],
    [
      ['--label', '__name__=m', '--label', 'a=${series_id%10}'],
      '--label: series 0 and 10 have the same labels',
    ],
    [['--series', '20000000', '--samples-per-request', '1'], 'raise --samples-per-request'],
    [['--rate', '200000', '--samples-per-request', '1'], 'raise --samples-per-request'],
    [['--verify', 'nothing'], '--verify: wanted a URL'],
    [['--rate', '0'], 'Wanted a number above 0'],
    [['--vus', '1.5'], 'Wanted a whole number from 1'],
    [['--duration', '10'], 'Wanted a duration such as'],
    [['--duration', '0'], 'Wanted a duration such as'],
    [['--protocol', 'graphite'], 'Allowed choices are'],
    [['--preset', 'nodeexporter'], 'Allowed choices are'],
    [['--verfy', 'x'], 'Did you mean --verify'],
    [['x'], 'too many arguments'],
  ])('is refused: %j', (words, message) => {
    expect(() => plan(...words)).toThrow(message)
  })
})
