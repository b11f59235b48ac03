/** The value of a request's samples, of `chunks` chunks: no two requests have the same, and for each series they grow. */
export function sequenceNumber(chunks: number, chunk: number, round: number): number {
  return round * chunks + chunk + 1
}
