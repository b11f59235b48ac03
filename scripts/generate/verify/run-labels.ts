// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import type { SeriesSet } from '../series-set.ts'
import { compileTemplate } from '../template.ts'

/** Labels that are added to every series so that a receiver can be asked for it and a series be known again. */
export const RUN_LABEL = 'generate_run'
/** Series that are asked for together. */
export const PART_LABEL = 'generate_part'
/** Which of its part. */
export const PLACE_LABEL = 'generate_series'

/** Series of a part: so that answers are not too large, and no label has very many values. */
export const PART = 1000

/** The same series with the labels that say which is which. Throws a clear Error where one of them is taken. */
export function withPlaces(set: SeriesSet): SeriesSet {
  const part = compileTemplate(`\${series_id/${PART}}`)
  const place = compileTemplate(`\${series_id%${PART}}`)
  const shapes = set.shapes.map((shape) => {
    const taken = [RUN_LABEL, PART_LABEL, PLACE_LABEL].find((name) => shape.labels.has(name))
    if (taken !== undefined) throw new Error(`the label ${taken} is needed for --verify`)
    const labels = [...shape.labels, [PART_LABEL, part] as const, [PLACE_LABEL, place] as const]
    return { ...shape, labels: new Map(labels.sort(([a], [b]) => (a < b ? -1 : 1))) }
  })
  return { ...set, shapes }
}

/** Which series has these labels; undefined when they do not tell. */
export function seriesIdOf(labels: Readonly<Record<string, string>>): number | undefined {
  const part = labels[PART_LABEL] ?? ''
  const place = labels[PLACE_LABEL] ?? ''
  if (!/^[0-9]{1,12}$/.test(part) || !/^[0-9]{1,3}$/.test(place)) return undefined
  return Number(part) * PART + Number(place)
}
