// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import type { SeriesSet } from '../series-set.ts'
import { podShapes } from './kubernetes.ts'

/** Each round, one pod of so many is replaced. */
const ROUNDS = 20

/** The pods of `kubernetes`, of which one in twenty is replaced each round: all of its 50 series are new then. */
export function churn(): SeriesSet {
  const shapes = podShapes('-${generation}')
  return { shapes, churn: { group: shapes.length, rounds: ROUNDS } }
}
