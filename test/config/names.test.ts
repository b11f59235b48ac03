import { expect, test } from 'vitest'
import { bindingNames } from '../../src/config/names.ts'

test('every binding is named once, where bindings are replaced', () => {
  const text = `
global:
  external_labels: { a: "\${LABEL}", b: $BARE, c: "$$NOT" }
remote_write:
  - name: "\${NOT_NAME}"
    url: "https://\${USER}:\${PASS}@\${HOST}:\${PORT}/\${PATH}"
    headers: { X: "\${HEADER}-\${HOST}", Y: "$$\${NOT_ESCAPED}" }
    http_headers: { Z: { secrets: ["\${HTTP_HEADER}"] } }
    remote_timeout: "\${NOT_TIMEOUT}"
    write_relabel_configs: [{ target_label: x, replacement: "\${NOT_RULE}" }]
  - url: "\${URL}"
    basic_auth: { username: "\${BASIC_USER}", password: "\${BASIC_PASS}" }
  - url: https://h/
    authorization: { credentials: "\${CREDENTIALS}" }
  - url: https://h/
    bearer_token: "\${BEARER_TOKEN}"
sluice:
  auth:
    - { bearer: "\${BEARER}", tenant: "\${TENANT}" }
    - { username: "\${NAME}", password: "\${PASSWORD}" }
`
  expect(bindingNames(text).toSorted()).toEqual(
    `BARE BASIC_PASS BASIC_USER BEARER BEARER_TOKEN CREDENTIALS HEADER HOST HTTP_HEADER LABEL NAME
    PASS PASSWORD PATH PORT TENANT URL USER`.split(/\s+/),
  )
})

test.each(['', '{', '- a', `remote_write: "\${A}"`, `unknown: "\${A}"`])(
  'a bad config asks for nothing: %j',
  (text) => {
    expect(bindingNames(text)).toEqual([])
  },
)
