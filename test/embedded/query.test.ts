import { expect, it } from 'vitest'
import { parseSeriesQuery } from '../../src/embedded/query.ts'

const parse = (query: string) => parseSeriesQuery(new URLSearchParams(query))

it.each([
  ['', { name: '', limit: 200 }],
  ['name=&limit=', { name: '', limit: 200 }],
  ['name=+http_+&limit=7', { name: 'http_', limit: 7 }],
  ['limit=1000', { name: '', limit: 1000 }],
])('%j is taken', (query, want) => {
  expect(parse(query)).toEqual(want)
})

it.each([
  ['limit=0', 'limit'],
  ['limit=1001', 'limit'],
  ['limit=-1', 'limit'],
  ['limit=1e3', 'limit'],
  ['limit=0x10', 'limit'],
  ['limit=99999999999999999999', 'limit'],
  [`name=${'x'.repeat(201)}`, 'name'],
])('%j is refused', (query, about) => {
  expect(parse(query)).toMatch(new RegExp(`^${about} is `))
})
