/**
 * What can be wrong with a sample. `lost`: it was acknowledged and is not there. `doubled`: it is there once more.
 * `changed`: it has another value or other labels. `unsent`: nothing like it was ever sent.
 */
export const FINDING_KINDS = ['lost', 'doubled', 'changed', 'unsent'] as const
export type FindingKind = (typeof FINDING_KINDS)[number]

/** One sample that is not as it should be. */
export interface Finding {
  readonly kind: FindingKind
  readonly labels: Readonly<Record<string, string>>
  /** Milliseconds since 1970. */
  readonly timestamp: number
  readonly sent?: number
  readonly found?: string
  /** What is different, where it is not the value. */
  readonly what?: string
}

/** All that is wrong: every one is counted, the first are kept. */
export interface Findings {
  add(finding: Finding): void
  /** Counts only, where `MOST_LISTED` are kept already. */
  count(kind: FindingKind): void
  /** Whether one more would be kept. */
  readonly open: boolean
  addAll(other: Findings): void
  readonly totals: Readonly<Record<FindingKind, number>>
  readonly listed: readonly Finding[]
}

/** So many are kept. */
export const MOST_LISTED = 100

/** None yet. */
export function createFindings(): Findings {
  const totals: Record<FindingKind, number> = { lost: 0, doubled: 0, changed: 0, unsent: 0 }
  const listed: Finding[] = []
  return {
    add(finding) {
      totals[finding.kind] += 1
      if (listed.length < MOST_LISTED) listed.push(finding)
    },
    count(kind) {
      totals[kind] += 1
    },
    get open() {
      return listed.length < MOST_LISTED
    },
    addAll(other) {
      for (const kind of FINDING_KINDS) totals[kind] += other.totals[kind]
      listed.push(...other.listed.slice(0, MOST_LISTED - listed.length))
    },
    totals,
    listed,
  }
}
