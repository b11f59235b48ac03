import { toBinary } from '@bufbuild/protobuf'
import {
  type Exemplar,
  type Histogram,
  HistogramSchema,
  type Metadata,
  type Request,
  type TimeSeries,
} from '../../src/wire/gen/prometheus-write-v2_pb.js'
import { checkHistogram } from './check-histogram.ts'
import { checkExemplarLabels, checkLabels } from './check-labels.ts'
import { seriesPlace } from './series-place.ts'
import { checkTime, type Taking, takeHistogram, takeOne, takeSample } from './take-points.ts'
import { checkFields } from './unknown-fields.ts'

/** Checks a message of remote write 2.0 with all that is in it, and stores its points. Returns how many metadata it has. */
export function takeRemoteWrite2(request: Request, taking: Taking): number {
  const { symbols, timeseries } = request
  const { findings } = taking
  const where = () => 'the request'
  checkFields(request, where, findings)
  checkSymbols(symbols, findings)
  let metadata = 0
  for (const [i, series] of timeseries.entries()) {
    takeSeries(series, i, symbols, taking)
    if (series.metadata !== undefined) metadata += 1
  }
  return metadata
}

function checkSymbols(symbols: readonly string[], { add }: Taking['findings']): void {
  const where = () => 'the symbol table'
  // A request without series may have none.
  if (symbols.length > 0 && symbols[0] !== '')
    add('symbols', where, `symbol 0 is ${JSON.stringify(symbols[0])}, not empty`)
  const seen = new Map<string, number>()
  for (const [i, symbol] of symbols.entries()) {
    const before = seen.get(symbol)
    if (before === undefined) seen.set(symbol, i)
    else add('symbols', where, `symbols ${before} and ${i} are both ${JSON.stringify(symbol)}`)
  }
}

function takeSeries(
  series: TimeSeries,
  index: number,
  symbols: readonly string[],
  taking: Taking,
): void {
  const { findings, store } = taking
  const { samples, histograms, exemplars } = series
  const refused = findings.refused
  const bare = () => `series ${index}`
  const labels = resolve(series.labelsRefs, symbols, bare, taking)
  const where = () => seriesPlace(index, labels)
  checkFields(series, where, findings)
  if (series.createdTimestamp !== 0n)
    findings.add('unknown_field', where, 'TimeSeries has no field 6 any more (created_timestamp)')
  checkLabels(labels, where, findings)
  if (series.metadata !== undefined) checkMetadata(series.metadata, symbols, where, taking)
  if (samples.length > 0 && histograms.length > 0)
    findings.add('mixed_series', where, 'it has both samples and histograms')
  if (samples.length + histograms.length === 0)
    findings.add('empty_series', where, 'it has neither samples nor histograms')
  const sound = findings.refused === refused
  if (samples.length + histograms.length > 0) {
    const stored = store.open(labels)
    for (const sample of samples)
      takeOne(taking, sound, 'samples', () => {
        const { value, timestamp, startTimestamp } = sample
        checkFields(sample, where, findings)
        checkStart(startTimestamp, timestamp, where, taking)
        takeSample(taking, stored, Number(timestamp), value, where)
      })
    for (const one of histograms)
      takeOne(taking, sound, 'histograms', () => {
        checkNative(one, where, taking)
        takeHistogram(taking, stored, Number(one.timestamp), toBinary(HistogramSchema, one), where)
      })
  }
  for (const exemplar of exemplars)
    takeOne(taking, sound, 'exemplars', () => checkExemplar(exemplar, symbols, where, taking))
}

/** Names and values in turn. A reference that leads nowhere is told and stands for an empty text. */
function resolve(
  refs: readonly number[],
  symbols: readonly string[],
  where: () => string,
  { findings }: Taking,
): string[] {
  if (refs.length % 2 !== 0)
    findings.add('refs', where, `${refs.length} references make no pairs of name and value`)
  const labels = refs.map((ref) => {
    if (ref >= symbols.length) tellRef(ref, symbols, where, findings)
    return symbols[ref] ?? ''
  })
  if (labels.length % 2 !== 0) labels.pop()
  return labels
}

function tellRef(
  ref: number,
  symbols: readonly string[],
  where: () => string,
  { add }: Taking['findings'],
): void {
  add('refs', where, `reference ${ref} leads out of a table of ${symbols.length} symbols`)
}

/** A start of 0 is none. */
function checkStart(start: bigint, time: bigint, where: () => string, { findings }: Taking): void {
  if (start !== 0n && start > time)
    findings.add('time', where, `its start ${start} is after its time ${time}`)
}

function checkNative(histogram: Histogram, where: () => string, taking: Taking): void {
  const { findings } = taking
  checkFields(histogram, where, findings)
  for (const span of [...histogram.positiveSpans, ...histogram.negativeSpans])
    checkFields(span, where, findings)
  checkStart(histogram.startTimestamp, histogram.timestamp, where, taking)
  checkHistogram(histogram, where, findings)
}

function checkExemplar(
  exemplar: Exemplar,
  symbols: readonly string[],
  where: () => string,
  taking: Taking,
): void {
  const { findings, now } = taking
  checkFields(exemplar, where, findings)
  checkExemplarLabels(resolve(exemplar.labelsRefs, symbols, where, taking), where, findings)
  if (exemplar.timestamp === 0n) findings.add('exemplar', where, 'it has no time')
  else checkTime(Number(exemplar.timestamp), now, where, findings)
}

function checkMetadata(
  metadata: Metadata,
  symbols: readonly string[],
  where: () => string,
  { findings }: Taking,
): void {
  checkFields(metadata, where, findings)
  if (metadata.type < 0 || metadata.type > 7)
    findings.add('metadata', where, `its type is ${metadata.type}, not one of 0 to 7`)
  for (const ref of [metadata.helpRef, metadata.unitRef])
    if (ref >= symbols.length && ref !== 0) tellRef(ref, symbols, where, findings)
}
