/** Something the operator can put right. Its message is all they need to see: no stack, no secret. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem'
}
