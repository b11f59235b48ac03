import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { readRules } from '../src/config/rules.ts'
import type { RelabelConfig } from '../src/config/types.ts'
import { parseYamlText, RULES_ROOT } from '../src/config/yaml-text.ts'
import { compileRules } from '../src/relabel/compile.ts'
import type { Step } from '../src/relabel/explain.ts'
import { md5Hashmod } from '../src/relabel/hashmod.ts'
import { LabelPair } from '../src/relabel/label-pair.ts'
import { LabelSet } from '../src/relabel/label-set.ts'

/** Where label sets come from, and where results and complaints go. */
export interface CheckIo {
  readonly stdin: AsyncIterable<string | Uint8Array>
  readonly stdout: Writable
  readonly stderr: Writable
}

/**
 * `check relabel RULES.yaml`: applies a file's list of relabel configs to label sets, one JSON object a line, and prints
 * one line of JSON for each: `{"labels":{…}}`, names in byte order, or `{"dropped":true,"rule":N}`. A label with an
 * empty value is no label. A series that no rule drops is printed as it is, even without `__name__` (the proxy would
 * drop it); one that has no labels left counts as dropped by the rule that took the last one, `null` when it never had
 * any. `explain` adds `steps`: rule, action, value (of the source labels), what, labels (after it).
 *
 * Resolves to the exit code: 1 when the file is bad (every problem is on stderr and nothing is read) or a line was.
 */
export async function checkRelabel(
  rulesPath: string,
  options: { explain: boolean },
  { stdin, stdout, stderr }: CheckIo,
): Promise<number> {
  const configs = await readRuleFile(rulesPath)
  if (!configs.ok) {
    for (const problem of configs.problems) await print(stderr, problem)
    return 1
  }
  const rules = compileRules(configs.rules, md5Hashmod)
  const labels = new LabelSet()
  let line = 0
  let exit = 0
  for await (const text of lines(stdin)) {
    line++
    if (text.trim() === '') continue
    const wrong = readLabels(text, labels)
    if (wrong !== null) {
      await print(stderr, `line ${line}: ${wrong}`)
      exit = 1
      continue
    }
    const before = labels.length
    const steps = rules.explain(labels)
    await print(stdout, resultLine(before, steps, labels, options.explain))
  }
  return exit
}

type Rules = { ok: true; rules: RelabelConfig[] } | { ok: false; problems: string[] }

const NO_BINDINGS = { get: () => undefined, pretended: false }

/** The rules as a config would have them. */
async function readRuleFile(path: string): Promise<Rules> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    return { ok: false, problems: [`${path}: ${(error as Error).message}`] }
  }
  const { file, root } = parseYamlText(text, NO_BINDINGS, RULES_ROOT)
  const rules = readRules(root, 'utf8')
  if (file.problems.length === 0) return { ok: true, rules }
  const inOrder = file.problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
  const problems = inOrder.map(({ line, column, path: key, message }) => {
    const place = line > 0 ? `${path}:${line}:${column}` : path
    return `${place}: ${key === '' ? '' : `${key}: `}${message}`
  })
  return { ok: false, problems }
}

/** Fills `labels` from a line of JSON; what is wrong with it, or null. */
function readLabels(text: string, labels: LabelSet): string | null {
  let set: unknown
  try {
    set = JSON.parse(text)
  } catch (error) {
    return `not JSON: ${(error as Error).message}`
  }
  if (typeof set !== 'object' || set === null || Array.isArray(set)) {
    return 'not an object of label names and values'
  }
  labels.clear()
  for (const [name, value] of Object.entries(set)) {
    if (name === '') return 'a label has no name'
    if (typeof value !== 'string') return `the value of ${JSON.stringify(name)} is not a string`
    if (!name.isWellFormed() || !value.isWellFormed()) {
      return `${JSON.stringify(name)} or its value is broken Unicode`
    }
    if (value !== '') labels.push(new LabelPair(name, value))
  }
  labels.sortByBytes()
  return null
}

/** Objects are put together by hand, for JavaScript's own would put a label called 1 before all others. */
function resultLine(before: number, steps: Step[], labels: LabelSet, explain: boolean): string {
  const dropping = steps.at(-1)?.dropped ? steps.at(-1)!.rule : lastRemover(before, steps)
  labels.sortByBytes()
  const pairs = labels.pairs.slice(0, labels.length).map(({ name, value }) => [name, value])
  const result =
    dropping === false
      ? `"labels":${objectText(pairs)}`
      : `"dropped":true,"rule":${JSON.stringify(dropping)}`
  if (!explain) return `{${result}}`
  const told = steps.map(({ dropped: _, labels: after, ...step }) => {
    return `${JSON.stringify(step).slice(0, -1)},"labels":${objectText(after)}}`
  })
  return `{${result},"steps":[${told.join(',')}]}`
}

/** The rule that left no labels, for good; null when there never were any; false when there are some. */
function lastRemover(before: number, steps: readonly Step[]): number | null | false {
  const sizes = steps.map((step) => step.labels.length)
  if ((sizes.at(-1) ?? before) > 0) return false
  const last = sizes.findLastIndex((size) => size > 0)
  return last < 0 && before === 0 ? null : last + 1
}

function objectText(pairs: readonly (readonly string[])[]): string {
  return `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`
}

/** Lines end with \n or \r\n only: JSON may hold U+2028 as it is. */
async function* lines(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    const complete = rest.split('\n')
    rest = complete.pop()!
    yield* complete
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}

async function print(stream: Writable, line: string): Promise<void> {
  if (!stream.write(`${line}\n`)) await once(stream, 'drain')
}
