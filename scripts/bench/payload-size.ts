import { benchConfig } from './bench-config.ts'
import { bodiesOf } from './cases/remotewrite2.ts'
import type { Group } from './group.ts'
import { inProcess } from './section.ts'
import { bytesText } from './table.ts'

const NAME = 'remotewrite2/payload'

/** How large the same rows are in either version. */
export const payloadSizeGroup: Group = {
  title: 'Payloads of remote write 2.0 and 1.0',
  text: 'The same 2,000 series after the ten rules, one sample each, as one message of either version.',
  names: [NAME],
  async run() {
    const rows = (['pod-per-series', 'kubernetes'] as const).flatMap((shape) =>
      ([1, 2] as const).map((message) => {
        const { run } = inProcess(benchConfig({ message }))
        let [raw, compressed, samples] = [0, 0, 0]
        run(bodiesOf(1, shape, 1)[0]!, ({ cargos }) => {
          for (const piece of cargos.flatMap(({ pieces }) => pieces)) {
            raw += piece.uncompressed
            compressed += piece.bytes.length
            samples += piece.counts.samples
          }
        })
        return {
          shape,
          version: `${message}.0`,
          samples: String(samples),
          message: bytesText(raw),
          'in snappy': bytesText(compressed),
          'snappy bytes per sample': (compressed / samples).toFixed(1),
        }
      }),
    )
    return { tables: [{ rows }], goals: [], raw: rows }
  },
}
