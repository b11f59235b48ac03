import { createFindings, type Finding, type FindingKind, type Findings } from './findings.ts'
import type { Tally } from './tally.ts'

/** What verification came to. */
export interface Outcome {
  /** Samples that were acknowledged. */
  readonly acknowledged: number
  /** Samples that were there as they were sent, also of those that were not acknowledged. */
  readonly found: number
  readonly totals: Readonly<Record<FindingKind, number>>
  /** The first of all. */
  readonly listed: readonly Finding[]
  /** Labels that series were given on the way. */
  readonly added: readonly string[]
  /** Why not all could be looked at. */
  readonly problem?: string
}

/** Adds up what tallies found. */
export interface Adding {
  add(tally: Tally): void
  outcome(problem?: string): Outcome
}

/** Nothing yet. */
export function createAdding(): Adding {
  const findings: Findings = createFindings()
  const added = new Set<string>()
  let acknowledged = 0
  let found = 0
  return {
    add(tally) {
      findings.addAll(tally.close())
      for (const name of tally.added) added.add(name)
      acknowledged += tally.acknowledged
      found += tally.found
    },
    outcome: (problem) => ({
      acknowledged,
      found,
      totals: findings.totals,
      listed: findings.listed,
      added: [...added].sort(),
      ...(problem !== undefined && { problem }),
    }),
  }
}

/** Whether all that could be wrong is not. */
export function isRight({ totals, problem }: Outcome): boolean {
  return problem === undefined && Object.values(totals).every((total) => total === 0)
}
