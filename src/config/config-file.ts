import type { LineCounter, Node } from 'yaml'
import type { Problem } from './types.ts'

/** A config file while it is read: where its lines start, what its aliases stand for, what is wrong so far. */
export interface ConfigFile {
  readonly lines: LineCounter
  /** The node that each alias stands for. */
  readonly aliases: ReadonlyMap<Node, Node>
  /** Grows while the file is read. */
  readonly problems: Problem[]
  readonly bindings: Bindings
}

/** What `${NAME}` stands for. */
export interface Bindings {
  /** The binding of this name, or undefined. */
  readonly get: (name: string) => unknown
  /** Whether they are made up, so that nothing can be said about a value which holds one. */
  readonly pretended: boolean
}

/** A value in a config file: what stands there, where, and the path of keys that leads to it. */
export interface Value {
  readonly file: ConfigFile
  readonly path: string
  /** Offset of the value, or of its key where a problem is about the key; -1 for the file as a whole. */
  readonly offset: number
  /** Never an alias; null where nothing was written. */
  readonly node: Node | null
}

/** A report holds this many problems; one more says how many were left out. */
export const MAX_PROBLEMS = 100

/** Notes an error about a value. Returns undefined, so that a reader can end with it. */
export function error(at: Value, message: string): undefined {
  note('error', at, message)
}

/** Notes a warning about a value. */
export function warn(at: Value, message: string): undefined {
  note('warning', at, message)
}

function note(severity: Problem['severity'], at: Value, message: string): undefined {
  const { file, path, offset } = at
  const place = offset < 0 ? { line: 0, col: 0 } : file.lines.linePos(offset)
  file.problems.push({ severity, line: place.line, column: place.col, path, message })
}

/** The value at `node`, reached by `path`. An alias is followed. */
export function valueAt(file: ConfigFile, path: string, node: Node | null, offset: number): Value {
  const target = node === null ? null : (file.aliases.get(node) ?? node)
  return { file, path, offset: node?.range?.[0] ?? offset, node: target }
}
