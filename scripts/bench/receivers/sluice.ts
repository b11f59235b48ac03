import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '../../serve.ts'
import { type BenchConfigOptions, benchConfigText } from '../bench-config.ts'
import { metricAt, type Receiver } from './receiver.ts'

/**
 * Sluice under plain workerd, `options.url` its origin. `build`: a folder that `buildWorker` filled. It answers after it has sent on. `output` gets what it logs;
 * stderr when missing.
 */
export async function startSluice(
  options: BenchConfigOptions,
  build?: string,
  output?: (text: string) => void,
): Promise<Receiver> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const { url, pid, stop } = await serve({
    configText: benchConfigText(options),
    host: '127.0.0.1',
    port: 0,
    dataDir: folder,
    build,
    output,
  })
  return {
    name: 'Sluice',
    url: `${url}/api/v1/write`,
    otlpUrl: `${url}/v1/metrics`,
    pid,
    drained: async () => {},
    ownMetric: (name) => metricAt(`${url}/metrics`, name),
    stop: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
