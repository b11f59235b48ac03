import { readFileSync } from 'node:fs'
import { peerBinary } from '../../peers.ts'

/** What is measured beside Sluice, and the Go module that tells its version. */
const MODULES = [
  ['vmagent', 'vmagent', 'github.com/VictoriaMetrics/VictoriaMetrics'],
  [
    'otelcol',
    'OpenTelemetry Collector',
    'github.com/open-telemetry/opentelemetry-collector-contrib/exporter/prometheusremotewriteexporter',
  ],
] as const

/** `vmagent 1.151.0, …`: the peers that are built, with their versions. */
export function peerVersions(): string {
  const found = MODULES.flatMap(([binary, name, module]) => {
    const file = peerBinary(binary)
    return file === undefined ? [] : [`${name} ${builtVersion(readFileSync(file), module)}`]
  })
  return found.length > 0 ? found.join(', ') : 'no peers: npm run peers builds them'
}

/**
 * The version of a module that a Go program was built from. Go writes the list of its modules into each program; `--version` says nothing of use where a build did not come from the
 * project's own Makefile.
 */
export function builtVersion(program: Buffer, module: string): string {
  for (const kind of ['mod', 'dep']) {
    const line = `${kind}\t${module}\tv`
    const at = program.indexOf(line)
    if (at < 0) continue
    const rest = program.subarray(at + line.length, at + line.length + 64).toString('latin1')
    return /^[\w.+-]+/.exec(rest)?.[0] ?? 'unknown'
  }
  return 'unknown'
}
