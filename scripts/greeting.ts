import { resolve } from 'node:path'
import type { Config, OriginConfig } from '../src/config/types.ts'
import { prometheusSnippet } from '../src/embedded/snippet.ts'
import { publicUrl } from './listen-address.ts'

/** What was started, as far as the operator wants to know. */
export interface Started {
  readonly host: string
  readonly port: number
  /** Where the embedded origin keeps what it stores. */
  readonly dataDir: string
  /** Missing when it is bad: nothing is taken then. */
  readonly config?: Config
  /** What is wrong with the config. */
  readonly problems: readonly string[]
}

/** What `npm start` prints when it is ready: where it listens, where data goes, what to put into prometheus.yml. */
export function greeting({ host, port, dataDir, config, problems }: Started): string {
  const url = publicUrl(host, port)
  const lines = ['', `  Sluice runs at   ${url}`]
  if (config === undefined) {
    lines.push('', '  WARNING: it answers 503 to every sender until this is put right:')
    lines.push(...problems.map((problem) => `    ${problem}`))
  } else {
    lines.push(`  It forwards to   ${config.origins.map(nameOf).join(', ')}`)
    if (config.origins.some(isEmbedded)) {
      lines.push(`  Look at it at    ${url}/`, `  It is kept in    ${resolve(dataDir)}`)
    }
    lines.push('', '  To send to it, in prometheus.yml:', '')
    lines.push(...indented(prometheusSnippet(url, config.auth)))
  }
  lines.push('', '  Ctrl-C ends it.', '')
  return lines.join('\n')
}

function indented(text: string): string[] {
  return text.split('\n').map((line) => `    ${line}`)
}

function nameOf(origin: OriginConfig): string {
  return isEmbedded(origin) ? 'its embedded origin' : origin.name
}

function isEmbedded({ url }: OriginConfig): boolean {
  return url === 'sluice://embedded'
}
