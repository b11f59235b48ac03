import type { Counter, Family, Gauge } from './instrument.ts'

/** Content type of what `expose` returns. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Families in Prometheus' text format 0.0.4, in their order. A family without children is left out.
 */
export function expose(families: Iterable<Family<Counter | Gauge, readonly string[]>>): string {
  let text = ''
  for (const { name, type, help, labels, children } of families) {
    let samples = ''
    for (const { values, instrument } of children) {
      samples += `${name}${labelSet(labels, values)} ${number(instrument.value)}\n`
    }
    if (samples === '') continue
    text += `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${samples}`
  }
  return text
}

function labelSet(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return ''
  return `{${names.map((name, i) => `${name}="${escapeValue(values[i]!)}"`).join(',')}}`
}

function escapeHelp(help: string): string {
  return help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function escapeValue(value: string): string {
  return escapeHelp(value).replaceAll('"', '\\"')
}

function number(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  if (value === Number.NEGATIVE_INFINITY) return '-Inf'
  return String(value)
}
