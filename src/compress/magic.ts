import { badRequest, type RequestError } from '../wire/request-error.ts'

/** What a body may say it is encoded with. */
export type Encoding = 'snappy' | 'zstd' | 'gzip' | 'deflate' | 'identity'

interface Magic {
  readonly bytes: readonly number[]
  readonly name: string
  /** More about it for who meant to send snappy. */
  readonly forSnappy?: string
  /** The claimed encoding this magic is no contradiction to. */
  readonly fits?: Encoding
}

const MAGICS: readonly Magic[] = [
  {
    bytes: [0xff, 0x06, 0x00, 0x00, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x59],
    name: 'framed snappy (the stream format)',
    forSnappy: 'framed snappy (the stream format; remote write needs the block format)',
  },
  {
    bytes: [0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00],
    name: "snappy-java's stream format",
    forSnappy: "snappy-java's stream format (remote write needs the block format)",
  },
  { bytes: [0x1f, 0x8b], name: 'gzip', fits: 'gzip' },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], name: 'zstd', fits: 'zstd' },
  { bytes: [0x78, 0x01], name: 'zlib (deflate)', fits: 'deflate' },
  { bytes: [0x78, 0x5e], name: 'zlib (deflate)', fits: 'deflate' },
  { bytes: [0x78, 0x9c], name: 'zlib (deflate)', fits: 'deflate' },
  { bytes: [0x78, 0xda], name: 'zlib (deflate)', fits: 'deflate' },
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
  const claim = encoding === 'identity' ? 'names no Content-Encoding' : `is not ${encoding}`
  return badRequest('wrong_encoding', `the body ${claim} but looks like ${seen}`)
}

/**
 * What the first bytes of a body look like, undefined when they look like nothing known or like
 * `encoding` itself. A body that claims `identity` is what it is, unless it was compressed.
 */
export function describeMagic(body: Uint8Array, encoding: Encoding): string | undefined {
  const magic = MAGICS.find(({ bytes }) => bytes.every((byte, i) => body[i] === byte))
  if (magic !== undefined) {
    if (magic.fits === encoding) return undefined
    return (encoding === 'snappy' && magic.forSnappy) || magic.name
  }
  if (encoding === 'identity') return undefined
  if (isUncompressed(body)) return 'a message that was not compressed'
  if (!isText(body)) return undefined
  return /^\s*[{[]/.test(String.fromCharCode(...body.subarray(0, TEXT_PROBE)))
    ? 'JSON'
    : 'plain text'
}

/**
 * How the messages begin: with `22 00 22`, the first two symbols of a 2.0 Request; with `0a len 0a len 0a`, the tags of WriteRequest.timeseries,
 * TimeSeries.labels and Label.name, or of OTLP's resource_metrics, resource and attributes; or with `0a len 0a len 12`, where there are no
 * attributes but scope_metrics.
 */
function isUncompressed(body: Uint8Array): boolean {
  if (body[0] === 0x22 && body[1] === 0 && body[2] === 0x22) return true
  let i = 0
  for (let level = 0; level < 2; level++) {
    if (body[i++] !== 0x0a) return false
    for (let digits = 1; (body[i] ?? 0) >= 0x80; digits++) {
      if (digits === 5) return false
      i++
    }
    i++
  }
  return body[i] === 0x0a || body[i] === 0x12
}

function isText(body: Uint8Array): boolean {
  const start = body.subarray(0, TEXT_PROBE)
  return (
    start.length >= 4 &&
    start.every((byte) => (byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d))
  )
}
