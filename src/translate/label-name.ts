/** How keys of attributes become label names (spec 4.1, 4.6). */
export interface LabelNaming {
  /** Whether names keep to `[a-zA-Z_][a-zA-Z0-9_]*`. */
  readonly escape: boolean
  /** `label_name_underscore_sanitization`: a name that begins with one `_` gets `key` before it. */
  readonly underscoreSanitization: boolean
  /** `label_name_preserve_multiple_underscores`: each other character becomes a `_` of its own. */
  readonly preserveMultipleUnderscores: boolean
}

/** The label name that a key is made into; undefined where only underscores are left, or nothing. */
export function labelName(key: string, naming: LabelNaming): string | undefined {
  const name = naming.escape ? escaped(key, naming) : key
  return /[^_]/.test(name) ? name : undefined
}

/**
 * The label name of an attribute of a point or of target_info. Prometheus does not look at these at all where it does not
 * escape; undefined where a label can't be made.
 */
export function attributeName(key: string, naming: LabelNaming): string | undefined {
  if (naming.escape) return labelName(key, naming)
  return key === '' ? undefined : key
}

function escaped(key: string, naming: LabelNaming): string {
  const name = naming.preserveMultipleUnderscores
    ? key.replace(/[^A-Za-z0-9_]/gu, '_')
    : collapsed(key)
  if (/^[0-9]/.test(name)) return `key_${name}`
  return naming.underscoreSanitization && /^_(?!_)/.test(name) ? `key${name}` : name
}

/** Runs become one `_`, but for the two at both ends of reserved names. */
function collapsed(key: string): string {
  const reserved = key.length >= 4 && key.startsWith('__') && key.endsWith('__')
  if (!reserved) return key.replace(/[^A-Za-z0-9]+/g, '_')
  return `__${key.slice(2, -2).replace(/[^A-Za-z0-9]+/g, '_')}__`
}
