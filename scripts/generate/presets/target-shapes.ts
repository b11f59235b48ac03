// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import type { SeriesShape } from '../series-set.ts'
import { type ShapeText, seriesShape, sharedTemplates } from '../series-shape.ts'

/**
 * Forms that follow each other as on the page of a target: series `i` is of the target `i / n`, where n is how many forms there are. In templates `${target}`
 * stands for the target's number, `${target%10}` and `${target/10}` as with any other.
 */
export function targetShapes(texts: readonly ShapeText[]): readonly SeriesShape[] {
  const compile = sharedTemplates()
  const target = `\${series_id/${texts.length}`
  return texts.map((text) => {
    const labels = Object.entries(text.labels).map(([name, value]) => [
      name,
      value.replaceAll('${target', target),
    ])
    return seriesShape({ ...text, labels: Object.fromEntries(labels) }, compile)
  })
}
