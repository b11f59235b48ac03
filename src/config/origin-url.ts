import { basicAuthorization } from './authorization.ts'
import { error, type Value } from './config-file.ts'
import { readExpanded } from './expand.ts'
import { trailing } from './header.ts'
import { readText } from './read.ts'

/** Where an origin is. */
export interface OriginUrl {
  /** Absolute, without user, password and fragment; or `sluice://embedded`. */
  readonly url: string
  /** As written, without user, password, fragment and values of the query, bindings not replaced. */
  readonly shown: string
  /** Host and path as written, bindings not replaced: a token in a path stays a `${NAME}`. */
  readonly name: string
  /** Where the url holds a user: the header that Prometheus makes of it. A secret. */
  readonly authorization?: string
}

/** The origin inside this Worker. */
export const EMBEDDED = 'sluice://embedded'

/** Reads `url` of an origin. No error repeats any of it. */
export function readOriginUrl(value: Value): OriginUrl | undefined {
  const written = readText(value, WANTED)
  const text = written === undefined ? undefined : readExpanded(value, WANTED)
  if (written === undefined || text === undefined) return undefined
  if (text === EMBEDDED || text === `${EMBEDDED}/`) {
    return { url: EMBEDDED, shown: EMBEDDED, name: 'embedded' }
  }
  if (/[\x00-\x20\x7f\\]/.test(text)) {
    return error(value, `a url must not hold spaces, line breaks or backslashes${trailing(text)}`)
  }
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) {
    const unknown = value.file.bindings.pretended && written.includes(`\${`)
    return unknown ? { url: PRETENDED, ...shownUrl(written) } : error(value, `wanted ${WANTED}`)
  }
  const url = new URL(text)
  const user = decoded(url.username)
  const password = decoded(url.password)
  if (user === undefined || password === undefined) {
    return error(value, 'a % in the user or password of a url must be written %25')
  }
  url.username = ''
  url.password = ''
  url.hash = ''
  const place = { url: url.href, ...shownUrl(written) }
  if (user === '' && password === '') return place
  return { ...place, authorization: basicAuthorization(user, password) }
}

/** What may be shown of a url as written. */
function shownUrl(written: string): { shown: string; name: string } {
  const bare = written.replace(/#.*/s, '').replace(/^((?:[^/?#]*:\/\/)?)[^/?#]*@/, '$1')
  const [place, query] = [bare.replace(/\?.*/s, ''), /\?(.*)/s.exec(bare)?.[1]]
  const masked = query?.split('&').map((pair) => pair.replace(/^([^=]*=)?.*$/s, '$1<secret>'))
  return {
    shown: masked === undefined ? place : `${place}?${masked.join('&')}`,
    name: place.replace(/^[^/]*:\/\//, '').slice(0, 128),
  }
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

const WANTED = 'an http:// or https:// url, or sluice://embedded'
const PRETENDED = 'https://binding.invalid/'
