import type { Protocol } from './batch/protocol.ts'
import { decodeBody } from './compress/decode-body.ts'
import { decompress } from './compress/decompress.ts'
import { explainDecodeFailure } from './compress/magic.ts'
import type { Limits } from './config/types.ts'
import type { Kernel } from './kernel/kernel.ts'
import { protobufFromJson, type RejectedPoints } from './otlp/protobuf-from-json.ts'
import type { OtlpHeaders } from './receive/otlp-headers.ts'
import type { RemoteWriteHeaders } from './receive/remote-write-headers.ts'
import type { RequestError } from './wire/request-error.ts'

/** A request by its headers: what its body is, and how that comes into the kernel. */
export interface Ingress {
  readonly protocol: Protocol
  /** Declared bytes of the body; undefined when none were declared. */
  readonly length: number | undefined
  /**
   * Decodes the body, which stays the caller's, into the kernel. To be called inside of `use()`. Throws a RequestError.
   */
  load(kernel: Kernel, body: Uint8Array, limits: Limits): Loaded
  /** What to say where the message is corrupt: the body may be something else than its headers say. */
  explain(refusal: RequestError, body: Uint8Array): RequestError
}

/** A message in the kernel. */
export interface Loaded {
  /** Its length. */
  readonly n: number
  /** OTLP/JSON: what could not be made into it. */
  readonly rejected: readonly RejectedPoints[]
  /** OTLP/JSON: trace and span ids that were none. */
  readonly idsDropped: number
}

/** Remote write 1.0 and 2.0. */
export function remoteWriteIngress({ version, encoding, length }: RemoteWriteHeaders): Ingress {
  return {
    protocol: version === 2 ? 'remotewrite2' : 'remotewrite1',
    length,
    load: (kernel, body, limits) => whole(decompress(kernel, body, encoding, limits.decoded)),
    explain: (refusal) => refusal,
  }
}

/** OTLP/HTTP. */
export function otlpIngress({ content, encoding, length }: OtlpHeaders): Ingress {
  return {
    protocol: 'otlp',
    length,
    load(kernel, body, limits) {
      const message = decodeBody(body, encoding, limits.decoded)
      if (content === 'protobuf') return whole(kernel.load(message))
      const { message: made, rejected, idsDropped } = protobufFromJson(message, limits.decoded)
      return { n: kernel.load(made), rejected, idsDropped }
    },
    explain: (refusal, body) =>
      encoding === 'identity' ? explainDecodeFailure(refusal, body, 'identity') : refusal,
  }
}

function whole(n: number): Loaded {
  return { n, rejected: [], idsDropped: 0 }
}
