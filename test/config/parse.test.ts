import { expect, test } from 'vitest'
import { defaultOtlp } from '../../src/config/otlp.ts'
import { parseConfig } from '../../src/config/parse.ts'
import { configOf, problemsOf, withOrigin } from './problems-of.ts'

const minimal = 'remote_write: [{ url: https://origin.example/write }]\nsluice: { auth: none }\n'

test('every default is applied', () => {
  expect(configOf(minimal)).toEqual({
    externalLabels: [],
    origins: [
      {
        name: 'origin.example/write',
        url: 'https://origin.example/write',
        shownUrl: 'https://origin.example/write',
        headers: [],
        timeout: 30_000,
        writeRelabelConfigs: [],
        maxSamplesPerSend: 2000,
        maxBytesPerSend: 3 << 20,
        minBackoff: 30,
        maxBackoff: 5000,
        message: 1,
        compression: 'snappy',
        customBuckets: 'expand',
        sendExemplars: true,
        sendNativeHistograms: true,
        sendMetadata: true,
        onFailure: 'reject',
        onMisconfigured: 'retry',
      },
    ],
    auth: 'none',
    ingressRules: [],
    deadline: 8000,
    limits: {
      body: 8 << 20,
      decoded: 16 << 20,
      series: 100_000,
      labels: 64,
      labelName: 1024,
      labelValue: 16_384,
      future: 600_000,
      subrequests: 50,
    },
    otlp: defaultOtlp,
  })
})

const full = `
global:
  external_labels: { edge: fra, cluster: "\${CLUSTER}" }
remote_write:
  - name: mimir
    url: https://mimir.example/api/v1/push
    headers: { X-Scope-OrgID: "{tenant}" }
    basic_auth: { username: sluice, password: "\${MIMIR_PASSWORD}" }
    remote_timeout: 20s
    write_relabel_configs:
      - { source_labels: [__name__], regex: "go_.*", action: drop }
    queue_config: { max_samples_per_send: 500, min_backoff: 10ms, max_backoff: 1s }
    metadata_config: { send: false }
    send_exemplars: false
    send_native_histograms: false
    protobuf_message: prometheus.WriteRequest
    compression: zstd
    native_histograms_with_custom_buckets: drop
    follow_redirects: true
    on_failure: ignore
    on_misconfigured: reject
    max_bytes_per_send: 1MB
  - url: sluice://embedded
otlp: { translation_strategy: UnderscoreEscapingWithoutSuffixes, promote_resource_attributes: [k8s.pod.name], delta: drop }
sluice:
  auth:
    - { bearer: "\${AGENT_TOKEN}", tenant: prod }
    - { username: edge, password: "\${AGENT_PASSWORD}", tenant: edge }
  relabel_configs: [{ regex: pod, action: labeldrop }]
  deadline: 5s
  limits: { body: 1MB, decoded: 4MB, series: 10, labels: 20, label_name: 30, label_value: 40, future: 1m, subrequests: 60 }
`
const bindings = { CLUSTER: 'c1', MIMIR_PASSWORD: 'mp', AGENT_TOKEN: 'at', AGENT_PASSWORD: 'ap' }

test('every key is read', () => {
  const rule = { separator: ';', modulus: 0n, targetLabel: '', replacement: '$1' }
  expect(problemsOf(full, bindings)).toEqual([])
  expect(configOf(full, bindings)).toMatchObject({
    externalLabels: [
      ['cluster', 'c1'],
      ['edge', 'fra'],
    ],
    origins: [
      {
        name: 'mimir',
        url: 'https://mimir.example/api/v1/push',
        headers: [['X-Scope-OrgID', '{tenant}']],
        authorization: `Basic ${Buffer.from('sluice:mp').toString('base64')}`,
        timeout: 20_000,
        writeRelabelConfigs: [
          { ...rule, sourceLabels: ['__name__'], regex: 'go_.*', action: 'drop' },
        ],
        maxSamplesPerSend: 500,
        maxBytesPerSend: 1 << 20,
        minBackoff: 10,
        maxBackoff: 1000,
        message: 1,
        compression: 'zstd',
        customBuckets: 'drop',
        sendExemplars: false,
        sendNativeHistograms: false,
        sendMetadata: false,
        onFailure: 'ignore',
        onMisconfigured: 'reject',
      },
      { name: 'embedded', url: 'sluice://embedded' },
    ],
    auth: [
      { tenant: 'prod', bearer: 'at' },
      { tenant: 'edge', username: 'edge', password: 'ap' },
    ],
    ingressRules: [{ ...rule, sourceLabels: [], regex: 'pod', action: 'labeldrop' }],
    deadline: 5000,
    limits: {
      body: 1 << 20,
      decoded: 4 << 20,
      series: 10,
      labels: 20,
      labelName: 30,
      labelValue: 40,
      future: 60_000,
      subrequests: 60,
    },
    otlp: {
      ...defaultOtlp,
      translationStrategy: 'UnderscoreEscapingWithoutSuffixes',
      promoteResourceAttributes: ['k8s.pod.name'],
      delta: 'drop',
    },
  })
})

test('a config is frozen, all of it', () => {
  const frozen = (value: unknown): boolean =>
    typeof value !== 'object' ||
    value === null ||
    (Object.isFrozen(value) && Object.values(value).every(frozen))
  expect(frozen(configOf(full, bindings))).toBe(true)
})

test('every problem is told at once, with its place, in the order of the file', () => {
  const text = `globl: {}
global:
  external_labels: { "": x }
remote_write:
  - url: ftp://origin.example
    remote_timeout: soon
    queue_config:
      max_backoff: 1ms
      capacity: 5
  - name: second
    write_relabel_configs: [{ action: dropp }]
sluice:
  deadline: 8
`
  const starts = [
    '1:1 error globl: unknown key: did you mean global?',
    '3:22 error global.external_labels: "" is not a valid label name',
    '5:10 error remote_write[0].url: wanted an http:// or https:// url',
    '6:21 error remote_write[0].remote_timeout: wanted a duration',
    '8:20 error remote_write[0].queue_config.max_backoff: max_backoff must not',
    '9:17 warning remote_write[0].queue_config.capacity: ignored',
    '10:5 error remote_write[1]: url is missing',
    '11:39 error remote_write[1].write_relabel_configs[0].action: relabel: unknown',
    '13:3 error sluice.auth: who may push is not said',
    '13:13 error sluice.deadline: wanted a duration',
  ]
  const problems = problemsOf(text)
  expect(problems.map((problem, i) => problem.slice(0, starts[i]?.length))).toEqual(starts)
  expect(parseConfig(text, {}).config).toBeUndefined()
})

test.each([
  ['remote_write', 'sluice: { auth: none }'],
  ['remote_write', 'sluice: { auth: none }\nremote_write: []'],
  ['remote_write', 'sluice: { auth: none }\nremote_write:'],
])('without %s the error says what to write', (path, text) => {
  expect(problemsOf(text)).toEqual([
    expect.stringMatching(`^\\d+:\\d+ error ${path}: at least one origin is needed, such as `),
  ])
})

test.each([
  ['scrape_configs: [{ job_name: x }]', 'Sluice does not scrape'],
  ['scrape_config_files: [x]', 'Sluice does not scrape'],
  ['rule_files: [x]', 'no rules'],
  ['alerting: { alertmanagers: [] }', 'no alerts'],
  ['storage: { tsdb: {} }', 'stores nothing'],
  ['tracing: { endpoint: x }', 'sends no traces'],
  ['remote_read: [{ url: x }]', 'answers no queries'],
  ['runtime: { gogc: 50 }', 'Go runtime'],
])('%s is accepted with a warning', (key, message) => {
  expect(problemsOf(minimal + key)).toEqual([
    expect.stringMatching(`^3:\\d+ warning ${key.split(':')[0]}: ignored: .*${message}`),
  ])
  expect(parseConfig(minimal + key, {}).config).toBeDefined()
})

test('a key without a value counts as not written', () => {
  expect(problemsOf(`${minimal}global:\notlp:\nscrape_configs: ~`)).toEqual([])
})

test.each([
  ['unknown: 1', '3:1 error unknown: unknown key'],
  ['remotewrite: 1', '3:1 error remotewrite: unknown key: did you mean remote_write?'],
  ['scrape_config: 1', '3:1 error scrape_config: unknown key: did you mean scrape_configs?'],
  ['remote_write: 1', '3:1 error remote_write: this key is written twice'],
  ['global: 1', '3:9 error global: wanted a mapping, found a number'],
  ['global: []', '3:9 error global: wanted a mapping, found a list'],
  ['? { a: 1 }\n: 1', '3:3 error : a key must be a plain word'],
  ['"two words": 1', '3:1 error : unknown key'],
])('%s is refused', (line, problem) => {
  expect(problemsOf(minimal + line)).toEqual([problem])
})

test('of too many problems the first 100 errors are told, and how many more there are', () => {
  const keys = Array.from({ length: 150 }, (_, i) => `nonsense_${i}: 1`).join('\n')
  const problems = problemsOf(withOrigin(`enable_http2: true\n${keys}`))
  expect(problems).toHaveLength(101)
  expect(problems.at(-1)).toBe('0:0 error : and 51 more problems')
  expect(problems.filter((problem) => problem.includes('warning'))).toEqual([])
})

test('bindings that are inherited are not bindings', () => {
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    expect(problemsOf(withOrigin(`bearer_token: "\${${name}}"`))).toEqual([
      expect.stringContaining(`there is no binding ${name}:`),
    ])
  }
})

test('bindings can be left out of a check', () => {
  const text = full.replace('https://mimir.example/', `https://\${HOST}:\${PORT}/`)
  expect(problemsOf(text, {}, { ignoreBindings: true })).toEqual([])
  expect(problemsOf(text, {}).length).toBe(6)
})
