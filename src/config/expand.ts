import { error, type Value } from './config-file.ts'
import { readText } from './read.ts'

/** `${NAME}`; with a second `$` in front it stays as it is. Anything else that starts with `${` is a mistake. */
const BRACES = /(\$?)\$\{(?:([A-Za-z_]\w*)\})?/g

/** What Prometheus replaces in external labels: `${NAME}`, `$NAME`, and `$$`, a dollar sign. */
const PROMETHEUS = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*)|([$]))|\$(?=[{\d*#@!?-])/g

/**
 * A string in which each `${NAME}` is replaced by the binding of that name; `$${` stands for a literal `${`, any
 * other `$` for itself. Undefined (and an error that names the binding) when one is missing, empty or no string.
 * What a binding holds is never looked at again.
 */
export function readExpanded(value: Value, wanted?: string): string | undefined {
  const text = readText(value, wanted)
  if (text === undefined) return undefined
  let failed = false
  const expanded = text.replace(BRACES, (whole, dollar: string, name: string | undefined) => {
    if (dollar !== '') return whole.slice(1)
    const found = name === undefined ? error(value, MALFORMED) : lookUp(value, name)
    if (found === '') error(value, `the binding ${name} is empty`)
    failed ||= !found
    return found ?? ''
  })
  return failed ? undefined : expanded
}

/** The value of an external label, with Prometheus' own rules: `$$` is a dollar sign, `$NAME` works too. */
export function readExternalLabel(value: Value): string | undefined {
  const text = readText(value)
  if (text === undefined) return undefined
  let failed = false
  const expanded = text.replace(PROMETHEUS, (_whole, braced, bare, dollar) => {
    if (dollar !== undefined) return '$'
    const name: string | undefined = braced ?? bare
    const found = name === undefined ? error(value, LONE_DOLLAR) : lookUp(value, name)
    failed ||= found === undefined
    return found ?? ''
  })
  return failed ? undefined : expanded
}

function lookUp(value: Value, name: string): string | undefined {
  const found = value.file.bindings.get(name)
  if (found === undefined) {
    return error(value, `there is no binding ${name}: set a secret or variable of that name`)
  }
  if (typeof found !== 'string') {
    return error(value, `the binding ${name} is not a string: it must be a secret or variable`)
  }
  if (!found.isWellFormed()) return error(value, `the binding ${name} is not valid Unicode`)
  return found
}

const MALFORMED = `a binding is written \${NAME}, with letters, digits and _; a literal \${ is $\${`
const LONE_DOLLAR = `a binding is written \${NAME}; a literal dollar sign is $$ in an external label`
