import type { BenchCase } from './case.ts'
import { executeCases } from './cases/execute.ts'
import { generateCases } from './cases/generate.ts'
import { heapCases } from './cases/heap.ts'
import { otlpCases, otlpStageCases } from './cases/otlp.ts'
import { pushCases } from './cases/push.ts'
import { receiveCases } from './cases/receive.ts'
import { remoteWrite1Cases } from './cases/remotewrite1.ts'
import { remoteWrite2Cases } from './cases/remotewrite2.ts'
import { requestCases } from './cases/request.ts'
import { seriesOfCases } from './cases/series-of.ts'
import { stageCases } from './cases/stages.ts'

/** Every case that is measured in a process of its own. */
export const cases: readonly BenchCase[] = [
  ...remoteWrite1Cases,
  ...remoteWrite2Cases,
  ...otlpCases,
  ...heapCases,
  ...seriesOfCases,
  ...executeCases,
  ...pushCases,
  ...receiveCases,
  ...requestCases,
  ...stageCases,
  ...otlpStageCases,
  ...generateCases,
]

/** The case of this name. */
export function caseNamed(name: string): BenchCase {
  const found = cases.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no case ${name}`)
  return found
}
