import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { describeConfig } from '../../src/config/describe.ts'
import { configOf, problemsOf, withOrigin } from './problems-of.ts'

const text = `
global: { external_labels: { edge: fra, cost: 5$$ } }
remote_write:
  - name: mimir
    url: https://\${HOST}/\${PATH}/push?token=abc
    headers: { X-Scope-OrgID: "{tenant}", X-Key: "\${KEY}", X-Plain: plain }
    basic_auth: { username: sluice, password: "\${PASSWORD}" }
    write_relabel_configs:
      - { source_labels: [pod], action: hashmod, modulus: 18446744073709551615, target_label: s }
      - { source_labels: [a], target_label: b, action: keepequal }
      - { regex: "a|b", action: labeldrop }
  - url: https://h/
    bearer_token: t0ken
  - url: https://h/
    authorization: { type: Api-Key, credentials: k3y }
  - url: https://apikey@h/
  - { name: second, url: https://h2/, protobuf_message: io.prometheus.write.v2.Request }
  - { name: vm, url: https://vm/, compression: zstd, convert_nhcb_to_classic: false }
otlp:
  translation_strategy: NoTranslation
  promote_all_resource_attributes: true
  ignore_resource_attributes: [" process.pid "]
  label_name_preserve_multiple_underscores: false
  exemplar_max_length: 64
sluice:
  auth: [{ bearer: b3arer, tenant: t }, { username: edge, password: "\${PASSWORD}", tenant: u }]
  relabel_configs: [{ source_labels: [x], regex: y, action: drop }]
  limits: { label_name: 1000, future: 90s }
`
const bindings = { HOST: 'h0st', PATH: 'p4th', KEY: 'k33', PASSWORD: 'passw0rd' }
const described = describeConfig(configOf(text, bindings))

test('a config is described in the words it was written with, defaults added and secrets masked', () => {
  expect(parse(described, { intAsBigInt: false })).toMatchObject({
    global: { external_labels: { edge: 'fra', cost: '5$' } },
    remote_write: [
      {
        name: 'mimir',
        url: `https://\${HOST}/\${PATH}/push?token=<secret>`,
        headers: { 'X-Scope-OrgID': '{tenant}', 'X-Key': '<secret>', 'X-Plain': '<secret>' },
        basic_auth: { username: 'sluice', password: '<secret>' },
        remote_timeout: '30s',
        write_relabel_configs: [
          { source_labels: ['pod'], separator: ';', regex: '(.*)', action: 'hashmod' },
          { source_labels: ['a'], target_label: 'b', action: 'keepequal' },
          { regex: 'a|b', action: 'labeldrop' },
        ],
        queue_config: { max_samples_per_send: 2000, min_backoff: '30ms', max_backoff: '5s' },
        metadata_config: { send: true },
        protobuf_message: 'prometheus.WriteRequest',
        compression: 'snappy',
        native_histograms_with_custom_buckets: 'expand',
        send_exemplars: true,
        send_native_histograms: true,
        on_failure: 'reject',
        on_misconfigured: 'retry',
        max_bytes_per_send: '3MB',
      },
      { name: 'h/', authorization: { type: 'Bearer', credentials: '<secret>' } },
      { name: 'h/#2', authorization: { type: 'Api-Key', credentials: '<secret>' } },
      { name: 'h/#3', url: 'https://h/', basic_auth: { username: '<secret>' } },
      { name: 'second', protobuf_message: 'io.prometheus.write.v2.Request' },
      { name: 'vm', compression: 'zstd', native_histograms_with_custom_buckets: 'drop' },
    ],
    otlp: {
      translation_strategy: 'NoTranslation',
      promote_resource_attributes: [],
      promote_all_resource_attributes: true,
      ignore_resource_attributes: ['process.pid'],
      keep_identifying_resource_attributes: false,
      convert_histograms_to_nhcb: false,
      promote_scope_metadata: false,
      label_name_underscore_sanitization: true,
      label_name_preserve_multiple_underscores: false,
      target_info: true,
      exemplar_max_length: 64,
      delta: 'reject',
      dedupe_joined_values: false,
    },
    sluice: {
      auth: [
        { bearer: '<secret>', tenant: 't' },
        { username: 'edge', password: '<secret>', tenant: 'u' },
      ],
      relabel_configs: [{ source_labels: ['x'], regex: 'y', action: 'drop' }],
      deadline: '8s',
      limits: { body: '8MB', decoded: '16MB', label_name: '1000B', future: '1m30s' },
    },
  })
  expect(described).toContain('modulus: 18446744073709551615')
})

test('no secret is in it', () => {
  for (const secret of [
    'p4th',
    'h0st',
    'abc',
    'k33',
    'passw0rd',
    't0ken',
    'k3y',
    'apikey',
    'b3arer',
  ]) {
    expect(described).not.toContain(secret)
  }
})

test('a description is a config itself', () => {
  expect(problemsOf(described, bindings).filter((problem) => / error /.test(problem))).toEqual([])
  const again = configOf(described, bindings)
  expect(describeConfig(again)).toBe(described)
})

test('an open config says so, and labels that are not there are left out', () => {
  const plain = parse(describeConfig(configOf(withOrigin(''))))
  expect(plain.sluice.auth).toBe('none')
  expect(Object.keys(plain)).toEqual(['remote_write', 'otlp', 'sluice'])
  expect(Object.keys(plain.remote_write[0])).not.toContain('headers')
})
