import { expose } from './exposition.ts'
import { counter, gauge } from './instrument.ts'

/** What is counted: the four things that a request carries. */
export const itemKinds = ['samples', 'histograms', 'exemplars', 'metadata'] as const
export type ItemKind = (typeof itemKinds)[number]

/** How one request to an origin ended. */
export const originOutcomes = [
  'delivered',
  'rejected',
  'too_large',
  'busy',
  'misconfigured',
] as const
export type OriginOutcome = (typeof originOutcomes)[number]

/**
 * Every metric that Sluice keeps about itself, of this isolate since it started. Values of labels
 * are bounded: `origin` is the name of a configured origin, `stage` is `ingress` or such a name,
 * `kind` an ItemKind, `outcome` an OriginOutcome, `reason` one of the fixed names of reasons.
 *
 * For each kind and origin, received - expanded + made = dropped and rejected at stage ingress + dropped and rejected
 * at the origin's stage + superseded + attached + delivered + origin_rejected + failed.
 */
export const metrics = {
  buildInfo: gauge('sluice_build_info', 'Always 1; which version this is.', ['version']),

  requests: counter('sluice_requests_total', 'Write requests answered, by status code.', ['code']),
  receivedCompressedBytes: counter(
    'sluice_received_compressed_bytes_total',
    'Bytes of the bodies of write requests as they arrived.',
    [],
  ),
  receivedDecodedBytes: counter(
    'sluice_received_decoded_bytes_total',
    'Bytes of the bodies of write requests after decompression.',
    [],
  ),
  received: counter('sluice_received_items_total', 'Items in decoded write requests.', ['kind']),
  dropped: counter(
    'sluice_dropped_items_total',
    'Items that a relabel rule dropped, at ingress or for one origin, or of a kind that the origin is not to get.',
    ['stage', 'kind'],
  ),
  rejected: counter(
    'sluice_rejected_items_total',
    'Items that Sluice itself could not accept, at ingress or for one origin.',
    ['stage', 'reason', 'kind'],
  ),

  points: counter('sluice_otlp_points_total', 'Data points in decoded OTLP requests.', []),
  pointsDropped: counter(
    'sluice_otlp_dropped_points_total',
    'Delta data points that were left out as otlp.delta says.',
    [],
  ),
  pointsRejected: counter(
    'sluice_otlp_rejected_points_total',
    'Data points of OTLP requests that Sluice itself could not accept.',
    ['reason'],
  ),
  labelsJoined: counter(
    'sluice_otlp_joined_labels_total',
    'Sets of labels, translated for the first time, in which values were joined since attributes got the same name.',
    [],
  ),

  superseded: counter(
    'sluice_superseded_items_total',
    'Items left out because the same series and timestamp came again in the same request.',
    ['origin', 'kind'],
  ),
  attached: counter(
    'sluice_attached_metadata_total',
    'Metadata entries that came apart from series, for an origin of remote write 2.0: they go with the series of their metric, of this request or, while they are remembered, of later ones.',
    ['origin'],
  ),
  delivered: counter('sluice_delivered_items_total', 'Items that an origin has taken.', [
    'origin',
    'kind',
  ]),
  expanded: counter(
    'sluice_expanded_histograms_total',
    'Native histograms with custom buckets that an origin got as classic series, since remote write 1.0 can not carry them.',
    ['origin'],
  ),
  expandedSamples: counter(
    'sluice_expanded_samples_total',
    'Samples of the classic series that an origin got for histograms with custom buckets.',
    ['origin'],
  ),
  originRejected: counter(
    'sluice_origin_rejected_items_total',
    'Items that an origin refused for good.',
    ['origin', 'kind'],
  ),
  failed: counter(
    'sluice_failed_items_total',
    'Items that an origin did not take, and might another time: busy, down or misconfigured.',
    ['origin', 'kind'],
  ),
  originRequests: counter('sluice_origin_requests_total', 'Requests to an origin, by outcome.', [
    'origin',
    'outcome',
  ]),
  sentCompressedBytes: counter(
    'sluice_sent_compressed_bytes_total',
    'Bytes of the bodies of requests to an origin as they were sent.',
    ['origin'],
  ),
  sentUncompressedBytes: counter(
    'sluice_sent_uncompressed_bytes_total',
    'Bytes of the bodies of requests to an origin before compression.',
    ['origin'],
  ),

  tableHits: counter('sluice_table_hits_total', 'Series found in the series table.', []),
  tableMisses: counter(
    'sluice_table_misses_total',
    'Series not found in the series table, whose rules had to be run.',
    [],
  ),
  tableTurnOvers: counter(
    'sluice_table_turn_overs_total',
    'Times the series table was full and its older generation was given up.',
    [],
  ),
  tableEntries: gauge('sluice_table_entries', 'Series in the series table.', []),
  tableUsedBytes: gauge('sluice_table_used_bytes', 'Bytes in use of the series table.', []),
  memoryBudgetUsedBytes: gauge(
    'sluice_memory_budget_used_bytes',
    'Bytes held across awaits by bodies and waiting payloads.',
    [],
  ),

  configReloads: counter('sluice_config_reloads_total', 'Times a changed config was read.', [
    'result',
  ]),
  configLastReloadSuccessful: gauge(
    'sluice_config_last_reload_successful',
    'Whether the last config that was read is the one in use: 1, or 0 when it was bad.',
    [],
  ),
} as const

/** All metrics in Prometheus' text format 0.0.4, content type `expositionType`. */
export function renderMetrics(): string {
  return expose(Object.values(metrics))
}
