/**
 * The known word that `word` was most likely meant to be, or undefined when none is near: at most two letters
 * wrong (one in a short word), or the same but for case and - instead of _.
 */
export function closestWord(word: string, known: readonly string[]): string | undefined {
  if (word.length > 64) return undefined
  const plain = word.toLowerCase().replaceAll('-', '_')
  let best: string | undefined
  let bestDistance = word.length < 5 ? 2 : 3
  for (const candidate of known) {
    const distance = editDistance(plain, candidate)
    if (distance >= bestDistance) continue
    best = candidate
    bestDistance = distance
  }
  return best
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    const above = rows[i - 1]!
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      row[j] = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
