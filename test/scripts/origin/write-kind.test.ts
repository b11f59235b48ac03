import { expect, test } from 'vitest'
import { createFindings } from '../../../scripts/origin/problems.ts'
import { checkHeaders, type WriteKind, writeKind } from '../../../scripts/origin/write-kind.ts'

const PROTOBUF = 'application/x-protobuf'
const TYPE2 = `${PROTOBUF};proto=io.prometheus.write.v2.Request`

test.each<[string, string, string, string]>([
  ['/api/v1/write', PROTOBUF, '', 'remotewrite1 protobuf identity'],
  ['/any', `${PROTOBUF}; proto=prometheus.WriteRequest`, 'snappy', 'remotewrite1 protobuf snappy'],
  ['/any', TYPE2, 'ZSTD', 'remotewrite2 protobuf zstd'],
  [
    '/any',
    `${PROTOBUF}; proto="io.prometheus.write.v2.Request"`,
    'gzip',
    'remotewrite2 protobuf gzip',
  ],
  ['/v1/metrics', PROTOBUF, 'gzip', 'otlp protobuf gzip'],
  ['/otlp/v1/metrics', PROTOBUF, 'deflate', 'otlp protobuf deflate'],
  ['/any', 'application/json; charset=utf-8', '', 'otlp json identity'],
])('%s with type %s and encoding %j is %s', (path, type, encoding, wanted) => {
  const kind = writeKind(path, { 'content-type': type, 'content-encoding': encoding }) as WriteKind
  expect(`${kind.protocol} ${kind.content} ${kind.encoding}`).toBe(wanted)
})

const GOOD = { 'user-agent': 'x', 'x-prometheus-remote-write-version': '0.1.0' }

test.each<[WriteKind['protocol'], WriteKind['encoding'], Record<string, string>, string[]]>([
  ['remotewrite1', 'snappy', GOOD, []],
  ['remotewrite1', 'zstd', GOOD, []],
  [
    'remotewrite1',
    'zstd',
    { 'user-agent': 'x', 'x-victoriametrics-remote-write-version': '1' },
    [],
  ],
  ['remotewrite2', 'snappy', { ...GOOD, 'x-prometheus-remote-write-version': '2.0.0' }, []],
  ['otlp', 'gzip', {}, []],
  [
    'remotewrite1',
    'snappy',
    { 'user-agent': 'x' },
    ['X-Prometheus-Remote-Write-Version is missing'],
  ],
  [
    'remotewrite1',
    'zstd',
    { 'user-agent': 'x', 'x-victoriametrics-remote-write-version': '2' },
    ['X-Prometheus-Remote-Write-Version is missing'],
  ],
  [
    'remotewrite1',
    'snappy',
    { 'x-prometheus-remote-write-version': '0.1.0' },
    ['User-Agent is missing'],
  ],
  ['remotewrite2', 'snappy', GOOD, ['X-Prometheus-Remote-Write-Version is "0.1.0", not 2.0.0']],
])('%s with %s and the headers %j: %j', (protocol, encoding, headers, wanted) => {
  const findings = createFindings(1, new Set())
  checkHeaders({ protocol, content: 'protobuf', encoding }, headers, findings)
  expect(findings.listed.map(({ message }) => message)).toEqual(wanted)
})
