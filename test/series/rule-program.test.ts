import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import { requestBodies } from '../../scripts/bench/shape.ts'
import { SeriesTable } from '../../src/series/series-table.ts'
import { Workspace } from '../../src/workspace.ts'
import { config, NOW, Sluice } from '../batch/harness.ts'
import { label, message, sample, series } from '../batch/message.ts'
import { kernelModule } from '../kernel/load.ts'
import { seeded } from '../kernel/raw.ts'

// Rules that the kernel runs itself make what the host makes of them: the host's way is that of test/relabel, which is held against Prometheus' own.

/** A proxy whose kernel runs the rules, or leaves them all to the host. */
class Ruled extends Sluice {
  override readonly workspace: Workspace

  constructor(text: string, inKernel: boolean, table?: number) {
    super(config(text))
    this.workspace = new Workspace(kernelModule, table === undefined ? {} : { table })
    this.workspace.enter(this.config, ({ kernel }) => {
      if (!inKernel) kernel.setRules(undefined)
    })
  }
}

interface Rules {
  readonly ingress?: readonly object[]
  readonly external?: Readonly<Record<string, string>>
  readonly origins: readonly (readonly object[])[]
}

function yaml({ ingress = [], external = {}, origins }: Rules): string {
  return stringify({
    global: { external_labels: external },
    remote_write: origins.map((rules, i) => ({
      name: `o${i}`,
      url: `http://o${i}.test/`,
      write_relabel_configs: rules,
    })),
    sluice: { auth: 'none', relabel_configs: ingress },
  })
}

/** What comes of each body: what goes out, byte for byte, and the sums. */
function outcomes(proxy: Ruled, bodies: readonly Uint8Array[]) {
  return bodies.map((body) => {
    const { raw, batch } = proxy.run(body)
    const { received, dropped, rejected, refusals, cargos, series, missed } = batch
    return {
      // Where a table turns over is not the same: what a rule makes on its way takes room, too.
      raw: raw.map((pieces) => Buffer.concat(pieces).toString('latin1')),
      sums: { received, dropped, rejected, refusals, series, missed },
      cargos: cargos.map(({ dropped, superseded }) => ({ dropped, superseded })),
    }
  })
}

const misses = vi.spyOn(SeriesTable.prototype, 'miss')
afterEach(() => misses.mockClear())

/** Holds that both ways make the same of the bodies. Returns how often the host was asked where the kernel runs rules. */
function expectSame(rules: Rules, bodies: readonly Uint8Array[], table?: number): number {
  const text = yaml(rules)
  const here = outcomes(new Ruled(text, true, table), bodies)
  const asked = misses.mock.calls.length
  expect(here).toEqual(outcomes(new Ruled(text, false, table), bodies))
  return asked
}

type Label = readonly [string, string]

function body(all: readonly (readonly Label[])[]): Uint8Array {
  return message(
    ...all.map((labels, i) =>
      series(...labels.map(([name, value]) => label(name, value)), sample(i + 1, NOW)),
    ),
  )
}

const one = (...labels: Label[]) => body([[['__name__', 'up'], ...labels]])

describe('a series that is new goes through rules', () => {
  const long = 'v'.repeat(200)
  const cases: readonly (readonly [string, object, readonly Label[]])[] = [
    ['keep', { source_labels: ['a'], regex: 'x', action: 'keep' }, [['a', 'x']]],
    ['keep of another', { source_labels: ['a'], regex: 'x', action: 'keep' }, [['a', 'xy']]],
    ['drop of what is absent', { source_labels: ['b'], regex: '', action: 'drop' }, [['a', 'x']]],
    [
      'drop by an engine',
      { source_labels: ['a'], regex: '[a-x]{1}', action: 'drop' },
      [['a', 'x']],
    ],
    ['no source', { regex: '.+', action: 'drop' }, [['a', 'x']]],
    [
      'replace by groups',
      { source_labels: ['a'], regex: '(.+):(.*)', target_label: 't', replacement: '$2-$1' },
      [['a', 'h:1:2']],
    ],
    [
      'replace lazily',
      { source_labels: ['a'], regex: '(.*?):(.*)', target_label: 't', replacement: '$2-$1' },
      [['a', 'h:1:2']],
    ],
    [
      'replace by what is not a character',
      { source_labels: ['a'], regex: '([^:]+):.*', target_label: 't' },
      [['a', 'h:1:2']],
    ],
    [
      'replace of an empty group',
      { source_labels: ['a'], regex: '(.*)', target_label: 'a', replacement: '$2' },
      [['a', 'x']],
    ],
    [
      'replace with text',
      { source_labels: ['a'], regex: 'x|y', target_label: 'zz', replacement: 'é$$' },
      [['a', 'y']],
    ],
    [
      'replace by an engine',
      { source_labels: ['a'], regex: '(x)+(y?)', target_label: 't', replacement: '$1$2' },
      [['a', 'xxy']],
    ],
    [
      'replace by an engine with nothing',
      { source_labels: ['a'], regex: '(x)+(y?)', target_label: 'a', replacement: '$2' },
      [['a', 'xx']],
    ],
    [
      'a removed name',
      { source_labels: ['a'], regex: 'x', target_label: '__name__', replacement: '' },
      [['a', 'x']],
    ],
    ['a target that is no name', { source_labels: ['a'], target_label: '${1}' }, [['a', 'x']]],
    [
      'values that are joined',
      { source_labels: ['a', 'b', 'c'], separator: '::', target_label: 't' },
      [
        ['a', 'x'],
        ['c', 'z'],
      ],
    ],
    [
      'a value that gets long',
      { source_labels: ['a', 'a', 'a'], target_label: 't' },
      [['a', 'x'.repeat(60)]],
    ],
    ['a long value', { source_labels: ['a'], target_label: 't' }, [['a', long]]],
    [
      'hashmod',
      { source_labels: ['a', 'b'], modulus: 1000, target_label: 't', action: 'hashmod' },
      [['a', 'x']],
    ],
    [
      'hashmod by a large number',
      {
        source_labels: ['a'],
        modulus: '18446744073709551615',
        target_label: 't',
        action: 'hashmod',
      },
      [['a', 'x']],
    ],
    [
      'hashmod of what is absent',
      { source_labels: ['b'], modulus: 7, target_label: 't', action: 'hashmod' },
      [['a', 'x']],
    ],
    [
      'lowercase',
      { source_labels: ['a'], target_label: 'a', action: 'lowercase' },
      [['a', 'XyZ[`{@']],
    ],
    [
      'uppercase',
      { source_labels: ['a'], target_label: 't', action: 'uppercase' },
      [['a', 'XyZ[`{@']],
    ],
    [
      'uppercase beyond ASCII',
      { source_labels: ['a'], target_label: 't', action: 'uppercase' },
      [['a', 'straße']],
    ],
    [
      'keepequal',
      { source_labels: ['a'], target_label: 'b', action: 'keepequal' },
      [
        ['a', 'x'],
        ['b', 'x'],
      ],
    ],
    [
      'dropequal of two that are absent',
      { source_labels: ['c'], target_label: 'd', action: 'dropequal' },
      [['a', 'x']],
    ],
    [
      'labeldrop',
      { regex: 'a|b.*', action: 'labeldrop' },
      [
        ['a', 'x'],
        ['bc', 'y'],
        ['c', 'z'],
      ],
    ],
    [
      'labelkeep without the name',
      { regex: 'a', action: 'labelkeep' },
      [
        ['a', 'x'],
        ['b', 'y'],
      ],
    ],
    [
      'labelmap',
      { regex: 'meta_(.+)', action: 'labelmap' },
      [
        ['a', 'x'],
        ['meta_q', 'y'],
      ],
    ],
    [
      'names of the same first letters',
      { source_labels: ['abcdefgh2'], target_label: 'abcdefgh1' },
      [
        ['abcdefgh', 'x'],
        ['abcdefgh1', 'y'],
        ['abcdefgh2', 'z'],
      ],
    ],
    [
      'an empty value',
      { source_labels: ['a'], target_label: 't' },
      [
        ['a', ''],
        ['b', 'x'],
      ],
    ],
    ['no UTF-8', { source_labels: ['a'], target_label: 't' }, [['a', '\ud800']]],
  ]
  test.each(cases)('%s', (_, rule, labels) => {
    // Again with another metric: what was found out is remembered.
    const bodies = [one(...labels), body([[['__name__', 'down'], ...labels]])]
    expectSame({ origins: [[rule]] }, bodies)
    expectSame({ origins: [[rule], []] }, bodies)
    expectSame({ ingress: [rule], origins: [[], [rule]] }, bodies)
    expectSame({ external: { a: 'ext', zone: 'eu' }, origins: [[rule]] }, bodies)
  })
})

test('the ten rules of the benchmark never need the host twice for one value', () => {
  const ten = parse(readFileSync(join(import.meta.dirname, '../peers/relabel.yaml'), 'utf8'))
  const bodies = [...requestBodies({ shape: 'pod-per-series', series: 4000 })].map(
    ({ bytes }) => new Uint8Array(bytes),
  )
  // `5..` needs an engine; there are nine statuses, and series without.
  expect(expectSame({ origins: [ten] }, bodies)).toBeLessThanOrEqual(10)
})

// Whatever the rules

const names = [
  'a',
  'b',
  'job',
  'instance',
  'abcdefg',
  'abcdefgh',
  'abcdefgi',
  '__tmp_x',
  'Zone',
  'x.y',
]
const values = [
  'x',
  'X',
  'xy',
  'h:9090',
  'h:1:2',
  ':',
  'a/b/c',
  'é',
  'v'.repeat(90),
  'w'.repeat(130),
  '5xx',
  '500',
  'team-a',
]
const regexes = [
  '(.*)',
  '',
  'x',
  'x|xy',
  'h.*',
  '(.+):(.+)',
  '(.*?):(.*)',
  '([^:]+):.*',
  '.*y',
  '.+',
  'a/(.*)/c',
  '5..',
  '(x)(y)?',
  '[A-Z]',
  'x*',
  '(?:x|y)+',
  'é.*',
]
const replacements = ['$1', '', 'new', '$1-$2', 'pre_$1', '${1}é', '$$', 'Q'.repeat(100)]
const targets = ['a', 'b', 'new', '__name__', '__tmp_y', 'abcdefgh', 'job', '$1', 'Zone']

function randomRule(random: (n: number) => number): object {
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!
  const sources = Array.from({ length: random(8) === 0 ? random(4) : 1 }, () =>
    pick([...names, '__name__']),
  )
  const rule = {
    source_labels: sources,
    ...(random(4) === 0 && { separator: pick(['', '/', ';;']) }),
  }
  switch (random(11)) {
    case 0:
      return { ...rule, regex: pick(regexes), action: 'drop' }
    case 1:
      return { ...rule, regex: `.*|${pick(regexes)}`, action: 'keep' }
    case 2:
      return {
        ...rule,
        modulus: pick([1, 8, 1000003]),
        target_label: pick(targets.slice(0, 6)),
        action: 'hashmod',
      }
    case 3:
      return {
        ...rule,
        target_label: pick(targets.slice(0, 6)),
        action: pick(['lowercase', 'uppercase']),
      }
    case 4:
      return { regex: pick(['__tmp_.*', 'b', 'abc.*', 'x.y']), action: 'labeldrop' }
    case 5:
      return {
        source_labels: sources,
        target_label: pick(targets.slice(0, 6)),
        action: pick(['keepequal', 'dropequal']),
      }
    case 6:
      return random(4) > 0
        ? { ...rule, target_label: pick(targets) }
        : { regex: pick(['__tmp_(.*)', 'abc(.+)']), action: 'labelmap' }
    default:
      return {
        ...rule,
        regex: pick(regexes),
        target_label: pick(targets),
        replacement: pick(replacements),
      }
  }
}

function randomBody(random: (n: number) => number): Uint8Array {
  const all = Array.from({ length: 60 }, () => {
    const own: Label[] = names
      .filter(() => random(2) === 0)
      .map((name) => [name, values[random(values.length)]!])
    if (random(30) > 0) own.push(['__name__', `m${random(9)}`])
    if (random(9) > 0) own.sort(([p], [q]) => (p < q ? -1 : 1))
    return own
  })
  return body(all as (readonly Label[])[])
}

describe('random series go through random rules', () => {
  test.each(Array.from({ length: 300 }, (_, i) => i))('seed %i', (seed) => {
    const random = seeded(seed)
    const rules = (most: number) => Array.from({ length: random(most) }, () => randomRule(random))
    const bodies = Array.from({ length: 4 }, () => randomBody(random))
    expectSame(
      {
        ingress: random(2) === 0 ? rules(4) : [],
        external: random(2) === 0 ? { job: 'ext', site: 'eu' } : {},
        origins: [rules(8), ...(random(2) === 0 ? [rules(5)] : [])],
      },
      bodies,
      // A table that turns over: pairs of one generation mean nothing in the next.
      seed % 3 === 0 ? 65_536 : undefined,
    )
  })
})
