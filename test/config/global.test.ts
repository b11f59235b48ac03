import { expect, test } from 'vitest'
import { configOf, problemsOf, withOrigin } from './problems-of.ts'

const withGlobal = (keys: string) => `${withOrigin('')}global: ${keys}\n`

test.each([
  [
    '{ external_labels: { b: x, a: 1, c: true } }',
    [
      ['a', '1'],
      ['b', 'x'],
      ['c', 'true'],
    ],
  ],
  [
    '{ external_labels: { a: 1.0, b: 0x10, c: 2026-01-01 } }',
    [
      ['a', '1.0'],
      ['b', '0x10'],
      ['c', '2026-01-01'],
    ],
  ],
  ['{ external_labels: { a: "", b: ~, c: } }', []],
  ['{ external_labels: {} }', []],
  [
    '{ external_labels: { "\u{1F600}": x, "\uffff": y } }',
    [
      ['\uffff', 'y'],
      ['\u{1F600}', 'x'],
    ],
  ],
  ['{ external_labels: { "a b": x } }', [['a b', 'x']]],
  ['{ metric_name_validation_scheme: legacy, external_labels: { a_1: x } }', [['a_1', 'x']]],
  ['{ metric_name_validation_scheme: "", external_labels: { "a.b": x } }', [['a.b', 'x']]],
])('external labels of %s, sorted by the bytes of their names', (keys, labels) => {
  expect(configOf(withGlobal(keys)).externalLabels).toEqual(labels)
})

test.each([
  ['{ external_labels: { "": x } }', 'external_labels: "" is not a valid label name'],
  ['{ external_labels: { a: [x] } }', 'external_labels.a: wanted a string, found a list'],
  ['{ external_labels: { a: x, a: y } }', 'external_labels.a: this key is written twice'],
  ['{ external_labels: { a: "\\ud800" } }', 'external_labels.a: this is not valid Unicode'],
  ['{ external_labels: { "\\ud800": x } }', 'external_labels: "\\ud800" is not a valid label name'],
  ['{ external_labels: [a] }', 'external_labels: wanted a mapping, found a list'],
  [
    '{ metric_name_validation_scheme: legacy, external_labels: { "a.b": x } }',
    'external_labels: "a.b" is not a valid label name',
  ],
  [
    '{ metric_name_validation_scheme: utf }',
    'metric_name_validation_scheme: wanted utf8 or legacy, found "utf"',
  ],
  ['{ external_label: {} }', 'external_label: unknown key: did you mean external_labels?'],
])('%s is refused', (keys, problem) => {
  expect(problemsOf(withGlobal(keys))).toEqual([expect.stringMatching(/^5:\d+ error global\./)])
  expect(problemsOf(withGlobal(keys))[0]).toContain(`global.${problem}`)
})

test('the scheme holds for relabel rules too', () => {
  const rule = 'write_relabel_configs: [{ target_label: "a.b", replacement: x }]'
  const legacy = 'global: { metric_name_validation_scheme: legacy }'
  expect(problemsOf(withOrigin(rule))).toEqual([])
  expect(problemsOf(withOrigin(rule) + legacy)).toEqual([
    expect.stringMatching(/write_relabel_configs\[0\]\.target_label: .*not a valid target_label/),
  ])
})

const ignored = `scrape_interval scrape_timeout scrape_protocols scrape_failure_log_file
  scrape_native_histograms convert_classic_histograms_to_nhcb always_scrape_classic_histograms
  extra_scrape_metrics metric_name_escaping_scheme body_size_limit sample_limit target_limit
  label_limit label_name_length_limit label_value_length_limit keep_dropped_targets
  evaluation_interval rule_query_offset query_log_file query_max_series query_max_samples_read
  query_max_duration`.split(/\s+/)

test.each(ignored)('global.%s is accepted with a warning', (key) => {
  expect(problemsOf(withGlobal(`{ ${key}: 1 }`))).toEqual([
    expect.stringMatching(`^5:\\d+ warning global\\.${key}: ignored: Sluice `),
  ])
})
