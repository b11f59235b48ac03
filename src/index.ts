import { env } from 'cloudflare:workers'
import bundledConfig from '../sluice.yaml'
import { createApp } from './app.ts'
import { createLiveConfig } from './config/live.ts'
import { sleep } from './deliver/sleep.ts'
import { createDowngrades } from './downgrades.ts'
import { embeddedStub } from './embedded/stub.ts'
import kernelModule from './kernel/kernel.wasm'
import { logProblems } from './log-problems.ts'
import { createMemoryBudget, memoryBudgetBytes } from './receive/memory-budget.ts'
import { rehearse } from './rehearsal.ts'
import { createLog } from './telemetry/log.ts'
import { metrics } from './telemetry/metrics.ts'
import { VERSION } from './version.ts'
import { Workspace } from './workspace.ts'

export { EmbeddedOrigin } from './embedded/store.ts'

// Module scope: what is compiled here no request pays for.

const log = createLog()
const used = metrics.memoryBudgetUsedBytes.with()
const loaded = metrics.configLastReloadSuccessful.with()
metrics.buildInfo.with(VERSION).set(1)

const live = createLiveConfig(
  env as unknown as Record<string, unknown>,
  bundledConfig,
  (severity, message, problems) => {
    log[severity]('config', { message, count: problems.length, source: 'kv' })
    logProblems(log, problems)
    metrics.configReloads.with(severity === 'info' ? 'ok' : 'bad').add()
    loaded.set(severity === 'info' ? 1 : 0)
  },
)
loaded.set(live.current().config ? 1 : 0)
// With KV this is a stand-in, of which nobody need hear.
if (!env.SLUICE_KV) logProblems(log, live.current().problems)

const workspace = new Workspace(kernelModule)
const { config } = live.current()
// A config in KV is another one, and sizes the memory.
if (config && !env.SLUICE_KV) {
  try {
    rehearse(workspace, config)
  } catch (error) {
    log.unexpected(error) // requests do without
  }
}

const app = createApp({
  live,
  workspace,
  budget: createMemoryBudget(memoryBudgetBytes, { onChange: (bytes) => used.set(bytes) }),
  log,
  version: VERSION,
  now: Date.now,
  random: Math.random,
  sleep,
  downgrades: createDowngrades(Date.now),
  ownSubrequests: env.SLUICE_KV ? 1 : 0,
  fetchOf: ({ url }) =>
    url === 'sluice://embedded'
      ? (target, init) => embeddedStub(env.EMBEDDED).fetch(target, init)
      : (target, init) => fetch(target, init),
  embedded: {
    auth: () => live.current().config?.auth ?? 'none',
    origin: () =>
      live.current().config?.origins.some(({ url }) => url === 'sluice://embedded')
        ? embeddedStub(env.EMBEDDED)
        : undefined,
  },
  loopbackOnly: env.SLUICE_OPEN === 'loopback',
})

export default app
