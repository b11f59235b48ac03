import { expect, test } from 'vitest'
import { redirectTarget } from '../../src/deliver/redirect.ts'

function f(from: string, location: string | undefined, want: string | undefined, status = 307) {
  const headers: Record<string, string> = location === undefined ? {} : { location }
  expect(redirectTarget(new Response(null, { status, headers }), from)).toBe(want)
}

test('the same scheme, host and port are followed, however they are written', () => {
  f('https://a.example/push', '/v2/push', 'https://a.example/v2/push')
  f('https://a.example/push', 'https://A.example:443/x?y=1', 'https://a.example/x?y=1')
  f('http://a.example:9090/push', '//a.example:9090/x', 'http://a.example:9090/x', 308)
})

test('http may lead to https at the same host', () => {
  f('http://a.example/push', 'https://a.example/push', 'https://a.example/push')
  f('http://a.example:9090/push', 'https://a.example/push', 'https://a.example/push')
  f('http://a.example:9090/x', 'https://a.example:9090/x', 'https://a.example:9090/x')
})

test('another host, port or a weaker scheme is not followed', () => {
  f('https://a.example/push', 'https://b.example/push', undefined)
  f('https://a.example/push', 'https://a.example:8443/push', undefined)
  f('https://a.example/push', 'https://a.example.evil.example/push', undefined)
  f('https://a.example/push', 'http://a.example/push', undefined)
  f('http://a.example/push', 'https://a.example:8443/push', undefined)
  f('https://a.example/push', '//b.example/push', undefined)
  f('https://a.example/push', '/\\b.example/push', undefined)
})

test('what is no place to go is not followed', () => {
  f('https://a.example/push', undefined, undefined)
  f('https://a.example/push', 'https://', undefined)
  f('https://a.example/push', 'javascript:alert(1)', undefined)
  f('https://a.example/push', 'https://me:pw@a.example/push', undefined)
})

test('only 307 and 308 keep the body, so no other status is followed', () => {
  for (const status of [301, 302, 303, 304, 200, 400]) {
    f('https://a.example/push', '/other', undefined, status)
  }
})
