/** A program under load: takes metrics, relabels them with the same ten rules, sends them on. */
export interface Receiver {
  readonly name: string
  /** Where it takes remote write; undefined where it takes OTLP only. */
  readonly url?: string
  /** Where it takes OTLP. */
  readonly otlpUrl: string
  readonly pid: number
  /** Resolves when all it has accepted was sent on. */
  drained(): Promise<void>
  /** The sum of one of its own metrics; NaN where it has none. */
  ownMetric(name: string): Promise<number>
  stop(): Promise<void>
}

/** The sum of one metric on a page of metrics. */
export async function metricAt(url: string, name: string): Promise<number> {
  const lines = (await (await fetch(url)).text()).split('\n')
  return lines
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
