import { RequestError } from '../../src/wire/request-error.ts'

/**
 * What `run` is refused with. Fails the test when it is not refused, or by another kind of error.
 */
export async function refusalOf(run: () => unknown): Promise<RequestError> {
  try {
    await run()
  } catch (error) {
    if (error instanceof RequestError) return error
    throw error
  }
  throw new Error('it was not refused')
}
