/** A media type as RFC 9110 8.3.1 has it. */
export interface MediaType {
  /** `type/subtype` in lower case. */
  readonly essence: string
  /** Names in lower case; values as sent, quotes and escapes resolved. */
  readonly parameters: ReadonlyMap<string, string>
}

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const quoted =
  '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t \\x21-\\x7e\\x80-\\xff])*"'
const head = new RegExp(`[ \\t]*(${token}/${token})`, 'y')
const parameter = new RegExp(`[ \\t]*;[ \\t]*(?:(${token})=(${token}|${quoted}))?`, 'y')

/**
 * Parses the value of a Content-Type header. Undefined when it is malformed, which a name that
 * comes twice is too (RFC 6838 4.3): two readers could take it for two different types.
 */
export function parseMediaType(value: string): MediaType | undefined {
  head.lastIndex = 0
  const start = head.exec(value)
  if (start === null) return undefined
  const parameters = new Map<string, string>()
  let end = head.lastIndex
  for (;;) {
    parameter.lastIndex = end
    const found = parameter.exec(value)
    if (found === null) break
    end = parameter.lastIndex
    if (found[1] === undefined) continue
    const name = found[1].toLowerCase()
    if (parameters.has(name)) return undefined
    parameters.set(name, unquote(found[2]!))
  }
  if (/[^ \t]/.test(value.slice(end))) return undefined
  return { essence: start[1]!.toLowerCase(), parameters }
}

function unquote(value: string): string {
  if (!value.startsWith('"')) return value
  return value.slice(1, -1).replace(/\\(.)/g, '$1')
}
