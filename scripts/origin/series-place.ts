/** Names a series of a request: `series 3 {__name__="up",job="a"}`. */
export function seriesPlace(index: number, labels: readonly string[]): string {
  const pairs = labels.flatMap((name, i) =>
    i % 2 === 0 ? [`${name}=${JSON.stringify(labels[i + 1] ?? '')}`] : [],
  )
  return `series ${index} {${pairs.join(',')}}`
}
