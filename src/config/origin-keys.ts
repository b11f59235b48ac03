/** Keys of `remote_write[]` that are refused when they ask for something. */
export const REFUSED = {
  oauth2: notYet('oauth2'),
  sigv4: notYet('sigv4'),
  azuread: notYet('azuread'),
  google_iam: notYet('google_iam'),
  bearer_token_file: `there are no files at the edge: put the token into a binding and write bearer_token: \${NAME}`,
  proxy_url: noProxy(),
  no_proxy: noProxy(),
  proxy_from_environment: noProxy(),
  proxy_connect_header: noProxy(),
}

/** Keys of `remote_write[]` that are accepted with a warning. */
export const IGNORED = {
  enable_http2: 'ignored: the platform chooses the HTTP version',
  round_robin_dns: 'ignored: the platform chooses the address',
  failed_request_logging: 'ignored: Sluice logs what origins refuse by its own rules',
}

/** Keys of `queue_config` that are accepted with a warning: there is no queue, a request is sent on as it comes. */
export const QUEUE_IGNORED = {
  capacity: noQueue('nothing is buffered between requests'),
  max_shards: noQueue('how many requests are open at once follows from what the platform allows'),
  min_shards: noQueue('how many requests are open at once follows from what the platform allows'),
  batch_send_deadline: noQueue('nothing waits for a batch to fill'),
}

/** Keys of `queue_config` that are refused when they ask for something. */
export const QUEUE_REFUSED = {
  sample_age_limit:
    'not supported yet: samples older than this would be sent all the same; remove it, or drop them at the sender',
}

/** Keys of `metadata_config` that are accepted with a warning. */
export const METADATA_IGNORED = {
  send_interval: 'ignored: metadata is sent on when it arrives',
  max_samples_per_send: 'ignored: metadata is sent on in requests as it arrives',
}

/** Keys of `tls_config` that are refused when they ask for something. */
export const TLS_REFUSED = {
  ca: noPrivateCa(),
  ca_file: noPrivateCa(),
  ca_ref: noPrivateCa(),
  cert: noClientCertificate(),
  cert_file: noClientCertificate(),
  cert_ref: noClientCertificate(),
  key: noClientCertificate(),
  key_file: noClientCertificate(),
  key_ref: noClientCertificate(),
  server_name: 'not supported: the certificate must be for the host in url',
  insecure_skip_verify:
    'not supported: certificates are always verified at the edge, so an origin without a public one can not be reached',
}

/** Keys of `tls_config` that are accepted with a warning. */
export const TLS_IGNORED = {
  min_version: 'ignored: the platform chooses the TLS version',
  max_version: 'ignored: the platform chooses the TLS version',
}

function notYet(what: string): string {
  return `${what} is not supported yet: without it the origin would refuse everything`
}

function noProxy(): string {
  return 'not supported: requests can not be sent through a proxy at the edge'
}

function noQueue(why: string): string {
  return `ignored: ${why}`
}

function noPrivateCa(): string {
  return 'not supported: at the edge only certificates of public authorities are trusted'
}

function noClientCertificate(): string {
  return 'client certificates are not supported yet: without them the origin would refuse everything'
}
