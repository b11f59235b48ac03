import type { SeriesKind, SeriesShape } from './series-set.ts'
import { compileTemplate, type Template } from './template.ts'

/** A label's name, as all receivers take it. Only ASCII: sorted by characters, names are sorted by bytes. */
export const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/
const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/

/** A form of series as it is written down. */
export interface ShapeText {
  /** Templates by the names of their labels. */
  readonly labels: Readonly<Record<string, string>>
  /** By default a counter if the name ends in `_total`, else a gauge. */
  readonly kind?: SeriesKind
  readonly help?: string
}

/**
 * Compiles a form. Equal texts are one template when `compile` says so. Throws a clear Error when it is no series, and TemplateProblem. The unit is that with
 * which the name ends, if it is seconds or bytes.
 */
export function seriesShape(
  { labels, kind, help = '' }: ShapeText,
  compile: (text: string) => Template = compileTemplate,
): SeriesShape {
  const name = labels.__name__
  if (name === undefined) throw new Error('the series have no label __name__')
  const compiled = Object.entries(labels).map(([label, text]): [string, Template] => {
    if (!LABEL_NAME.test(label)) throw new Error(`"${label}" is no name of a label`)
    if (text === '') throw new Error(`the label ${label} has an empty value`)
    return [label, compile(text)]
  })
  compiled.sort(([a], [b]) => (a < b ? -1 : 1))
  const sorted = new Map(compiled)
  // Digits are all that is filled in.
  const example = sorted.get('__name__')!.evaluate(0)
  if (!METRIC_NAME.test(example)) throw new Error(`"${example}" is no name of a metric`)
  const counter = name.endsWith('_total')
  return {
    kind: kind ?? (counter ? 'counter' : 'gauge'),
    labels: sorted,
    help,
    unit: /_(seconds|bytes)(_total)?$/.exec(name)?.[1] ?? '',
  }
}

/** Compiles equal texts to one template, so that what is remembered of it is shared. */
export function sharedTemplates(): (text: string) => Template {
  const compiled = new Map<string, Template>()
  return (text) => {
    const template = compiled.get(text) ?? compileTemplate(text)
    compiled.set(text, template)
    return template
  }
}
