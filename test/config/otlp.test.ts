import { expect, test } from 'vitest'
import { defaultOtlp } from '../../src/config/otlp.ts'
import { configOf, problemsOf, withOrigin } from './problems-of.ts'

const V2 = 'protobuf_message: io.prometheus.write.v2.Request'

/** A config that is good but for what `otlp` says. Line 6 is the first of `keys`. Its origin is sent 2.0. */
function withOtlp(keys: string, origin = V2): string {
  return `${withOrigin(origin)}otlp:\n  ${keys.replaceAll('\n', '\n  ')}\n`
}

const otlpOf = (keys: string) => configOf(withOtlp(keys)).otlp

test('the defaults are those of Prometheus, and are frozen', () => {
  expect(defaultOtlp).toEqual({
    translationStrategy: 'UnderscoreEscapingWithSuffixes',
    promoteResourceAttributes: [],
    promoteAllResourceAttributes: false,
    ignoreResourceAttributes: [],
    keepIdentifyingResourceAttributes: false,
    convertHistogramsToNhcb: false,
    promoteScopeMetadata: false,
    labelNameUnderscoreSanitization: true,
    labelNamePreserveMultipleUnderscores: true,
    targetInfo: true,
    exemplarMaxLength: 128,
    delta: 'reject',
    dedupeJoinedValues: false,
  })
  for (const value of [defaultOtlp, ...Object.values(defaultOtlp)]) {
    expect(Object.isFrozen(value)).toBe(true)
  }
})

test.each(['', 'otlp:', 'otlp: ~', 'otlp: {}'])('%j means the defaults', (line) => {
  expect(problemsOf(withOrigin('') + line)).toEqual([])
  expect(configOf(withOrigin('') + line).otlp).toEqual(defaultOtlp)
})

test.each<[keys: string, said: object]>([
  ['translation_strategy: UnderscoreEscapingWithSuffixes', {}],
  [
    'translation_strategy: UnderscoreEscapingWithoutSuffixes',
    { translationStrategy: 'UnderscoreEscapingWithoutSuffixes' },
  ],
  [
    'translation_strategy: NoUTF8EscapingWithSuffixes',
    { translationStrategy: 'NoUTF8EscapingWithSuffixes' },
  ],
  ['translation_strategy: NoTranslation', { translationStrategy: 'NoTranslation' }],
  ['keep_identifying_resource_attributes: true', { keepIdentifyingResourceAttributes: true }],
  ['convert_histograms_to_nhcb: true', { convertHistogramsToNhcb: true }],
  ['promote_scope_metadata: true', { promoteScopeMetadata: true }],
  ['label_name_underscore_sanitization: false', { labelNameUnderscoreSanitization: false }],
  [
    'label_name_preserve_multiple_underscores: false',
    { labelNamePreserveMultipleUnderscores: false },
  ],
  ['target_info: false', { targetInfo: false }],
  ['exemplar_max_length: 0', { exemplarMaxLength: 0 }],
  ['exemplar_max_length: 4096', { exemplarMaxLength: 4096 }],
  ['delta: reject', {}],
  ['delta: drop', { delta: 'drop' }],
  ['dedupe_joined_values: true', { dedupeJoinedValues: true }],
  ['promote_all_resource_attributes: true', { promoteAllResourceAttributes: true }],
  ['promote_all_resource_attributes: false\nignore_resource_attributes: []', {}],
  [
    'promote_all_resource_attributes: true\npromote_resource_attributes: []',
    { promoteAllResourceAttributes: true },
  ],
  [
    'promote_resource_attributes: ["k8s.cluster.name", " k8s.job.name ", "\\t\\u00a0\\u0085a b\\u3000", 7]',
    { promoteResourceAttributes: ['k8s.cluster.name', 'k8s.job.name', 'a b', '7'] },
  ],
  // Go does not take it for white space.
  ['promote_resource_attributes: ["\\ufeffa"]', { promoteResourceAttributes: ['\ufeffa'] }],
  [
    'promote_all_resource_attributes: true\nignore_resource_attributes: [a, " b "]',
    { promoteAllResourceAttributes: true, ignoreResourceAttributes: ['a', 'b'] },
  ],
  // An attribute is no place for a binding.
  [`promote_resource_attributes: ["\${X}"]`, { promoteResourceAttributes: [`\${X}`] }],
])('%j is read', (keys, said) => {
  expect(problemsOf(withOtlp(keys))).toEqual([])
  expect(otlpOf(keys)).toEqual({ ...defaultOtlp, ...said })
})

const BOTH = 'promote_all_resource_attributes: true\npromote_resource_attributes: [a]'

test.each([
  [
    'translation_strategy: Invalid',
    '6:25 error otlp.translation_strategy: wanted UnderscoreEscapingWithSuffixes or UnderscoreEscapingWithoutSuffixes or NoUTF8EscapingWithSuffixes or NoTranslation, found "Invalid"',
  ],
  ['translation_strategy: ""', '6:25 error otlp.translation_strategy: wanted Under'],
  ['translation_strategy: [NoTranslation]', '6:25 error otlp.translation_strategy: wanted Under'],
  [BOTH, '7:32 error otlp.promote_resource_attributes: promote_all_resource_attributes is true'],
  [
    'ignore_resource_attributes: [a]',
    '6:31 error otlp.ignore_resource_attributes: this needs promote_all_resource_attributes: true',
  ],
  [
    'promote_all_resource_attributes: false\nignore_resource_attributes: [a]',
    '7:31 error otlp.ignore_resource_attributes: this needs',
  ],
  [
    'promote_resource_attributes: [a, b, " a"]',
    '6:39 error otlp.promote_resource_attributes[2]: the same attribute as in otlp.promote_resource_attributes[0]',
  ],
  [
    'promote_resource_attributes: [a, ""]',
    '6:36 error otlp.promote_resource_attributes[1]: this attribute is empty',
  ],
  [
    'promote_resource_attributes: [a, " \\t"]',
    '6:36 error otlp.promote_resource_attributes[1]: this attribute is empty',
  ],
  [
    'promote_resource_attributes: [a, ~]',
    '6:36 error otlp.promote_resource_attributes[1]: wanted an attribute, found nothing',
  ],
  [
    'promote_resource_attributes: [[a]]',
    '6:33 error otlp.promote_resource_attributes[0]: wanted an attribute, found a list',
  ],
  [
    'promote_resource_attributes: a',
    '6:32 error otlp.promote_resource_attributes: wanted a list of attributes, found a string',
  ],
  [
    'promote_all_resource_attributes: true\nignore_resource_attributes: [a, a]',
    '7:35 error otlp.ignore_resource_attributes[1]: the same attribute as',
  ],
  [
    'promote_all_resource_attributes: some',
    '6:36 error otlp.promote_all_resource_attributes: wanted',
  ],
  ['target_info: 1', '6:16 error otlp.target_info: wanted true or false, found "1"'],
  [
    'exemplar_max_length: 4097',
    '6:24 error otlp.exemplar_max_length: wanted a whole number from 0 to 4096, found "4097"',
  ],
  ['exemplar_max_length: -1', '6:24 error otlp.exemplar_max_length: wanted'],
  ['delta: convert', '6:10 error otlp.delta: wanted reject or drop, found "convert"'],
  [
    'promote_resource_atributes: [a]',
    '6:3 error otlp.promote_resource_atributes: unknown key: did you mean promote_resource_attributes?',
  ],
])('%j is refused', (keys, problem) => {
  const problems = problemsOf(withOtlp(keys))
  expect(problems.map((text) => text.slice(0, problem.length))).toEqual([problem])
})

test.each(['[]', 'none', '7'])('otlp: %s is refused', (value) => {
  expect(problemsOf(`${withOrigin('')}otlp: ${value}`)).toEqual([
    expect.stringMatching(/^5:7 error otlp: wanted a mapping, found /),
  ])
})

test.each([
  ['NoUTF8EscapingWithSuffixes', 1],
  ['NoTranslation', 1],
  ['UnderscoreEscapingWithSuffixes', 0],
  ['UnderscoreEscapingWithoutSuffixes', 0],
])('where names are legacy, %s has %i problems', (strategy, count) => {
  const legacy = 'global: { metric_name_validation_scheme: legacy }'
  const text = withOtlp(`translation_strategy: ${strategy}`, 'name: mimir') + legacy
  const problems = problemsOf(text)
  expect(problems).toHaveLength(count)
  if (count === 0) return
  expect(problems[0]).toMatch(
    /^6:25 error otlp\.translation_strategy: .*metric_name_validation_scheme: legacy does not allow/,
  )
})

const origins = `remote_write:
- { name: old, url: https://a/ }
- { name: new, url: https://b/, ${V2} }
- { name: vm, url: https://c/, compression: zstd, native_histograms_with_custom_buckets: drop }
- { name: none, url: https://d/, ${V2}, send_native_histograms: false }
- { url: sluice://embedded }
sluice: { auth: none }
`

test.each([
  ['NoTranslation', true],
  ['NoUTF8EscapingWithSuffixes', true],
  ['UnderscoreEscapingWithoutSuffixes', false],
])('origins that are sent 1.0 are named when the strategy is %s: %s', (strategy, named) => {
  const problems = problemsOf(`${origins}otlp: { translation_strategy: ${strategy} }`)
  expect(problems).toEqual(
    named
      ? [
          expect.stringMatching(
            /^8:31 warning otlp\.translation_strategy: check that names such as http\.server\.duration are taken by old, vm: /,
          ),
        ]
      : [],
  )
})

test('origins that would get no histograms at all are named', () => {
  expect(problemsOf(`${origins}otlp: { convert_histograms_to_nhcb: true }`)).toEqual([
    expect.stringMatching(
      /^8:37 warning otlp\.convert_histograms_to_nhcb: no histogram with explicit buckets will reach vm, none: /,
    ),
  ])
  expect(problemsOf(`${origins}otlp: { convert_histograms_to_nhcb: false }`)).toEqual([])
})
