import type { WorkerBuild } from './build-worker.ts'

/** What one run of the Worker is to be like. */
export interface WorkerdRun {
  /** `host:port` to listen on. */
  readonly address: string
  /** Folder for the Durable Objects' databases; absolute, it must exist. */
  readonly dataDir: string
  /** Bindings whose text stands in this file: nothing that may be secret. */
  readonly texts: Readonly<Record<string, string>>
  /** Bindings whose text is that of a file beside this one. */
  readonly files: Readonly<Record<string, string>>
  /** Bindings taken from workerd's environment, by name. */
  readonly fromEnvironment: readonly string[]
}

/**
 * The Cap'n Proto text that `workerd serve` reads. The build's folder must be on its import path (`-I`): modules are
 * embedded from there.
 */
export function workerdConfig(build: WorkerBuild, run: WorkerdRun): string {
  const modules = build.modules.map(
    ({ name, kind }) => `(name = ${quote(name)}, ${kind} = embed ${quote(`/${name}`)})`,
  )
  const namespaces = build.durableObjects.map(
    // The key names the objects' folder: with another key all that was stored is gone.
    ({ className }) =>
      `(className = ${quote(className)}, uniqueKey = ${quote(`sluice-${className}`)}, enableSql = true)`,
  )
  const bindings = [
    ...build.durableObjects.map(({ binding, className }) => [
      binding,
      `durableObjectNamespace = ${quote(className)}`,
    ]),
    ...Object.entries(run.texts).map(([name, text]) => [name, `text = ${quote(text)}`]),
    ...Object.entries(run.files).map(([name, file]) => [name, `text = embed ${quote(file)}`]),
    ...run.fromEnvironment.map((name) => [name, `fromEnvironment = ${quote(name)}`]),
  ].map(([name = '', value]) => `(name = ${quote(name)}, ${value})`)

  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    # Origins may be anywhere: next door, in the LAN, on the internet.
    (name = "internet", network = (
      allow = ["public", "private", "local"],
      tlsOptions = (trustBrowserCas = true),
    )),
    (name = "data", disk = (path = ${quote(run.dataDir)}, writable = true)),
  ],
  sockets = [(name = "http", address = ${quote(run.address)}, http = (), service = "main")],
);

const main :Workerd.Worker = (
  modules = ${list(modules)},
  compatibilityDate = ${quote(build.compatibilityDate)},
  compatibilityFlags = ${list(build.compatibilityFlags.map(quote))},
  durableObjectNamespaces = ${list(namespaces)},
  durableObjectStorage = (localDisk = "data"),
  bindings = ${list(bindings)},
);
`
}

function list(items: readonly string[]): string {
  return items.length === 0 ? '[]' : `[\n${items.map((item) => `    ${item},\n`).join('')}  ]`
}

/** A Cap'n Proto text literal. */
function quote(text: string): string {
  const escaped = text.replace(/[\\"\x00-\x1f\x7f]/g, (character) =>
    character === '\\' || character === '"'
      ? `\\${character}`
      : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
  return `"${escaped}"`
}
