import { type Frame, FramedTemplate } from './framed-template.ts'
import type { SeriesLabel } from './series-labels.ts'
import type { Template } from './template.ts'

/** Makes framed templates: one for each label whose name and template are the same, so that forms share what is remembered. */
export function framedLabels(
  frameOf: (name: string) => Frame,
): (label: SeriesLabel) => FramedTemplate {
  const made = new Map<string, Map<Template, FramedTemplate>>()
  return ({ name, template }) => {
    const named = made.get(name) ?? new Map<Template, FramedTemplate>()
    made.set(name, named)
    const framed = named.get(template) ?? new FramedTemplate(template, frameOf(name))
    named.set(template, framed)
    return framed
  }
}
