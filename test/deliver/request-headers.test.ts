import { expect, test } from 'vitest'
import { COMMON_PROTOCOL } from '../../src/deliver/protocol.ts'
import { requestHeaders } from '../../src/deliver/request-headers.ts'
import { originConfig, V2, ZSTD } from './fixtures.ts'

function made(
  headers: [string, string][],
  tenant = 'prod',
  authorization?: string,
  protocol = COMMON_PROTOCOL,
) {
  const facts = { tenant, version: '1.2.3', authorization, protocol }
  return requestHeaders(originConfig({ headers }), facts)
}

test('the required headers of remote write 1.0 are there', () => {
  expect(Object.fromEntries(made([], 'prod', 'Bearer x').headers!)).toEqual({
    authorization: 'Bearer x',
    'content-encoding': 'snappy',
    'content-type': 'application/x-protobuf',
    'user-agent': 'Sluice/1.2.3',
    'x-prometheus-remote-write-version': '0.1.0',
  })
})

test('those of remote write 2.0 name its message, without a space', () => {
  expect(Object.fromEntries(made([], 'prod', undefined, V2).headers!)).toEqual({
    'content-encoding': 'snappy',
    'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
    'user-agent': 'Sluice/1.2.3',
    'x-prometheus-remote-write-version': '2.0.0',
  })
})

test('those of VictoriaMetrics’ protocol have its version, and not Prometheus’', () => {
  expect(Object.fromEntries(made([], 'prod', undefined, ZSTD).headers!)).toEqual({
    'content-encoding': 'zstd',
    'content-type': 'application/x-protobuf',
    'user-agent': 'Sluice/1.2.3',
    'x-victoriametrics-remote-write-version': '1',
  })
})

test('custom headers go along, reserved ones keep their value', () => {
  const { headers } = made([
    ['X-Env', 'edge'],
    ['content-TYPE', 'text/plain'],
  ])
  expect(headers!.get('x-env')).toBe('edge')
  expect(headers!.get('content-type')).toBe('application/x-protobuf')
})

test('the tenant is filled in wherever it is named', () => {
  const { headers } = made([['X-Scope-OrgID', 'a-{tenant}-{tenant}']], 'prod')
  expect(headers!.get('x-scope-orgid')).toBe('a-prod-prod')
})

test('a tenant that looks like a replacement pattern means itself', () => {
  const { headers } = made([['X-Scope-OrgID', '{tenant}']], "$&$'$1{tenant}")
  expect(headers!.get('x-scope-orgid')).toBe("$&$'$1{tenant}")
})

test.each([
  'a\r\nX-Scope-OrgID: other',
  'a\nb',
  'a\0b',
  'a\tb',
  ' a',
  'a ',
  'größe',
  '日本',
  'a\u2028b',
])('a tenant %j is a problem, never altered', (tenant) => {
  const { headers, problem } = made([['X-Scope-OrgID', '{tenant}']], tenant)
  expect(headers).toBeUndefined()
  expect(problem).toBe("the tenant has characters that header X-Scope-OrgID can't hold")
})

test('any tenant will do where no header names it', () => {
  expect(made([['X-Env', 'edge']], 'a\r\nb').problem).toBeUndefined()
})

test('a value that is not legal is a problem that does not quote it', () => {
  expect(made([['X-Key', 'sec\r\nret']]).problem).toBe('the value of header X-Key is not legal')
  expect(made([], 'prod', 'Bearer sec\nret').problem).toBe(
    'the value of header Authorization is not legal',
  )
})
