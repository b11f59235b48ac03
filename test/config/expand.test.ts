import { expect, test } from 'vitest'
import { configOf, originOf, problemsOf, withOrigin } from './problems-of.ts'

const bindings = { A: 'alpha', B_2: 'beta', EMPTY: '', NESTED: `\${A}`, TREE: {}, HALF: '\ud800' }

const header = (value: string) => `headers: { X: ${JSON.stringify(value)} }`
const label = (value: string) =>
  `${withOrigin('')}global: { external_labels: { x: ${JSON.stringify(value)} } }`

test.each([
  [`\${A}`, 'alpha'],
  [`<\${A}-\${B_2}>`, '<alpha-beta>'],
  [`$\${A}`, `\${A}`],
  [`$$\${A}`, `$\${A}`],
  ['$A $1 $$ $', '$A $1 $$ $'],
  ['{A} %A%', '{A} %A%'],
  [`\${NESTED}`, `\${A}`],
])('%j in a header becomes %j', (written, value) => {
  expect(originOf(header(written), bindings).headers).toEqual([['X', value]])
})

test.each([
  [`\${NO}`, 'there is no binding NO: set a secret or variable of that name'],
  [`\${EMPTY}`, 'the binding EMPTY is empty'],
  [`\${TREE}`, 'the binding TREE is not a string: it must be a secret or variable'],
  [`\${HALF}`, 'the binding HALF is not valid Unicode'],
  ['${A', `a binding is written \${NAME}, with letters, digits and _; a literal \${ is $\${`],
  [`\${}`, `a binding is written \${NAME}, with letters, digits and _; a literal \${ is $\${`],
  [`\${1}`, `a binding is written \${NAME}, with letters, digits and _; a literal \${ is $\${`],
  [`\${A-B}`, `a binding is written \${NAME}, with letters, digits and _; a literal \${ is $\${`],
  [`\${ A }`, `a binding is written \${NAME}, with letters, digits and _; a literal \${ is $\${`],
])('%j in a header is refused', (written, message) => {
  expect(problemsOf(withOrigin(header(written)), bindings)).toEqual([
    `3:19 error remote_write[0].headers.X: ${message}`,
  ])
})

test('each missing binding of a value is named', () => {
  expect(problemsOf(withOrigin(header(`\${NO}\${NOR}`)))).toEqual([
    expect.stringContaining('there is no binding NO:'),
    expect.stringContaining('there is no binding NOR:'),
  ])
})

test.each([
  [`\${A}`, 'alpha'],
  ['$A', 'alpha'],
  ['$A-$B_2.', 'alpha-beta.'],
  ['$$A', '$A'],
  [`$\${A}`, `\${A}`],
  ['5$', '5$'],
  ['a $ b', 'a $ b'],
  [`x\${EMPTY}`, 'x'],
  [`\${NESTED}`, `\${A}`],
])('%j as an external label becomes %j, as in Prometheus', (written, value) => {
  expect(configOf(label(written), bindings).externalLabels).toEqual([['x', value]])
})

test.each([
  ['$NO', 'there is no binding NO'],
  [`\${NO}`, 'there is no binding NO'],
  [`\${TREE}`, 'the binding TREE is not a string'],
  ['$1', 'a literal dollar sign is $$'],
  [`\${1}`, 'a literal dollar sign is $$'],
  ['${', 'a literal dollar sign is $$'],
  ['$*', 'a literal dollar sign is $$'],
])('%j as an external label is refused', (written, message) => {
  expect(problemsOf(label(written), bindings)).toEqual([
    expect.stringMatching(/^5:33 error global\.external_labels\.x: /),
  ])
  expect(problemsOf(label(written), bindings)[0]).toContain(message)
})

test.each([
  [`name: "\${A}"`, { name: `\${A}` }],
  [
    `write_relabel_configs: [{ target_label: "\${A}", replacement: "\${1}$A$$" }]`,
    { writeRelabelConfigs: [expect.objectContaining({ replacement: `\${1}$A$$` })] },
  ],
])('nothing is replaced in %s', (keys, origin) => {
  expect(originOf(keys, bindings)).toMatchObject(origin)
})

test('keys and other values stay as they are', () => {
  const problems = problemsOf(
    withOrigin(`remote_timeout: "\${A}"\nheaders: { "\${A}": x }`),
    bindings,
  )
  expect(problems).toEqual([
    expect.stringContaining(`found "\${A}"`),
    expect.stringContaining('no valid header name'),
  ])
})
