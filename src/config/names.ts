import { readConfig } from './parse.ts'

/**
 * Every NAME that a config asks for, by `${NAME}` where that is replaced, in the order of the file. Of a text that
 * is not even YAML: none.
 */
export function bindingNames(text: string): string[] {
  const names = new Set<string>()
  const get = (name: string) => {
    names.add(name)
    return name
  }
  readConfig(text, get, { ignoreBindings: true })
  return [...names]
}
