import type { Protocol } from '../../src/batch/protocol.ts'

/** The headers of a request with a compressed body: OTLP in gzip, remote write in snappy. */
export const protocolHeaders: Readonly<Record<Protocol, Readonly<Record<string, string>>>> = {
  remotewrite1: {
    'content-type': 'application/x-protobuf',
    'content-encoding': 'snappy',
    'x-prometheus-remote-write-version': '0.1.0',
  },
  remotewrite2: {
    'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
    'content-encoding': 'snappy',
    'x-prometheus-remote-write-version': '2.0.0',
  },
  otlp: { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' },
}
