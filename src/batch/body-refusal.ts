import {
  E_CONTEXT,
  E_EXPANDS,
  E_PROTO,
  E_REFS,
  E_RUNS,
  E_SERIES,
  E_SYMBOLS,
  E_VERSION,
} from '../wire/layout.ts'
import { badRequest, type RequestError, tooLarge } from '../wire/request-error.ts'
import type { Protocol } from './protocol.ts'

const MESSAGES: Readonly<Record<Protocol, string>> = {
  remotewrite1: 'prometheus.WriteRequest',
  remotewrite2: 'io.prometheus.write.v2.Request',
  otlp: 'ExportMetricsServiceRequest',
}

/** Why a whole body is refused, by the kernel's code. A code that no walk returns is a bug. */
export function bodyRefusal(code: number, protocol: Protocol, maxSeries: number): RequestError {
  if (code === E_PROTO) {
    return badRequest('corrupt_protobuf', `the body is not a valid ${MESSAGES[protocol]}`)
  }
  if (code === E_SERIES) {
    return tooLarge('too_many_series', `the body has more than limits.series, ${maxSeries} series`)
  }
  if (code === E_RUNS) return tooLarge('too_many_runs', RUNS[protocol])
  if (code === E_VERSION) return badRequest('wrong_version', wrongVersion(protocol))
  if (code === E_REFS) {
    return badRequest(
      'bad_symbol_refs',
      'the body is not a valid io.prometheus.write.v2.Request: a reference leads out of the symbols, labels have an odd number of them, or the first symbol is not empty',
    )
  }
  if (code === E_SYMBOLS) {
    return tooLarge('too_many_symbols', 'the body has more symbols than are taken at once')
  }
  if (code === E_EXPANDS) {
    return tooLarge(
      'expands_too_far',
      'the labels of the body are many times as long as the body itself: send less at once',
    )
  }
  if (code === E_CONTEXT) {
    return tooLarge(
      'resource_too_large',
      'one resource or scope has too many or too long attributes',
    )
  }
  throw new Error(`BUG: resolve returned ${code}`)
}

const MANY_RUNS = 'one series changes too often between samples, histograms and exemplars'
const RUNS: Readonly<Record<Protocol, string>> = {
  remotewrite1: MANY_RUNS,
  remotewrite2: MANY_RUNS,
  otlp: 'one data point has more buckets or exemplars than are taken at once',
}

function wrongVersion(protocol: Protocol): string {
  return protocol === 'remotewrite1'
    ? 'the body is a remote write 2.0 message under a content type that says 1.0'
    : 'the body is a remote write 1.0 message under a content type that says 2.0'
}
