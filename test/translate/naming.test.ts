import { describe, expect, test } from 'vitest'
import { labelName } from '../../src/translate/label-name.ts'
import { type MetricKind, type MetricNaming, metricName } from '../../src/translate/metric-name.ts'
import { unitName } from '../../src/translate/unit.ts'
import golden from '../golden/naming.json' with { type: 'json' }

const KINDS: Readonly<Record<string, MetricKind>> = {
  gauge: 'gauge',
  sum_monotonic: 'counter',
  sum_nonmonotonic: 'up-down-counter',
  histogram: 'histogram',
  exponential_histogram: 'exponential-histogram',
  summary: 'summary',
}

const STRATEGIES: Readonly<Record<string, MetricNaming>> = {
  UnderscoreEscapingWithSuffixes: { escape: true, suffixes: true },
  UnderscoreEscapingWithoutSuffixes: { escape: true, suffixes: false },
  NoUTF8EscapingWithSuffixes: { escape: false, suffixes: true },
  NoTranslation: { escape: false, suffixes: false },
}

describe('the golden file', () => {
  test('is read whole', () => {
    expect(golden.metrics.length).toBe(59)
    expect(golden.labels.length).toBe(27)
    expect(golden.metadata_units.length).toBe(16)
  })

  test.each(golden.metrics)('metric $id: $note', (vector) => {
    const naming = { ...STRATEGIES[vector.strategy]!, namespace: vector.namespace ?? '' }
    const name = metricName(vector.name, vector.unit, KINDS[vector.type]!, naming)
    expect(name).toBe(vector.error ? undefined : vector.expected)
  })

  test.each(golden.labels)('label $id: $attribute', (vector) => {
    const name = labelName(vector.attribute, {
      escape: !vector.utf8_allowed,
      underscoreSanitization: vector.label_name_underscore_sanitization,
      preserveMultipleUnderscores: vector.label_name_preserve_multiple_underscores,
    })
    expect(name).toBe(vector.error ? undefined : vector.expected)
  })

  test.each(golden.metadata_units)('unit $id: $unit', ({ unit, utf8_allowed, expected }) => {
    expect(unitName(unit, !utf8_allowed)).toBe(expected)
  })
})

describe('metric names', () => {
  const escaped = STRATEGIES.UnderscoreEscapingWithSuffixes!
  const plain = STRATEGIES.UnderscoreEscapingWithoutSuffixes!
  const verbatim = STRATEGIES.NoUTF8EscapingWithSuffixes!
  const untouched = STRATEGIES.NoTranslation!

  test.each<[string, string, string, MetricKind, MetricNaming, string | undefined]>([
    ['total is not doubled', 'requests_total', '', 'counter', escaped, 'requests_total'],
    ['every total goes to the end', 'total.a.total', 's', 'counter', escaped, 'a_seconds_total'],
    [
      'a unit that is there is not repeated',
      'http.server.duration_seconds',
      's',
      'histogram',
      escaped,
      'http_server_duration_seconds',
    ],
    ['wherever it is', 'seconds.spent', 's', 'gauge', escaped, 'seconds_spent'],
    ['annotations are no units', 'spans', '{spans}', 'counter', escaped, 'spans_total'],
    ['nor are halves of braces', 'spans', 'x}', 'gauge', escaped, 'spans'],
    ['an annotation by something', 'a', '{req}/s', 'gauge', escaped, 'a_per_second'],
    ['something by an annotation', 'a', 'By/{req}', 'gauge', escaped, 'a_bytes'],
    ['1 is a ratio for gauges', 'a', '1', 'gauge', escaped, 'a_ratio'],
    ['and nothing elsewhere', 'a', '1', 'histogram', escaped, 'a'],
    ['1 with a space is none', 'a', ' 1', 'gauge', escaped, 'a'],
    ['an unknown unit is cleaned', 'a', 'foo-bar', 'gauge', escaped, 'a_foo_bar'],
    ['its end too, before a per unit', 'a', 'x_/s', 'gauge', escaped, 'a_x_per_second'],
    ['a per unit that cleans to nothing', 'a', 's/$', 'gauge', escaped, 'a_seconds'],
    ['without suffixes runs of _ survive', 'a__b', 's', 'counter', plain, 'a__b'],
    ['runs of others become one', 'a..b', 's', 'counter', plain, 'a_b'],
    ['only underscores, unchanged', '___', '', 'gauge', plain, '___'],
    ['digits first', '2xx', '', 'gauge', escaped, '_2xx'],
    ['digits of other scripts are no digits', '٣a', '', 'gauge', escaped, 'a'],
    ['nothing is left', '日本', '', 'gauge', plain, undefined],
    ['verbatim', 'http.server.日本', 'By', 'counter', verbatim, 'http.server.日本_bytes_total'],
    ['a colon, verbatim', 'a:b', '', 'gauge', verbatim, 'a:b'],
    ['a whole character is cut', 'a😀total', '', 'counter', verbatim, 'a_total'],
    ['unless nothing would be left', '日total', '', 'counter', verbatim, '日total_total'],
    [
      'per is cut before it is added',
      'a.per_second',
      'By/s',
      'gauge',
      verbatim,
      'a_bytes_per_second',
    ],
    ['U+0085 is white', 'a', '\u0085s\u0085', 'gauge', verbatim, 'a_seconds'],
    ['U+FEFF is not', 'a', '\ufeffs', 'gauge', verbatim, 'a_\ufeffs'],
    ['untouched', 'a b.%', 's', 'counter', untouched, 'a b.%'],
  ])('%s: %s of unit %s', (_, name, unit, kind, naming, expected) => {
    expect(metricName(name, unit, kind, naming)).toBe(expected)
  })

  test('of a megabyte take no time', () => {
    const long = `${'a.'.repeat(500_000)}total`
    const spaces = ' '.repeat(1_000_000)
    const begun = performance.now()
    metricName(long, `${spaces}s${spaces}x`, 'counter', escaped)
    metricName('_'.repeat(1_000_000), spaces, 'gauge', plain)
    metricName(long, long, 'counter', verbatim)
    expect(performance.now() - begun).toBeLessThan(2000)
  })
})

test('each code point of a key is an underscore, not each half of one', () => {
  const naming = { escape: true, underscoreSanitization: true, preserveMultipleUnderscores: true }
  expect(labelName('a😀b', naming)).toBe('a_b')
  expect(labelName('_.a', naming)).toBe('__a')
})
