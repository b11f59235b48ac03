import { publicUrl } from '../listen-address.ts'

/** What `npm run origin` prints when it listens: where, how to send to it, how to look at it. */
export function listeningText(host: string, port: number): string {
  const url = publicUrl(host, port)
  return [
    '',
    `  The origin listens at   ${url}`,
    '  It takes remote write   at any path, such as /api/v1/write',
    '  and OTLP                at /v1/metrics',
    '',
    '  To send to it through Sluice, in sluice.yaml:',
    '',
    '    remote_write:',
    '      - name: scripted',
    `        url: ${url}/api/v1/write`,
    '',
    `  What came               ${url}/  and, as JSON, /report`,
    `  Its samples             ${url}/api/v1/query?query=up[5m]`,
    '',
    '  Ctrl-C ends it.',
    '',
  ].join('\n')
}
