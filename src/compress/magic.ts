import { badRequest, type RequestError } from '../wire/request-error.ts'

/** Encodings of bodies that are taken. */
export type Encoding = 'snappy' | 'zstd'

interface Magic {
  readonly bytes: readonly number[]
  readonly name: string
  /** The claimed encoding this magic is no contradiction to. */
  readonly fits?: Encoding
}

const MAGICS: readonly Magic[] = [
  {
    bytes: [0xff, 0x06, 0x00, 0x00, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x59],
    name: 'framed snappy (the stream format; remote write needs the block format)',
  },
  {
    bytes: [0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00],
    name: "snappy-java's stream format (remote write needs the block format)",
  },
  { bytes: [0x1f, 0x8b], name: 'gzip' },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], name: 'zstd', fits: 'zstd' },
  { bytes: [0x78, 0x01], name: 'zlib (deflate)' },
  { bytes: [0x78, 0x5e], name: 'zlib (deflate)' },
  { bytes: [0x78, 0x9c], name: 'zlib (deflate)' },
  { bytes: [0x78, 0xda], name: 'zlib (deflate)' },
]

/** Bytes that are looked at to tell text from the rest. */
const TEXT_PROBE = 64

/**
 * The error to answer with when a body that claims `encoding` could not be decoded: a 400 that
 * names what the body looks like where its first bytes contradict the claim, else `failure` itself.
 * To be asked only after decoding failed: a valid snappy block may begin with nearly anything (`78
 * 9c` begins one of 120 bytes as well as a zlib stream), so no first bytes are reason enough to
 * refuse.
 */
export function explainDecodeFailure(
  failure: RequestError,
  body: Uint8Array,
  encoding: Encoding,
): RequestError {
  const seen = describeMagic(body, encoding)
  if (seen === undefined) return failure
  return badRequest('wrong_encoding', `the body is not ${encoding} but looks like ${seen}`)
}

/**
 * What the first bytes of a body look like, undefined when they look like nothing known or like
 * `encoding` itself.
 */
export function describeMagic(body: Uint8Array, encoding: Encoding): string | undefined {
  const magic = MAGICS.find(({ bytes }) => bytes.every((byte, i) => body[i] === byte))
  if (magic !== undefined) return magic.fits === encoding ? undefined : magic.name
  if (isUncompressedWriteRequest(body)) return 'a message that was not compressed'
  if (!isText(body)) return undefined
  return /^\s*[{[]/.test(String.fromCharCode(...body.subarray(0, TEXT_PROBE)))
    ? 'JSON'
    : 'plain text'
}

/**
 * `0a len 0a len 0a`: the tags of WriteRequest.timeseries, TimeSeries.labels and Label.name around
 * their lengths.
 */
function isUncompressedWriteRequest(body: Uint8Array): boolean {
  if (body[0] !== 0x0a) return false
  let i = 1
  while (i < 5 && (body[i] ?? 0) >= 0x80) i++
  return body[i + 1] === 0x0a && (body[i + 2] ?? 0x80) < 0x80 && body[i + 3] === 0x0a
}

function isText(body: Uint8Array): boolean {
  const start = body.subarray(0, TEXT_PROBE)
  return (
    start.length >= 4 &&
    start.every((byte) => (byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d))
  )
}
