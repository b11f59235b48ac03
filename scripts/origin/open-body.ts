import { describeMagic } from '../../src/compress/magic.ts'
import { unpack } from '../../src/compress/unpack.ts'
import { claimedLength } from '../../src/embedded/claimed-length.ts'
import { RequestError } from '../../src/wire/request-error.ts'
import { unsnappy } from './unsnappy.ts'
import type { Encoding } from './write-kind.ts'

/** A body without its encoding, or why there is none. */
export type Opened =
  | { readonly bytes: Uint8Array }
  | { readonly refused: 'too_large' | 'corrupt'; readonly message: string }

/** What is in a body, at most `most` bytes. The result may be the body itself. */
export function openBody(body: Uint8Array, encoding: Encoding, most: number): Opened {
  try {
    return open(body, encoding, most)
  } catch (error) {
    if (error instanceof RequestError && error.status === 413) return tooLarge(most)
    const seen = describeMagic(body, encoding)
    const like = seen === undefined ? '' : `; it looks like ${seen}`
    return corrupt(`it is not ${encoding}: ${(error as Error).message}${like}`)
  }
}

function open(body: Uint8Array, encoding: Encoding, most: number): Opened {
  if (encoding === 'identity') return body.length > most ? tooLarge(most) : { bytes: body }
  if (encoding !== 'snappy') return { bytes: unpack(body, encoding, most) }
  if ((claimedLength(body) ?? 0) > most) return tooLarge(most)
  return { bytes: unsnappy(body) }
}

function tooLarge(most: number): Opened {
  return { refused: 'too_large', message: `the decoded body is larger than ${most} bytes` }
}

function corrupt(message: string): Opened {
  return { refused: 'corrupt', message }
}
