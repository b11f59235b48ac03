import { Buffer } from 'node:buffer'
import { error, type Value } from './config-file.ts'
import { readExternalLabel } from './expand.ts'
import { isNull, readEntries, readFields, readWord } from './read.ts'
import { isLabelName, type NameScheme } from './relabel-config.ts'
import type { Config } from './types.ts'
import { ignore } from './unsupported.ts'

const SCRAPING = 'ignored: Sluice does not scrape'
const QUERIES = 'ignored: Sluice has no rules and no queries'

/** Keys of `global` that are about what Sluice does not do. */
const IGNORED = {
  scrape_interval: SCRAPING,
  scrape_timeout: SCRAPING,
  scrape_protocols: SCRAPING,
  scrape_failure_log_file: SCRAPING,
  scrape_native_histograms: SCRAPING,
  convert_classic_histograms_to_nhcb: SCRAPING,
  always_scrape_classic_histograms: SCRAPING,
  extra_scrape_metrics: SCRAPING,
  metric_name_escaping_scheme: SCRAPING,
  body_size_limit: `${SCRAPING}; what a push may hold is in sluice.limits`,
  sample_limit: `${SCRAPING}; what a push may hold is in sluice.limits`,
  target_limit: SCRAPING,
  label_limit: `${SCRAPING}; what a push may hold is in sluice.limits`,
  label_name_length_limit: `${SCRAPING}; what a push may hold is in sluice.limits`,
  label_value_length_limit: `${SCRAPING}; what a push may hold is in sluice.limits`,
  keep_dropped_targets: SCRAPING,
  evaluation_interval: QUERIES,
  rule_query_offset: QUERIES,
  query_log_file: QUERIES,
  query_max_series: QUERIES,
  query_max_samples_read: QUERIES,
  query_max_duration: QUERIES,
}

const KEYS = ['external_labels', 'metric_name_validation_scheme', ...Object.keys(IGNORED)]

/** Reads `global`. */
export function readGlobal(value: Value | undefined): {
  scheme: NameScheme
  externalLabels: Config['externalLabels']
} {
  const fields = value && readFields(value, KEYS)
  if (fields === undefined) return { scheme: 'utf8', externalLabels: [] }
  ignore(fields, IGNORED)
  const schemes = ['utf8', 'legacy', ''] as const
  const scheme = readWord(fields.get('metric_name_validation_scheme'), schemes, 'utf8') || 'utf8'
  return { scheme, externalLabels: readExternalLabels(fields.get('external_labels'), scheme) }
}

/** An empty value is no label, so it is left out. */
function readExternalLabels(
  value: Value | undefined,
  scheme: NameScheme,
): Config['externalLabels'] {
  const labels: [string, string][] = []
  for (const entry of (value && readEntries(value)) ?? []) {
    if (!isLabelName(entry.key, scheme)) {
      error(entry.at, `${JSON.stringify(entry.key.slice(0, 64))} is not a valid label name`)
    }
    const text = isNull(entry.value) ? '' : readExternalLabel(entry.value)
    if (text) labels.push([entry.key, text])
  }
  return labels.sort(([a], [b]) => compareBytes(a, b))
}

/** The order of UTF-8 bytes, which is that of code points, not of UTF-16 units. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
