// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of relabel rules look like this
import { expect, test } from 'vitest'
import { compilePattern } from '../../src/relabel/pattern.ts'
import { compileTemplate } from '../../src/relabel/template.ts'

function expand(text: string, regex: string, value: string): string {
  const { groups, names, find } = compilePattern(regex, false)
  return compileTemplate(text, groups, names).expand(value, find(value)!)
}

test.each([
  ['$1', '(.*)', 'api', 'api'],
  ['${1}', '(.*)', 'api', 'api'],
  ['<$0>', 'a(p)i', 'api', '<api>'],
  ['$2$1', '(a)(p)i', 'api', 'pa'],
  ['${1}x', '(.*)', 'api', 'apix'],
  ['$1x', '(.*)', 'api', ''],
  ['$1_', '(.*)', 'api', ''],
  ['$1-$1', '(.*)', 'api', 'api-api'],
  ['$1é', '(.*)', 'api', ''],
  ['$1:', '(.*)', 'api', 'api:'],
  ['$01', '(.*)', 'api', ''],
  ['$00', '(.*)', 'api', ''],
  ['$10', '(a)(p)(i)', 'api', ''],
  ['$10', '(a)()()()()()()()()(p)i', 'api', 'p'],
  ['$99999999999999999999', '(.*)', 'api', ''],
  ['[$3]', '(a)(p)i', 'api', '[]'],
  ['$1|$2', '(a)?(z)?.*', 'api', 'a|'],
  ['$port', '(?P<host>[^:]+):(?P<port>\\d+)', 'h:90', '90'],
  ['${host}_', '(?<host>[^:]+):.*', 'h:90', 'h_'],
  ['$host_', '(?P<host>[^:]+):.*', 'h:90', ''],
  ['$1x', '(?P<1x>.*)', 'api', 'api'],
  ['$1000000000', '(?P<1000000000>.*)', 'api', 'api'],
  ['$999999999', '(?P<999999999>.*)', 'api', ''],
  ['$nope', '(.*)', 'api', ''],
  ['$constructor', '(.*)', 'api', ''],
  ['$$', '(.*)', 'api', '$'],
  ['$$1', '(.*)', 'api', '$1'],
  ['$$$1', '(.*)', 'api', '$api'],
  ['$$$$', '(.*)', 'api', '$$'],
  ['$', '(.*)', 'api', '$'],
  ['a$', '(.*)', 'api', 'a$'],
  ['$-$1', '(.*)', 'api', '$-api'],
  ['$ 1', '(.*)', 'api', '$ 1'],
  ['${', '(.*)', 'api', '${'],
  ['${}', '(.*)', 'api', '${}'],
  ['${1', '(.*)', 'api', '${1'],
  ['${-}$1', '(.*)', 'api', '${-}api'],
  ['${1x-}', '(.*)', 'api', '${1x-}'],
  ['${$1}', '(.*)', 'api', '${api}'],
  ['$é', '(.*)', 'api', ''],
  ['\\1', '(.*)', 'api', '\\1'],
  ['$&', '(.*)', 'api', '$&'],
  ['', '(.*)', 'api', ''],
  ['$1', '(.)', '😀', '😀'],
])('%s of %s on %s is %j', (text, regex, value, want) => {
  expect(expand(text, regex, value)).toBe(want)
})

test.each([
  ['dev', 'dev'],
  ['$$1', '$1'],
  ['x$nope', 'x'],
  ['x$constructor', 'x'],
  ['$2', ''],
  ['', ''],
  ['$1', null],
  ['x$0', null],
])('%s is constant: %j', (text, want) => {
  expect(compileTemplate(text, 1, {}).constant).toBe(want)
})
