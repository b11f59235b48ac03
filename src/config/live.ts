import { parseConfig } from './parse.ts'
import { configText } from './source.ts'
import type { Config, Problem } from './types.ts'

/** The config in effect, or why there is none. A new state is a new object; an unchanged config is the same one. */
export interface ConfigState {
  /** Undefined while the config is bad: nothing may be accepted then. */
  readonly config?: Config
  /** Of the config in effect: its warnings; or what is wrong. */
  readonly problems: readonly Problem[]
  readonly source: 'kv' | 'variables' | 'bundled'
  /** Why what KV holds now is not in effect: it is bad, gone or could not be read. */
  readonly stale?: readonly Problem[]
}

/** What an isolate holds of its config. */
export interface LiveConfig {
  /** The state now. Where KV is bound, only meaningful after `refresh` was awaited once. */
  current(): ConfigState
  /**
   * To be called for each request. Undefined when there is nothing to wait for, otherwise (the first requests of an
   * isolate, where KV is bound) a promise that never rejects and settles within 2 seconds. Later reads happen in
   * `waitUntil`, at most every 60 s. `now` is in milliseconds.
   */
  refresh(
    env: Bindings,
    waitUntil: (work: Promise<unknown>) => void,
    now: number,
  ): Promise<void> | undefined
}

/** Told when something about the config in KV changes. Problems never hold secrets. */
export type ReportConfig = (
  severity: 'info' | 'error',
  message: string,
  problems: readonly Problem[],
) => void

type Bindings = Readonly<Record<string, unknown>>

/** The part of a KV namespace that is used. */
interface Namespace {
  get(key: string): Promise<string | null>
}

const KV_BINDING = 'SLUICE_KV'
const KV_KEY = 'config'
const INTERVAL = 60_000
/** After a failed read, as long as KV has not answered this isolate once. */
const RETRY = 5000
/** The first requests wait no longer than this. */
const PATIENCE = 2000
/** A read that takes longer was cancelled together with the request that began it. */
const LOST = 10_000

/**
 * Compiles the config of the variables, or else the bundled text: to be called at module scope, where no request
 * pays for it. A config in KV comes before both, but can only be read once requests arrive.
 */
export function createLiveConfig(env: Bindings, bundled: string, report: ReportConfig): LiveConfig {
  const atStart = compileAtStart(env, bundled)
  let state = atStart
  let inEffect: string | undefined
  let rejected: { text: string; problems: readonly Problem[] } | undefined
  let answered = false
  let settled = false
  let failing = false
  let startedAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  function keep(stale: readonly Problem[] | undefined): void {
    const { stale: _, ...rest } = state
    state = stale === undefined ? rest : { ...rest, stale }
  }

  /** KV holds nothing. What it held before stays in effect, if it was good. */
  function applyNothing(): void {
    if (state.source !== 'kv') keep(undefined)
    else if (state.config === undefined) state = atStart
    else {
      if (state.stale?.[0] !== GONE) report('error', GONE.message, [])
      keep([GONE])
    }
  }

  function applyText(text: string, env: Bindings, first: boolean): void {
    if (text === inEffect) {
      keep(undefined)
      return
    }
    if (text === rejected?.text) {
      if (state.config !== undefined) keep(rejected.problems)
      return
    }
    const { config, problems } = parseConfig(text, env)
    if (config !== undefined) {
      state = { config, problems, source: 'kv' }
      inEffect = text
      report('info', 'the config in KV is in effect', problems)
      return
    }
    rejected = { text, problems }
    // What was compiled at the start is only a stand-in until KV has answered.
    const kept = !first && state.config !== undefined
    if (kept) keep(problems)
    else state = { problems, source: 'kv' }
    report('error', `the config in KV is bad${kept ? ', the last good one is kept' : ''}`, problems)
  }

  function failed(reason: string): void {
    const problem = trouble(`the config in KV could not be read: ${reason}`)
    if (!failing) report('error', problem.message, [])
    failing = true
    keep([problem])
  }

  async function read(namespace: Namespace, env: Bindings): Promise<void> {
    const begun = startedAt
    try {
      const text = await namespace.get(KV_KEY)
      if (begun !== startedAt) return
      const first = !answered
      answered = true
      failing = false
      if (text === null) applyNothing()
      else applyText(text, env, first)
    } catch (error) {
      if (begun !== startedAt) return
      failed(reasonOf(error))
    }
    settled = true
    reading = undefined
  }

  async function patience(work: Promise<void>): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), PATIENCE)
    })
    const outcome = await Promise.race([work, late])
    clearTimeout(timer)
    if (outcome !== 'late' || settled) return
    settled = true
    failed(`no answer within ${PATIENCE / 1000} s`)
  }

  return {
    current: () => state,
    refresh(env, waitUntil, now) {
      const namespace = env[KV_BINDING]
      if (!isNamespace(namespace)) return undefined
      if (reading !== undefined && now - startedAt >= LOST) reading = undefined
      if (reading === undefined && now - startedAt >= (answered ? INTERVAL : RETRY)) {
        startedAt = now
        reading = read(namespace, env)
        waitUntil(reading)
      }
      return settled || reading === undefined ? undefined : patience(reading)
    },
  }
}

function compileAtStart(env: Bindings, bundled: string): ConfigState {
  const { text, source, problems } = configText(env, bundled)
  if (problems.length > 0) return { problems, source }
  // Set by the program that serves on a loopback address, where nobody else can connect.
  const openWithoutAuth = source === 'bundled' && env.SLUICE_OPEN === 'loopback'
  return { ...parseConfig(text, env, { openWithoutAuth }), source }
}

function isNamespace(binding: unknown): binding is Namespace {
  return typeof (binding as Namespace | undefined)?.get === 'function'
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200)
}

function trouble(message: string): Problem {
  return { severity: 'error', line: 0, column: 0, path: '', message }
}

const GONE = trouble(`the key ${KV_KEY} is gone from KV: the last good config is kept`)
