import { fromBinary } from '@bufbuild/protobuf'
import { WriteRequestSchema } from '../../src/wire/gen/prometheus_pb.js'
import { RequestSchema } from '../../src/wire/gen/prometheus-write-v2_pb.js'
import { readOtlp } from './read-otlp.ts'
import { takeOtlp } from './take-otlp.ts'
import type { Taking } from './take-points.ts'
import { takeRemoteWrite1 } from './take-remote-write1.ts'
import { takeRemoteWrite2 } from './take-remote-write2.ts'
import type { WriteKind } from './write-kind.ts'

/**
 * Reads a decoded body, checks all that is in it and stores its points. Returns how many metadata it has. What can't be read
 * is a finding too, and nothing of it is stored.
 */
export function takeRequest(kind: WriteKind, bytes: Uint8Array, taking: Taking): number {
  let take: () => number
  try {
    take = reader(kind, bytes, taking)
  } catch (error) {
    const what = kind.content === 'json' ? 'JSON of an OTLP request' : 'protobuf message'
    const why = error instanceof Error ? error.message : String(error)
    taking.findings.add('not_decoded', 'the body', `it is no ${what}: ${why}`)
    return 0
  }
  return take()
}

/** Reads the body; what comes back takes what was read. */
function reader({ protocol, content }: WriteKind, bytes: Uint8Array, taking: Taking): () => number {
  if (protocol === 'remotewrite1') {
    const message = fromBinary(WriteRequestSchema, bytes)
    return () => takeRemoteWrite1(message, taking)
  }
  if (protocol === 'remotewrite2') {
    const message = fromBinary(RequestSchema, bytes)
    return () => takeRemoteWrite2(message, taking)
  }
  const message = readOtlp(bytes, content, taking.findings)
  return () => {
    takeOtlp(message, taking)
    return 0
  }
}
