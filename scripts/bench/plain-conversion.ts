import SnappyJS from 'snappyjs'
import type { Protocol } from '../../src/batch/protocol.ts'
import type { Config } from '../../src/config/types.ts'
import { plainRules, plainWay } from './plain.ts'
import { readPlain1, readPlain2, writePlain1, writePlain2 } from './plain-messages.ts'
import { readPlainOtlp } from './plain-otlp.ts'

/**
 * The plain way from a body to the payload for the config's one origin: remote write in snappy, OTLP not compressed; the payload is in snappy.
 */
export function plainConversion(
  config: Config,
  protocol: Protocol,
): (body: Uint8Array) => Uint8Array {
  const [{ message, writeRelabelConfigs: rules }] = config.origins
  if (protocol === 'remotewrite1' && message === 1) return plainWay(rules)
  const write = message === 2 ? writePlain2 : writePlain1
  const packed = (...args: Parameters<typeof write>) => SnappyJS.compress(write(...args))
  if (protocol === 'otlp') {
    const read = readPlainOtlp(config.otlp, rules)
    return (body) => packed(read(body))
  }
  const read = protocol === 'remotewrite2' ? readPlain2 : readPlain1
  const isKept = plainRules(rules)
  return (body) => {
    const series = read(new Uint8Array(SnappyJS.uncompress(body)))
    return packed(series.filter(({ labels }) => isKept(labels)))
  }
}
