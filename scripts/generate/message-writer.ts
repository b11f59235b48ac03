import type { MessageBuffer } from './message-buffer.ts'

/** Writes the messages of one protocol, uncompressed. */
export interface MessageWriter {
  /** As RequestWriter's `write`. What is returned is lent until the next call. */
  write(
    first: number,
    count: number,
    timestamp: number,
    value: number,
    round: number,
  ): MessageBuffer
}
