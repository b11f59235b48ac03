/** Options that make no sense, or what they name is not there: nothing was sent. The message is for the user and holds no secrets. */
export class OptionProblem extends Error {
  override readonly name = 'OptionProblem'
}
