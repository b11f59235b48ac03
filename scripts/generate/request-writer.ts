import { VERSION } from '../../src/version.ts'
import { bodyEncoder, encodingsOf } from './encode-body.ts'
import type { MessageWriter } from './message-writer.ts'
import { otlpJson } from './otlp-json.ts'
import { otlpProtobuf } from './otlp-protobuf.ts'
import { remoteWrite1 } from './remote-write-1.ts'
import { remoteWrite2 } from './remote-write-2.ts'
import type { SeriesSet } from './series-set.ts'

/** What a request is. */
export type Protocol = 'remotewrite1' | 'remotewrite2' | 'otlp' | 'otlp-json'
/** How its body is compressed. */
export type Encoding = 'snappy' | 'zstd' | 'gzip' | 'none'

/** A request as bytes. */
export interface WrittenRequest {
  /** Lent until the next call of `write`. */
  readonly body: Uint8Array
  /** How long it was before it was compressed. */
  readonly rawBytes: number
}

/** Writes requests of one protocol. Owns its buffers: one at a time, a writer for each virtual user. */
export interface RequestWriter {
  /** Headers of every request: Content-Type, Content-Encoding, version, User-Agent; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Writes one request: one sample of each of the series [first, first + count), all with `timestamp` (milliseconds since 1970) and `value`, a whole number that is
   * not negative: a sequence number, and a histogram's count. `round` decides which series have been replaced. Body and object are lent until the next call.
   * Throws a RangeError on what is no whole number, negative or too large.
   */
  write(
    first: number,
    count: number,
    timestamp: number,
    value: number,
    round: number,
  ): WrittenRequest
}

/** What a writer writes. */
export interface RequestWriterOptions {
  readonly protocol: Protocol
  readonly encoding: Encoding
  readonly series: SeriesSet
  /** On every series besides its own: names and values as they are, no templates. */
  readonly extraLabels?: Readonly<Record<string, string>>
  /** Since when counters and histograms count, in milliseconds: OTLP says it when it is given. */
  readonly startTime?: number
}

/** The largest value: what comes of it in a histogram is still exact. */
export const LARGEST_VALUE = 2 ** 51
/** The latest time: OTLP's nanoseconds are still a signed integer of 64 bits, which is what receivers make of them. */
const LARGEST_TIME = Math.floor(2 ** 63 / 1_000_000)

/**
 * A writer of its own. Throws a clear Error on what no receiver takes, as snappy with OTLP, or what would not come back as it was sent, as OTLP names that
 * receivers change.
 */
export function requestWriter(options: RequestWriterOptions): RequestWriter {
  const { protocol, encoding } = options
  checkEncoding(protocol, encoding)
  const messages = messageWriter(options)
  const encode = bodyEncoder(encoding)
  const written: { body: Uint8Array; rawBytes: number } = { body: new Uint8Array(), rawBytes: 0 }
  return {
    headers: headersOf(protocol, encoding),
    write(first, count, timestamp, value, round) {
      if (!isWhole(value, LARGEST_VALUE)) {
        throw new RangeError(`a value is a whole number from 0 to 2^51, not ${value}`)
      }
      if (!isWhole(timestamp, LARGEST_TIME)) {
        throw new RangeError(`a time is whole milliseconds from 1970 to 2262, not ${timestamp}`)
      }
      if (!(isWhole(first) && isWhole(count) && isWhole(first + count) && isWhole(round))) {
        const given = `${count} series from ${first} on in round ${round}`
        throw new RangeError(`series and rounds are whole numbers from 0, not ${given}`)
      }
      const message = messages.write(first, count, timestamp, value, round)
      written.body = encode(message.written())
      written.rawBytes = message.length
      return written
    },
  }
}

/** The messages alone, as they are before they are compressed. Throws as requestWriter does. */
export function messageWriter(options: Omit<RequestWriterOptions, 'encoding'>): MessageWriter {
  const { protocol, series, extraLabels = {}, startTime } = options
  switch (protocol) {
    case 'remotewrite1':
      return remoteWrite1(series, extraLabels)
    case 'remotewrite2':
      return remoteWrite2(series, extraLabels)
    case 'otlp':
      return otlpProtobuf(series, extraLabels, startTime)
    case 'otlp-json':
      return otlpJson(series, extraLabels, startTime)
  }
}

function isWhole(value: number, most = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isInteger(value) && value >= 0 && value <= most
}

function checkEncoding(protocol: Protocol, encoding: Encoding): void {
  const possible = encodingsOf[protocol]
  if (possible.includes(encoding)) return
  const which = `${possible.slice(0, -1).join(', ')} or ${possible.at(-1)}`
  throw new Error(`${protocol} is not sent with the encoding ${encoding}, but with ${which}`)
}

const PROTOCOL_HEADERS: Readonly<Record<Protocol, Readonly<Record<string, string>>>> = {
  remotewrite1: {
    'content-type': 'application/x-protobuf',
    'x-prometheus-remote-write-version': '0.1.0',
  },
  remotewrite2: {
    'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
    'x-prometheus-remote-write-version': '2.0.0',
  },
  otlp: { 'content-type': 'application/x-protobuf' },
  'otlp-json': { 'content-type': 'application/json' },
}

function headersOf(protocol: Protocol, encoding: Encoding): Readonly<Record<string, string>> {
  return {
    ...PROTOCOL_HEADERS[protocol],
    ...(encoding === 'none' ? {} : { 'content-encoding': encoding }),
    'user-agent': `sluice-generate/${VERSION}`,
  }
}
