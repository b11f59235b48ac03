import { describe, test } from 'vitest'
import { peerBinary } from '../../scripts/peers.ts'

/**
 * `describe` for tests that need programs of `npm run peers`. Where one is missing they are skipped and one line says so;
 * in CI nothing is skipped: they fail.
 */
export function describeWithPeers(
  binaries: readonly string[],
  name: string,
  body: () => void,
): void {
  const missing = binaries.filter((binary) => peerBinary(binary) === undefined)
  if (missing.length === 0) return void describe(name, body)
  const reason = `${missing.join(', ')} not built (npm run peers builds it, with Go)`
  if (process.env.CI) {
    return void test(name, () => {
      throw new Error(`nothing may be skipped in CI: ${reason}`)
    })
  }
  console.warn(`skipped: ${name}: ${reason}`)
  describe.skip(name, body)
}
