import { describe, expect, it } from 'vitest'
import { hostAndPort, isLoopback, localUrl, publicUrl } from '../../scripts/listen-address.ts'

describe('isLoopback', () => {
  it.each(['127.0.0.1', '127.255.0.9', '::1', 'localhost'])('%s is', (host) => {
    expect(isLoopback(host)).toBe(true)
  })

  it.each([
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '128.0.0.1',
    '127.evil.example',
    '127.1',
    'localhost.example',
    '',
    '::ffff:10.0.0.1',
  ])('%j is not', (host) => {
    expect(isLoopback(host)).toBe(false)
  })
})

it.each([
  ['127.0.0.1', '127.0.0.1:80'],
  ['localhost', '127.0.0.1:80'],
  ['::1', '[::1]:80'],
  ['edge.example', 'edge.example:80'],
])('%s and a port are %s', (host, want) => {
  expect(hostAndPort(host, 80)).toBe(want)
})

it.each([
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://[::1]:80'],
  ['10.0.0.1', 'http://10.0.0.1:80'],
])('this machine reaches %s at %s', (host, want) => {
  expect(localUrl(host, 80)).toBe(want)
})

it('others reach a wildcard at an address of this machine, and a host at its own', () => {
  expect(publicUrl('0.0.0.0', 80)).toMatch(/^http:\/\/[0-9.]+:80$/)
  expect(publicUrl('127.0.0.1', 80)).toBe('http://127.0.0.1:80')
})
