/** Names that are kept: strangers send them. */
const MOST = 4096
/** The longest of them: engines hash long strings by their length alone, so that looking for one would compare it with all others. */
const LONGEST = 256
const known = new Map<string, string>()

/**
 * The same name, as the one string that every mention of it is: comparing two of them is comparing two addresses. Names
 * come again and again; where there are too many different ones the rest stay as they are, and so do long ones.
 */
export function labelName(name: string): string {
  if (name.length > LONGEST) return name
  const found = known.get(name)
  if (found !== undefined) return found
  if (known.size >= MOST) return name
  // Keys of objects are in the engine's own table of strings, which holds each once.
  const [same = name] = Object.keys({ [name]: 0 })
  known.set(same, same)
  return same
}
