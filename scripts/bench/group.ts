import type { Table } from './table.ts'

/** Something the numbers are to reach, and whether they did. */
export interface Goal {
  readonly text: string
  readonly measured: string
  readonly met: boolean
}

/** What a group found out. */
export interface Report {
  readonly tables: readonly Table[]
  readonly goals: readonly Goal[]
  /** The numbers behind the tables, for `--json`. */
  readonly raw: unknown
  /** What was left out and why. */
  readonly skipped?: readonly string[]
}

/** How long loads last. */
export interface Effort {
  /** Rounds of a comparison, in which the receivers take turns. */
  readonly rounds: number
  /** Of each load. */
  readonly seconds: number
  /** A look at whether a case runs: its numbers mean little, and are not written anywhere. */
  readonly quick: boolean
}

/** What the groups of one run share. */
export interface Session {
  readonly effort: Effort
  /** A folder with the built Worker; it is built when it is first asked for. */
  build(): Promise<string>
  /** Says what is being done. */
  progress(text: string): void
}

/** Cases that are read together. */
export interface Group {
  readonly title: string
  /** What is measured and how: a few sentences of Markdown. */
  readonly text: string
  /** The names of its cases. */
  readonly names: readonly string[]
  /** Runs those that are named, at least one. */
  run(names: readonly string[], session: Session): Promise<Report>
}

/** The group where /proc tells what a process has used; elsewhere it is skipped and says so. */
export function onLinux(group: Group): Group {
  if (process.platform === 'linux') return group
  const run = async (names: readonly string[]): Promise<Report> => {
    const skipped = names.map((name) => `${name}: skipped, it needs the /proc of Linux`)
    return { tables: [], goals: [], raw: {}, skipped }
  }
  return { ...group, run }
}
