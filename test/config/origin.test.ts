import { expect, test } from 'vitest'
import { configOf, originOf, problemsOf, withOrigin } from './problems-of.ts'

test.each([
  ['enable_http2: true', 'enable_http2', 'the platform chooses the HTTP version'],
  ['round_robin_dns: true', 'round_robin_dns', 'the platform chooses the address'],
  ['failed_request_logging: true', 'failed_request_logging', 'by its own rules'],
  ['follow_redirects: false', 'follow_redirects', 'a 307 or 308 to the same host is followed once'],
  ['queue_config: { capacity: 1 }', 'queue_config.capacity', 'nothing is buffered'],
  ['queue_config: { max_shards: 5 }', 'queue_config.max_shards', 'what the platform allows'],
  ['queue_config: { min_shards: 5 }', 'queue_config.min_shards', 'what the platform allows'],
  [
    'queue_config: { batch_send_deadline: 1s }',
    'queue_config.batch_send_deadline',
    'nothing waits',
  ],
  ['queue_config: { retry_on_http_429: false }', 'queue_config.retry_on_http_429', 'as 503'],
  ['metadata_config: { send_interval: 5m }', 'metadata_config.send_interval', 'when it arrives'],
  [
    'metadata_config: { max_samples_per_send: 5 }',
    'metadata_config.max_samples_per_send',
    'as it arrives',
  ],
  ['tls_config: { min_version: TLS13 }', 'tls_config.min_version', 'the platform chooses the TLS'],
  ['tls_config: { max_version: TLS13 }', 'tls_config.max_version', 'the platform chooses the TLS'],
])('%s is accepted with a warning', (keys, path, message) => {
  expect(problemsOf(withOrigin(keys))).toEqual([
    expect.stringMatching(`^3:\\d+ warning remote_write\\[0\\]\\.${path}: ignored: .*${message}`),
  ])
  expect(originOf(keys)).toEqual(originOf(''))
})

test.each([
  ['oauth2: { client_id: x }', 'oauth2', 'oauth2 is not supported yet: .* refuse everything'],
  ['sigv4: { region: x }', 'sigv4', 'sigv4 is not supported yet'],
  ['azuread: { cloud: x }', 'azuread', 'azuread is not supported yet'],
  ['google_iam: { credentials_file: x }', 'google_iam', 'google_iam is not supported yet'],
  ['bearer_token_file: /x', 'bearer_token_file', 'there are no files at the edge'],
  ['proxy_url: http://proxy', 'proxy_url', 'through a proxy'],
  ['no_proxy: x', 'no_proxy', 'through a proxy'],
  ['proxy_from_environment: true', 'proxy_from_environment', 'through a proxy'],
  ['proxy_connect_header: { a: [b] }', 'proxy_connect_header', 'through a proxy'],
  ['queue_config: { sample_age_limit: 1h }', 'queue_config.sample_age_limit', 'not supported yet'],
  ['tls_config: { ca: x }', 'tls_config.ca', 'public authorities'],
  ['tls_config: { ca_file: x }', 'tls_config.ca_file', 'public authorities'],
  ['tls_config: { ca_ref: x }', 'tls_config.ca_ref', 'public authorities'],
  ['tls_config: { cert: x }', 'tls_config.cert', 'client certificates'],
  ['tls_config: { cert_file: x }', 'tls_config.cert_file', 'client certificates'],
  ['tls_config: { cert_ref: x }', 'tls_config.cert_ref', 'client certificates'],
  ['tls_config: { key: x }', 'tls_config.key', 'client certificates'],
  ['tls_config: { key_file: x }', 'tls_config.key_file', 'client certificates'],
  ['tls_config: { key_ref: x }', 'tls_config.key_ref', 'client certificates'],
  ['tls_config: { server_name: x }', 'tls_config.server_name', 'for the host in url'],
  [
    'tls_config: { insecure_skip_verify: true }',
    'tls_config.insecure_skip_verify',
    'always verified',
  ],
  ['protobuf_message: v2', 'protobuf_message', 'wanted prometheus.WriteRequest or'],
  ['on_failure: spool', 'on_failure', 'spool is not supported yet'],
  ['on_failure: drop', 'on_failure', 'wanted reject or ignore, found "drop"'],
  ['on_failure: [reject]', 'on_failure', 'wanted reject or ignore, found a list'],
  ['on_misconfigured: ignore', 'on_misconfigured', 'wanted retry or reject, found "ignore"'],
  ['remote_timeout: 0s', 'remote_timeout', 'wanted a duration .* more than 0, found "0s"'],
  ['remote_timeout: 30', 'remote_timeout', 'wanted a duration .* found "30"'],
  ['remote_timeout: {}', 'remote_timeout', 'wanted a duration .* found a mapping'],
  ['max_bytes_per_send: 17MB', 'max_bytes_per_send', 'wanted a size .* 1KB to 8MB, found "17MB"'],
  ['max_bytes_per_send: 1023', 'max_bytes_per_send', 'wanted a size .*, found "1023"'],
  ['max_bytes_per_send: 3mb', 'max_bytes_per_send', 'wanted a size .*, found "3mb"'],
  ['send_exemplars: maybe', 'send_exemplars', 'wanted true or false, found "maybe"'],
  ['send_native_histograms: 1', 'send_native_histograms', 'wanted true or false, found "1"'],
  ['metadata_config: { send: 0 }', 'metadata_config.send', 'wanted true or false, found "0"'],
  ['metadata_config: true', 'metadata_config', 'wanted a mapping, found a boolean'],
  ['metadata_config: { sent: true }', 'metadata_config.sent', 'unknown key: did you mean send\\?'],
  ['queue_config: []', 'queue_config', 'wanted a mapping, found a list'],
  ['queue_config: { max_sharts: 1 }', 'queue_config.max_sharts', 'did you mean max_shards\\?'],
  ['queue_config: { max_samples_per_send: 0 }', 'queue_config.max_samples_per_send', 'from 1 to'],
  ['queue_config: { max_samples_per_send: -1 }', 'queue_config.max_samples_per_send', 'from 1 to'],
  ['queue_config: { max_samples_per_send: 1.5 }', 'queue_config.max_samples_per_send', 'whole'],
  ['queue_config: { max_samples_per_send: 010 }', 'queue_config.max_samples_per_send', '"010"'],
  [
    'queue_config: { max_samples_per_send: 9999999999 }',
    'queue_config.max_samples_per_send',
    '1 to',
  ],
  ['queue_config: { min_backoff: 6s }', 'queue_config.min_backoff', 'must not be less'],
  ['queue_config: { max_backoff: 29ms }', 'queue_config.max_backoff', 'must not be less'],
  ['queue_config: { max_backoff: -1s }', 'queue_config.max_backoff', 'wanted a duration'],
  ['write_relabel_configs: {}', 'write_relabel_configs', 'wanted a list of relabel configs'],
  ['name: [a]', 'name', 'wanted a string, found a list'],
  ['name: "a\\nb"', 'name', 'wanted a name of at most 128 printable characters'],
  [`name: ${'x'.repeat(129)}`, 'name', 'wanted a name of at most 128'],
  ['name: "a\\u2028b"', 'name', 'wanted a name of at most 128 printable characters'],
  ['name: "a\\u0085b"', 'name', 'wanted a name of at most 128 printable characters'],
  ['name: "a\\u202eb"', 'name', 'wanted a name of at most 128 printable characters'],
  ['name: ingress', 'name', 'this is the stage before all origins'],
  ['headres: {}', 'headres', 'unknown key: did you mean headers\\?'],
  ['write_relabel_config: []', 'write_relabel_config', 'did you mean write_relabel_configs\\?'],
  ['foo: 1', 'foo', 'unknown key$'],
])('%s is refused', (keys, path, message) => {
  expect(problemsOf(withOrigin(keys))).toEqual([
    expect.stringMatching(`^3:\\d+ error remote_write\\[0\\]\\.${path}: .*${message}`),
  ])
})

test.each([
  ['capacity: 0', 'capacity'],
  ['max_shards: 0', 'max_shards'],
  ['min_shards: 0', 'min_shards'],
  ['min_shards: 51', 'min_shards'],
  ['batch_send_deadline: 5', 'batch_send_deadline'],
])('a value that Prometheus refuses is refused, even of an ignored key: %s', (keys, path) => {
  const errors = problemsOf(withOrigin(`queue_config: { ${keys} }`)).filter((p) =>
    / error /.test(p),
  )
  expect(errors).toEqual([expect.stringContaining(`queue_config.${path}: `)])
})

test.each([
  'tls_config: { insecure_skip_verify: false }',
  'proxy_from_environment: false',
  'proxy_url: ""',
  'no_proxy: ""',
  'compression: snappy',
  'native_histograms_with_custom_buckets: expand',
  'convert_nhcb_to_classic: yes',
  'convert_nhcb_to_classic:',
  'queue_config: { sample_age_limit: 0s, retry_on_http_429: true }',
  'follow_redirects: true',
  'oauth2:',
  'tls_config: {}',
  'send_exemplars: yes',
  'protobuf_message: prometheus.WriteRequest',
  'name: ""',
])('%s changes nothing, without a word', (keys) => {
  expect(problemsOf(withOrigin(keys))).toEqual([])
  expect(originOf(keys)).toEqual(originOf(''))
})

const names = (origins: string) =>
  configOf(`remote_write: [${origins}]\nsluice: { auth: none }`).origins.map(({ name }) => name)

test.each([
  ['{ url: https://h/p }', ['h/p']],
  ['{ url: https://h/p }, { url: https://h/p }, { url: https://h/p }', ['h/p', 'h/p#2', 'h/p#3']],
  ['{ url: https://h/p }, { name: h/p, url: https://x/ }', ['h/p#2', 'h/p']],
  ['{ url: sluice://embedded }', ['embedded']],
  ['{ url: https://h/p, name: 7 }', ['7']],
  ['{ url: https://ingress }, { url: https://ingress/ }', ['ingress#2', 'ingress/']],
])('the names of %s are distinct', (origins, expected) => {
  expect(names(origins)).toEqual(expected)
})

test('two origins of one name are refused', () => {
  const text =
    'remote_write:\n- { name: a, url: https://h/ }\n- { name: a, url: https://i/ }\nsluice: { auth: none }'
  expect(problemsOf(text)).toEqual(['3:3 error remote_write[1].name: another origin has this name'])
})

test('sixteen origins are possible, more are refused', () => {
  const text = (count: number) =>
    `remote_write:\n${'- url: https://h/\n'.repeat(count)}sluice: { auth: none }`
  expect(configOf(text(16)).origins).toHaveLength(16)
  expect(problemsOf(text(17))).toEqual([
    '18:3 error remote_write[16]: at most 16 origins are possible, this is one more',
  ])
})

test('origins that all are best effort are worth a warning', () => {
  expect(problemsOf(withOrigin('on_failure: ignore'))).toEqual([
    expect.stringMatching(/^2:3 warning remote_write: every origin has on_failure: ignore/),
  ])
})

test.each([
  ['- plain', '2:3 error remote_write[0]: wanted a mapping, found a string'],
  ['-', '2:2 error remote_write[0]: wanted a mapping, found nothing'],
  ['- name: x', '2:3 error remote_write[0]: url is missing'],
  ['- url:', '2:3 error remote_write[0]: url is missing'],
])('an entry of remote_write that is %j is refused', (entry, problem) => {
  expect(problemsOf(`remote_write:\n${entry}\nsluice: { auth: none }`)).toEqual([problem])
})
