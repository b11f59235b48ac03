import { parseTemplate, type TemplatePart, type TemplateVariables } from './parse-template.ts'
import { RememberedValues } from './remembered-values.ts'

/** So many values of one template are remembered as text. */
const REMEMBERED = 1024

/** A compiled text with `${series_id}`, `${series_id/10}` or `${series_id%10}` in it. */
export interface Template {
  /** As it was written. */
  readonly text: string
  /** What it consists of, for those who write it as bytes. */
  readonly parts: readonly TemplatePart[]
  /** Which variables its value depends on. */
  readonly uses: TemplateVariables
  /**
   * The text of this series: a whole number from 0. `generation` counts how often the series was replaced. Repeated values are remembered, 1,024 at the most.
   */
  evaluate(seriesId: number, generation?: number): string
}

/**
 * Compiles `${series_id}`, `${series_id/10}` (whole-numbered), `${series_id%10}`, one after the other as in `${series_id/10%10}`, the same of `generation`, and
 * literal text around them. Throws a TemplateProblem that points at the character.
 */
export function compileTemplate(text: string): Template {
  const { parts, uses } = parseTemplate(text)
  if (!uses.seriesId && !uses.generation) {
    return { text, parts, uses, evaluate: () => text }
  }
  let memory: { values: RememberedValues; texts: string[] } | undefined
  const evaluate = (seriesId: number, generation = 0): string => {
    // Writers remember bytes of their own: most templates never make text.
    memory ??= {
      values: new RememberedValues(parts, REMEMBERED),
      texts: new Array<string>(REMEMBERED).fill(''),
    }
    const { values, texts } = memory
    const slot = values.find(seriesId, generation)
    if (values.known) return texts[slot]!
    let whole = ''
    let expression = 0
    for (const part of parts) {
      whole += typeof part === 'string' ? part : String(values.value(expression++))
    }
    texts[slot] = whole
    return whole
  }
  return { text, parts, uses, evaluate }
}
