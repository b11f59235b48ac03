import { join } from 'node:path'
import { freePort } from './process.ts'
import { type QueryResult, queryApi } from './query-api.ts'
import type { Rig } from './rig.ts'

/** Thanos Receive with a Thanos Query before it. */
export interface Thanos {
  /** Where Receive takes remote write. */
  readonly writeUrl: string
  /** The series of an instant query, as the API prints them. */
  query(promql: string): Promise<readonly QueryResult[]>
}

/** The labels that Receive puts on everything it stores. */
export const THANOS_LABELS = { replica: 'a', tenant_id: 'default-tenant' }

/** Starts both on ports of their own. */
export async function startThanos(rig: Rig): Promise<Thanos> {
  const address = async () => `127.0.0.1:${await freePort()}`
  const [write, receiveHttp, receiveGrpc, capnproto, queryHttp, queryGrpc] = [
    await address(),
    await address(),
    await address(),
    await address(),
    await address(),
    await address(),
  ]
  const receive = [
    'receive',
    '--log.level=warn',
    `--tsdb.path=${join(rig.folder('thanos-data'), 'tsdb')}`,
    `--label=replica="${THANOS_LABELS.replica}"`,
    `--remote-write.address=${write}`,
    `--http-address=${receiveHttp}`,
    `--grpc-address=${receiveGrpc}`,
    `--receive.capnproto-address=${capnproto}`,
  ]
  await rig.start('thanos', receive, `http://${receiveHttp}/-/ready`)
  const query = [
    'query',
    '--log.level=warn',
    `--endpoint=${receiveGrpc}`,
    `--http-address=${queryHttp}`,
    `--grpc-address=${queryGrpc}`,
    '--store.response-timeout=10s',
  ]
  const queryUrl = `http://${queryHttp}`
  await rig.start('thanos', query, `${queryUrl}/-/ready`)

  return {
    writeUrl: `http://${write}/api/v1/receive`,
    query: async (promql) => {
      const parameters = { query: promql, dedup: 'false' }
      return (await queryApi<{ result: QueryResult[] }>(queryUrl, 'query', parameters)).result
    },
  }
}
