// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import type { SeriesShape } from './series-set.ts'
import { LABEL_NAME } from './series-shape.ts'
import { compileTemplate, type Template } from './template.ts'

/** A label that every series of a form has. */
export interface SeriesLabel {
  readonly name: string
  readonly template: Template
}

/** The same labels on every series, their values as they are. */
export type ExtraLabels = Readonly<Record<string, string>>

/** Says of which labels a form's series are, with the extra ones, sorted by the bytes of their names. Throws where an extra one is no label or is there already. */
export function labelsWith(extra: ExtraLabels): (shape: SeriesShape) => readonly SeriesLabel[] {
  const added = Object.entries(extra).map(([name, value]): SeriesLabel => {
    if (!LABEL_NAME.test(name)) throw new Error(`"${name}" is no name of a label`)
    if (value === '') throw new Error(`the label ${name} has an empty value`)
    return { name, template: literalTemplate(value) }
  })
  return ({ labels }) => {
    const twice = added.find(({ name }) => labels.has(name))
    if (twice !== undefined) throw new Error(`the series have a label ${twice.name} already`)
    const own = Array.from(labels, ([name, template]) => ({ name, template }))
    return [...own, ...added].sort((a, b) => (a.name < b.name ? -1 : 1))
  }
}

/** Text in which nothing is filled in, whatever it has in it. */
export function literalTemplate(text: string): Template {
  return text.includes('${')
    ? {
        text,
        parts: [text],
        uses: { seriesId: false, generation: false },
        evaluate: () => text,
      }
    : compileTemplate(text)
}
