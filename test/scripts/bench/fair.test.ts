import { fromBinary } from '@bufbuild/protobuf'
import SnappyJS from 'snappyjs'
import { describe, expect, test } from 'vitest'
import { benchConfig } from '../../../scripts/bench/bench-config.ts'
import { compressedBodies } from '../../../scripts/bench/bodies.ts'
import { plainWay } from '../../../scripts/bench/plain.ts'
import { plainPush } from '../../../scripts/bench/plain-push.ts'
import { inProcess } from '../../../scripts/bench/section.ts'
import { requestOf, wholePath } from '../../../scripts/bench/whole-path.ts'
import { type WriteRequest, WriteRequestSchema } from '../../../src/wire/gen/prometheus_pb.js'

// What is compared must do the same work.

const decoded = (body: Uint8Array): WriteRequest =>
  fromBinary(WriteRequestSchema, new Uint8Array(SnappyJS.uncompress(body)))

/** Sender of a payload that keeps what is sent. */
function keeping(kept: WriteRequest[]) {
  return async (_: string, { body }: RequestInit) => {
    kept.push(decoded((body as Uint8Array).slice()))
    return new Response(null, { status: 204 })
  }
}

const shapes = ['pod-per-series', 'kubernetes'] as const

describe.for(shapes)('%s', (shape) => {
  const config = benchConfig()
  const plain = plainWay(config.origins[0].writeRelabelConfigs)
  const bodies = compressedBodies({ shape, series: 600, perRequest: 300 })

  test('Sluice and the plain way make the same series, new or known', () => {
    const { run } = inProcess(config)
    for (const body of [...bodies, ...bodies]) {
      const sent: WriteRequest[] = []
      run(body, ({ cargos }) => {
        for (const { bytes } of cargos[0].pieces) sent.push(decoded(bytes))
      })
      expect(sent).toEqual([decoded(plain(body))])
    }
  })

  test('the rules have work: some series are dropped, labels are made and removed', () => {
    const [before, after] = [decoded(bodies[0]), decoded(plain(bodies[0]))]
    const names = (request: WriteRequest) =>
      new Set(request.timeseries.flatMap(({ labels }) => labels.map(({ name }) => name)))
    expect(after.timeseries.length).toBeLessThan(before.timeseries.length)
    expect(after.timeseries.length).toBeGreaterThan(before.timeseries.length / 2)
    expect(names(before)).toContain('container')
    expect(names(after)).not.toContain('container')
    expect(names(after)).toContain('workload')
  })

  test('after empty() every series is new again', () => {
    const { run, empty } = inProcess(config)
    const missed = [run(bodies[0]).missed, run(bodies[0]).missed]
    empty()
    missed.push(run(bodies[0]).missed)
    expect(missed).toEqual([300, 0, 300])
  })

  test('whole: both send the same payload', async () => {
    const [ours, theirs]: [WriteRequest[], WriteRequest[]] = [[], []]
    const { push } = wholePath(config, { fetch: keeping(ours) })
    const plainly = plainPush(config, { fetch: keeping(theirs) })
    for (const body of bodies) {
      const request = requestOf(body)
      // The same request again and again.
      for (let i = 0; i < 2; i++) {
        await push(request)
        await plainly(request)
      }
    }
    expect(ours).toHaveLength(4)
    expect(ours).toEqual(theirs)
  })
})
