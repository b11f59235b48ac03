import type { Group } from './group.ts'

/** A group and those of its cases that are to run. */
export interface Selected {
  readonly group: Group
  readonly names: readonly string[]
}

/** The cases whose names match, by groups, in order; all without a filter. Throws a SyntaxError for what is no regex. */
export function selectCases(groups: readonly Group[], filter?: string): Selected[] {
  const regex = new RegExp(filter ?? '')
  return groups
    .map((group) => ({ group, names: group.names.filter((name) => regex.test(name)) }))
    .filter(({ names }) => names.length > 0)
}
