import type { AnyHistogram } from '../value-text.ts'
import { CUSTOM, countsOf, isStale, type Side, sidesOf } from './native-histogram.ts'
import type { Findings } from './problems.ts'

/** Relative error of a sum of floats that is no error. */
const CLOSE = 1e-6

/**
 * Checks the structure of a native histogram (spec 2.7): one flavour throughout, spans that add up to the buckets,
 * buckets that add up to the count, a schema that senders may use, custom buckets in order.
 */
export function checkHistogram(
  histogram: AnyHistogram,
  where: () => string,
  findings: Findings,
): void {
  const say = (message: string) => findings.add('histogram', where, message)
  const { schema, zeroThreshold, resetHint, customValues } = histogram
  const sides = sidesOf(histogram)
  if (schema !== CUSTOM && (schema < -4 || schema > 8))
    say(`its schema is ${schema}, not one of -4 to 8 or -53`)
  if (resetHint < 0 || resetHint > 3) say(`its reset hint is ${resetHint}, not one of 0 to 3`)
  if (!(zeroThreshold >= 0 && zeroThreshold < Number.POSITIVE_INFINITY))
    say(`its zero threshold is ${zeroThreshold}`)
  const sound = [
    checkFlavour(histogram, say),
    checkSide('positive', sides.positive, say),
    checkSide('negative', sides.negative, say),
  ]
  if (schema === CUSTOM) checkCustom(histogram, say)
  else if (customValues.length > 0) say(`it has custom values, which schema ${schema} has not`)
  if (sound.every(Boolean) && !isStale(histogram.sum)) checkCount(histogram, say)
}

type Say = (message: string) => void

/** Of an integer histogram all is integer, of a float one all is float. False when that is not so. */
function checkFlavour(histogram: AnyHistogram, say: Say): boolean {
  const isFloat = typeof histogram.count.value === 'number'
  const zero = histogram.zeroCount.value
  const { positive, negative } = sidesOf(histogram)
  const mixed = zero !== undefined && (typeof zero === 'number') !== isFloat
  if (mixed) say('its count and its zero count are not both integers, or both floats')
  const wrong = isFloat ? 'deltas' : 'counts'
  const strange = positive[wrong].length + negative[wrong].length > 0
  if (strange)
    say(
      `it has ${wrong}, which a histogram with ${isFloat ? 'a float' : 'an integer'} count has not`,
    )
  return !mixed && !strange
}

/** False when the buckets of a side can't be told. */
function checkSide(name: string, side: Side, say: Say): boolean {
  const buckets = side.deltas.length + side.counts.length
  const spanned = side.spans.reduce((sum, { length }) => sum + length, 0)
  for (const { offset } of side.spans.slice(1))
    if (offset < 0) say(`a ${name} span begins ${-offset} before the end of the one before it`)
  if (spanned !== buckets) {
    say(`its ${name} spans have room for ${spanned} buckets, it has ${buckets}`)
    return false
  }
  const bad = countsOf(side).find((count) => !(count >= 0))
  if (bad !== undefined) say(`a ${name} bucket has the count ${bad}`)
  return bad === undefined
}

function checkCount(histogram: AnyHistogram, say: Say): void {
  const { count, zeroCount, sum } = histogram
  const sides = Object.values(sidesOf(histogram))
  if (typeof count.value === 'number') {
    const all = sides.flatMap(countsOf).reduce<number>((total, one) => total + Number(one), 0)
    const total = all + Number(zeroCount.value ?? 0)
    const off = Math.abs(total - count.value)
    if (!(count.value >= 0) || !(off <= CLOSE * Math.max(1, count.value)))
      say(`its buckets have ${total} observations, its count is ${count.value}`)
    return
  }
  const total = sides
    .flatMap(countsOf)
    .reduce<bigint>((total, one) => total + BigInt(one), BigInt(zeroCount.value ?? 0))
  const wanted = BigInt(count.value ?? 0)
  // An observation of NaN counts, but is in no bucket.
  if (Number.isNaN(sum) ? total > wanted : total !== wanted)
    say(`its buckets have ${total} observations, its count is ${wanted}`)
}

function checkCustom(histogram: AnyHistogram, say: Say): void {
  const { customValues, negativeSpans, zeroThreshold, zeroCount, positiveSpans } = histogram
  for (const [i, bound] of customValues.entries()) {
    if (!Number.isFinite(bound)) say(`custom value ${i} is ${bound}`)
    else if (i > 0 && !(bound > customValues[i - 1]!))
      say(`custom value ${i} is ${bound}, not above ${customValues[i - 1]}`)
  }
  if (negativeSpans.length + histogram.negativeDeltas.length + histogram.negativeCounts.length > 0)
    say('it has custom buckets and negative ones')
  if (zeroThreshold !== 0 || Number(zeroCount.value ?? 0) !== 0)
    say('it has custom buckets and one for zero')
  if ((positiveSpans[0]?.offset ?? 0) < 0) say('its first bucket has an index below 0')
  const end = positiveSpans.reduce((sum, { offset, length }) => sum + offset + length, 0)
  if (end > customValues.length + 1)
    say(`its last bucket is ${end - 1}, its custom values are for ${customValues.length + 1}`)
}
