import type { ExposedPoint, Family } from './families.ts'
import type { Labels } from './series.ts'

/** Media type of `openMetrics`. */
export const OPENMETRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

/** `families` in the OpenMetrics 1.0 text format, exemplars included. */
export function openMetrics(families: readonly Family[]): string {
  const lines = families.flatMap(({ name, type, help, points }) => [
    `# HELP ${name} ${escaped(help)}`,
    `# TYPE ${name} ${type}`,
    ...points.map(pointLine),
  ])
  return `${lines.join('\n')}\n# EOF\n`
}

function pointLine({ name, labels, value, exemplar }: ExposedPoint): string {
  const line = `${name}${labelText(labels)} ${floatText(value)}`
  if (exemplar === undefined) return line
  return `${line} # {${pairs(exemplar.labels)}} ${floatText(exemplar.value)}`
}

function labelText(labels: Labels): string {
  return Object.keys(labels).length > 0 ? `{${pairs(labels)}}` : ''
}

function pairs(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')
}

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`))
}

function floatText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  if (value === Number.NEGATIVE_INFINITY) return '-Inf'
  return Object.is(value, -0) ? '-0' : String(value)
}
