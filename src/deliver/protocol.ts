/** How a payload is made: which message of remote write it is, and what it is compressed with. */
export type Protocol = {
  readonly message: 1 | 2
  readonly compression: 'snappy' | 'zstd'
}

/** Remote write 1.0 in snappy: what every receiver reads, and what is sent when another one is refused. */
export const COMMON_PROTOCOL: Protocol = Object.freeze({ message: 1, compression: 'snappy' })

/** Whether there is nothing more common to fall back to. */
export function isCommon({ message, compression }: Protocol): boolean {
  return message === 1 && compression === 'snappy'
}

/**
 * The headers that tell a receiver what a body is (spec 1.2, 2.3, 6.3). Prometheus reads a type with a space after the
 * semicolon as 1.0, so there is none. zstd with message 1 is VictoriaMetrics' protocol, which has a version of its own.
 */
export function protocolHeaders({
  message,
  compression,
}: Protocol): readonly (readonly [name: string, value: string])[] {
  const encoding = ['Content-Encoding', compression] as const
  if (message === 2) {
    return [
      encoding,
      ['Content-Type', 'application/x-protobuf;proto=io.prometheus.write.v2.Request'],
      ['X-Prometheus-Remote-Write-Version', '2.0.0'],
    ]
  }
  return [
    encoding,
    ['Content-Type', 'application/x-protobuf'],
    compression === 'zstd'
      ? ['X-VictoriaMetrics-Remote-Write-Version', '1']
      : ['X-Prometheus-Remote-Write-Version', '0.1.0'],
  ]
}
