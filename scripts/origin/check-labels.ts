import { compareBytes } from '../../src/relabel/byte-order.ts'
import type { Findings } from './problems.ts'

/** Characters in an exemplar's labels that receivers take (OpenMetrics 1.0). */
const MAX_EXEMPLAR = 128

/**
 * Checks the labels of a series, as names and values in turn (remote write 1.0 "Labels", which 2.0 repeats): there is
 * a `__name__`, none is empty or there twice, and names are sorted by their bytes. UTF-8 was checked when the message was read.
 */
export function checkLabels(
  labels: readonly string[],
  where: () => string,
  findings: Findings,
): void {
  if (labels.length === 0) {
    findings.add('labels', where, 'it has no labels')
    return
  }
  let named = false
  let sorted = true
  for (let i = 0; i < labels.length; i += 2) {
    const name = labels[i]!
    if (name === '') findings.add('labels', where, `label ${i / 2} has no name`)
    if (labels[i + 1] === '')
      findings.add('labels', where, `label ${JSON.stringify(name)} has no value`)
    if (name === '__name__') named = true
    if (i === 0) continue
    const order = compareBytes(labels[i - 2]!, name)
    if (order === 0) findings.add('labels', where, `label ${JSON.stringify(name)} is there twice`)
    if (order <= 0 || !sorted) continue
    sorted = false
    const pair = `${JSON.stringify(name)} comes after ${JSON.stringify(labels[i - 2])}`
    findings.add('label_order', where, pair)
  }
  if (!named) findings.add('labels', where, 'it has no __name__')
  // Of sorted ones those that are equal are neighbours.
  if (!sorted) checkRepeated(labels, where, findings)
}

function checkRepeated(labels: readonly string[], where: () => string, findings: Findings): void {
  const seen = new Map<string, number>()
  for (let i = 0; i < labels.length; i += 2) {
    const before = seen.get(labels[i]!)
    seen.set(labels[i]!, i)
    // A neighbour was told already.
    if (before === undefined || before === i - 2) continue
    findings.add('labels', where, `label ${JSON.stringify(labels[i])} is there twice`)
  }
}

/** Checks the labels of an exemplar: none twice or without a name, and no more text than receivers take. */
export function checkExemplarLabels(
  labels: readonly string[],
  where: () => string,
  findings: Findings,
): void {
  const names = labels.filter((_, i) => i % 2 === 0)
  if (names.includes('')) findings.add('exemplar', where, 'a label has no name')
  if (new Set(names).size !== names.length)
    findings.add('exemplar', where, 'a label is there twice')
  const length = labels.reduce((sum, text) => sum + Array.from(text).length, 0)
  if (length > MAX_EXEMPLAR)
    findings.add('exemplar', where, `its labels have ${length} characters, more than 128`)
}

/** The same labels sorted by the bytes of their names: a series is the same one in whatever order they come. */
export function sortedLabels(labels: readonly string[]): readonly string[] {
  let sorted = true
  for (let i = 2; sorted && i < labels.length; i += 2)
    sorted = compareBytes(labels[i - 2]!, labels[i]!) <= 0
  if (sorted) return labels
  const pairs = Array.from({ length: labels.length / 2 }, (_, i) => i * 2)
  pairs.sort((a, b) => compareBytes(labels[a]!, labels[b]!))
  return pairs.flatMap((i) => [labels[i]!, labels[i + 1]!])
}
