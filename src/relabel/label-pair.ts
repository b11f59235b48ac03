import { labelName } from '../wire/label-name.ts'

/** A label. Its strings never change, so one object may be in many sets and stand in rules' memories. */
export class LabelPair {
  readonly name: string
  readonly value: string
  /** What the series table calls this pair, where it has met it. The table's alone to read and write. */
  id = 0
  /** Generation of the table in which `id` means something. The table's alone. */
  generation = -1

  /**
   * Strings are kept as they are handed in, for as long as the table's generation lasts: they must not be slices of a
   * large text.
   */
  constructor(name: string, value: string) {
    this.name = labelName(name)
    this.value = value
  }
}
