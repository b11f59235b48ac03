import {
  type Document,
  type ErrorCode,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml'
import { type Bindings, type ConfigFile, error, type Value, valueAt } from './config-file.ts'

/** A config is a few kilobytes; anything larger is a mistake. UTF-16 units. */
const MAX_TEXT = 1 << 20
/** Values in the file with every alias written out. */
const MAX_EXPANDED = 100_000
/** A syntax error drags others behind it, which say nothing new. */
const MAX_SYNTAX_ERRORS = 5

/** What the root of a file must be, and what to say when it is something else, or nothing. */
export interface Root {
  readonly is: (node: Node) => boolean
  readonly wrong: string
  readonly missing: string
}

/** A config. */
export const CONFIG_ROOT: Root = {
  is: isMap,
  wrong: 'the config must be a mapping of keys such as remote_write and sluice',
  missing: 'the config is empty: it needs at least remote_write and sluice.auth',
}

const NO_RULES = 'must be a list of relabel configs, [] for none'

/** A file of relabel rules alone. */
export const RULES_ROOT: Root = { is: isSeq, wrong: NO_RULES, missing: NO_RULES }

/**
 * Parses the YAML of a config. The root is what `wanted` says; it is missing when the text can't be read as one, and
 * then the file's problems say why. No message quotes the text: a secret may stand there.
 */
export function parseYamlText(
  text: string,
  bindings: Bindings,
  wanted = CONFIG_ROOT,
): { file: ConfigFile; root?: Value } {
  const lines = new LineCounter()
  const aliases = new Map<Node, Node>()
  const file: ConfigFile = { lines, aliases, problems: [], bindings }
  const whole = (offset: number): Value => ({ file, path: '', offset, node: null })
  if (text.length > MAX_TEXT) {
    error(whole(-1), `a config has at most 1 MiB, this has ${text.length} characters`)
    return { file }
  }
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    intAsBigInt: true,
  })
  for (const { code, pos } of [...document.errors, ...document.warnings].slice(
    0,
    MAX_SYNTAX_ERRORS,
  )) {
    error(whole(pos[0]), SYNTAX[code])
  }
  if (file.problems.length > 0) return { file }
  resolveAliases(document, aliases, (node, message) => error(whole(node.range?.[0] ?? -1), message))
  if (file.problems.length > 0) return { file }
  const root = valueAt(file, '', document.contents, -1)
  if (root.node === null || !wanted.is(root.node)) {
    error(whole(root.offset), root.node === null ? wanted.missing : wanted.wrong)
    return { file }
  }
  return { file, root }
}

/** Fills `aliases`; refuses tags, and aliases that are unknown, endless or explode. */
function resolveAliases(
  document: Document,
  aliases: Map<Node, Node>,
  refuse: (node: Node, message: string) => void,
): void {
  const anchors = new Map<string, Node>()
  visit(document, {
    Node(_key, node, path) {
      if (isAlias(node)) {
        const target = anchors.get(node.source)
        if (target === undefined) refuse(node, UNKNOWN_ALIAS)
        else if (path.includes(target)) refuse(node, 'this alias stands for a value that holds it')
        else aliases.set(node, target)
        return
      }
      if (node.anchor) anchors.set(node.anchor, node)
      if (node.tag && node.tag !== 'tag:yaml.org,2002:str') refuse(node, SYNTAX.TAG_RESOLVE_FAILED)
    },
  })
  const { contents } = document
  if (aliases.size > 0 && isNode(contents) && expandedSize(contents, aliases) > MAX_EXPANDED) {
    refuse(contents, `its aliases stand for more than ${MAX_EXPANDED} values`)
  }
}

/** How many nodes `root` has when every alias is written out. An alias can only stand for what came before it. */
function expandedSize(root: Node, aliases: ReadonlyMap<Node, Node>): number {
  const known = new Map<Node, number>()
  const size = (node: unknown): number => {
    if (isPair(node)) return size(node.key) + size(node.value)
    if (!isNode(node)) return 0
    const target = aliases.get(node) ?? node
    let sum = known.get(target)
    if (sum === undefined) {
      sum = 1
      if (isCollection(target)) for (const item of target.items) sum += size(item)
      known.set(target, sum)
    }
    return sum
  }
  return size(root)
}

const UNKNOWN_ALIAS =
  'no anchor of this name comes before this alias (a value that starts with * must be quoted)'
const QUOTE = 'YAML reads this differently than it looks: quote the value'

const SYNTAX: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias can have no anchor or tag',
  BAD_ALIAS: 'an alias or anchor needs a name (a value that starts with * or & must be quoted)',
  BAD_COLLECTION_TYPE: 'the tag does not fit the value',
  BAD_DIRECTIVE: 'YAML directives (lines that start with %) are not used here',
  BAD_DQ_ESCAPE: 'unknown escape sequence in a double-quoted value: write \\\\ for a backslash',
  BAD_INDENT: 'wrong indentation, or a bracket or quote that is not closed',
  BAD_PROP_ORDER: 'anchors and tags come right before their value',
  BAD_SCALAR_START: 'a value that starts with this character must be quoted',
  BLOCK_AS_IMPLICIT_KEY: 'a value that holds ": " must be quoted, or its mapping indented below',
  BLOCK_IN_FLOW: 'only { } and [ ] can stand inside { } or [ ]',
  DUPLICATE_KEY: 'this key is written twice',
  IMPOSSIBLE: QUOTE,
  KEY_OVER_1024_CHARS: 'a key is at most 1024 characters long',
  MISSING_CHAR:
    'something is missing here: a closing quote or bracket, a comma, a colon or a space',
  MULTILINE_IMPLICIT_KEY: 'a key must stand on one line, followed by a colon and a space',
  MULTIPLE_ANCHORS: 'a value can have one anchor',
  MULTIPLE_DOCS: 'a config is one YAML document: remove the --- or ... that starts another',
  MULTIPLE_TAGS: 'a value can have one tag',
  NON_STRING_KEY: 'keys are strings',
  RESOURCE_EXHAUSTION: 'too deeply nested',
  TAB_AS_INDENT: 'tabs are not allowed as indentation: use spaces',
  TAG_RESOLVE_FAILED: 'tags are not used here: a value that starts with ! must be quoted',
  UNEXPECTED_TOKEN: 'this can not stand here (check the indentation and quotes around it)',
}
