import { rmSync } from 'node:fs'
import { afterAll } from 'vitest'
import { stringify } from 'yaml'
import { buildWorker } from '../../scripts/build-worker.ts'
import { serve } from '../../scripts/serve.ts'
import { metricSum } from './prometheus.ts'
import type { Rig } from './rig.ts'
import { externalLabels, ingressRules, originRules } from './rules.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Sluice under plain workerd, with the rules of rules.ts. */
export interface Sluice {
  readonly url: string
  /** `remote_write` entry of a sender that writes to it. */
  readonly remoteWrite: object
  /** Where it takes OTLP metrics, and the headers that senders need. */
  readonly otlp: { readonly url: string; readonly headers: { readonly Authorization: string } }
  /** The sum of one of its own metrics, of the isolate that answers. */
  ownMetric(name: string): Promise<number>
}

/** The credential that senders need. */
export const AGENT_TOKEN = 'e2e-agent-token'

let build: string | undefined

afterAll(() => {
  if (build !== undefined) rmSync(build, { recursive: true, force: true })
})

/** A folder with the built Worker, for all tests of a file. */
async function builtWorker(): Promise<string> {
  if (build !== undefined) return build
  build = temporaryFolder('sluice-e2e-build-')
  await buildWorker(build)
  return build
}

/**
 * Starts Sluice between its senders and `origins`, entries of `remote_write`. With an `otlp` block it has no rules and no
 * external labels.
 */
export async function startSluice(
  rig: Rig,
  origins: readonly { name: string; url: string; [key: string]: unknown }[],
  otlp?: object,
): Promise<Sluice> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the config's own syntax
  const auth = [{ bearer: '${AGENT_TOKEN}', tenant: 'e2e' }]
  const configText = stringify(
    otlp === undefined
      ? {
          global: { external_labels: externalLabels },
          remote_write: origins.map((one) => ({ ...one, write_relabel_configs: originRules })),
          sluice: { auth, relabel_configs: ingressRules },
        }
      : { remote_write: origins, otlp, sluice: { auth } },
  )
  let printed = ''
  rig.showOnFailure('sluice', () => printed)
  const { url, stop } = await serve({
    configText,
    host: '127.0.0.1',
    port: 0,
    dataDir: rig.folder('sluice-data'),
    env: { AGENT_TOKEN },
    build: await builtWorker(),
    output: (text) => {
      printed += text
    },
  })
  rig.onEnd(stop)

  const authorization = { Authorization: `Bearer ${AGENT_TOKEN}` }
  return {
    url,
    remoteWrite: { url: `${url}/api/v1/write`, authorization: { credentials: AGENT_TOKEN } },
    otlp: { url: `${url}/v1/metrics`, headers: authorization },
    ownMetric: async (name) => {
      const response = await fetch(`${url}/metrics`, { headers: authorization })
      return metricSum(await response.text(), name)
    },
  }
}
