import { expect, it } from 'vitest'
import { metrics, renderMetrics } from '../../src/telemetry/metrics.ts'

const families = Object.values(metrics)

it('names are unique, of Prometheus’ style, and say their unit and type', () => {
  expect(new Set(families.map(({ name }) => name)).size).toBe(families.length)
  for (const { name, type } of families) {
    expect(name).toMatch(/^sluice(_[a-z]+)+$/)
    expect(name.endsWith('_total'), name).toBe(type === 'counter')
  }
})

it('every metric has a sentence of help and labels of Prometheus’ style', () => {
  for (const { name, help, labels } of families) {
    expect(help, name).toMatch(/^[A-Z].*\.$/)
    for (const label of labels) expect(label, name).toMatch(/^[a-z]+$/)
  }
})

it('metrics without labels are there from the start', () => {
  const text = renderMetrics()
  for (const { name, labels } of families) {
    expect(text.includes(`\n${name} 0\n`), name).toBe(labels.length === 0)
  }
})

it('what is counted is shown', () => {
  const samples = metrics.delivered.with('mimir', 'samples')
  samples.add(2)
  samples.add()
  metrics.buildInfo.with('1.2.3').set(1)
  const text = renderMetrics()
  expect(text).toContain('sluice_delivered_items_total{origin="mimir",kind="samples"} 3\n')
  expect(text).toContain('sluice_build_info{version="1.2.3"} 1\n')
})
