import { toBinary } from '@bufbuild/protobuf'
import {
  type Exemplar,
  type Histogram,
  HistogramSchema,
  type Label,
  type MetricMetadata,
  type TimeSeries,
  type WriteRequest,
} from '../../src/wire/gen/prometheus_pb.js'
import { checkHistogram } from './check-histogram.ts'
import { checkExemplarLabels, checkLabels } from './check-labels.ts'
import { CUSTOM } from './native-histogram.ts'
import { seriesPlace } from './series-place.ts'
import { checkTime, type Taking, takeHistogram, takeOne, takeSample } from './take-points.ts'
import { checkFields } from './unknown-fields.ts'

/** Checks a message of remote write 1.0 with all that is in it, and stores its points. Returns how many metadata it has. */
export function takeRemoteWrite1(request: WriteRequest, taking: Taking): number {
  checkFields(request, () => 'the request', taking.findings)
  for (const [i, series] of request.timeseries.entries()) takeSeries(series, i, taking)
  for (const [i, metadata] of request.metadata.entries()) checkMetadata(metadata, i, taking)
  return request.metadata.length
}

function takeSeries(series: TimeSeries, index: number, taking: Taking): void {
  const { findings, store } = taking
  const labels = flat(series.labels)
  const where = () => seriesPlace(index, labels)
  const { samples, histograms, exemplars } = series
  const refused = findings.refused
  checkFields(series, where, findings)
  for (const label of series.labels) checkFields(label, where, findings)
  checkLabels(labels, where, findings)
  if (samples.length + histograms.length + exemplars.length === 0)
    findings.add('empty_series', where, 'it has no points')
  const sound = findings.refused === refused
  if (samples.length + histograms.length > 0) {
    const stored = store.open(labels)
    for (const sample of samples)
      takeOne(taking, sound, 'samples', () => {
        checkFields(sample, where, findings)
        takeSample(taking, stored, Number(sample.timestamp), sample.value, where)
      })
    for (const one of histograms)
      takeOne(taking, sound, 'histograms', () => {
        checkNative(one, where, taking)
        takeHistogram(taking, stored, Number(one.timestamp), toBinary(HistogramSchema, one), where)
      })
  }
  for (const exemplar of exemplars)
    takeOne(taking, sound, 'exemplars', () => checkExemplar(exemplar, where, taking))
}

function flat(labels: readonly Label[]): string[] {
  const pairs: string[] = []
  for (const { name, value } of labels) pairs.push(name, value)
  return pairs
}

function checkNative(histogram: Histogram, where: () => string, { findings }: Taking): void {
  checkFields(histogram, where, findings)
  for (const span of [...histogram.positiveSpans, ...histogram.negativeSpans])
    checkFields(span, where, findings)
  if (histogram.schema === CUSTOM)
    findings.add('histogram', where, 'custom buckets are not for remote write 1.0')
  checkHistogram(histogram, where, findings)
}

function checkExemplar(exemplar: Exemplar, where: () => string, { findings, now }: Taking): void {
  checkFields(exemplar, where, findings)
  for (const label of exemplar.labels) checkFields(label, where, findings)
  checkExemplarLabels(flat(exemplar.labels), where, findings)
  checkTime(Number(exemplar.timestamp), now, where, findings)
}

function checkMetadata(metadata: MetricMetadata, index: number, { findings }: Taking): void {
  const where = () => `metadata ${index} of ${JSON.stringify(metadata.metricFamilyName)}`
  checkFields(metadata, where, findings)
  if (metadata.metricFamilyName === '') findings.add('metadata', where, 'it has no name')
  if (metadata.type < 0 || metadata.type > 7)
    findings.add('metadata', where, `its type is ${metadata.type}, not one of 0 to 7`)
}
