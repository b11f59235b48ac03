import { alarmAfter } from './alarm.ts'
import type { Sleep } from './sleep.ts'

/** As much of an answer's body as is ever read, like Prometheus. */
const MAX_BYTES = 1024

/** The start of an answer's body. */
export interface AnswerStart {
  /** Invalid UTF-8 is replaced. */
  readonly text: string
  /** There was more, or it never came. */
  readonly cut: boolean
}

/** How long a body may take, and who can end that early. */
export interface Patience {
  /** Milliseconds. */
  readonly ms: number
  readonly sleep: Sleep
  readonly signal?: AbortSignal
}

/**
 * Reads the first 1024 bytes of what an origin said and cancels the rest. A body that breaks off or
 * takes too long is cut; it never rejects. Afterwards the response is used up and holds no
 * connection.
 */
export async function readStart(response: Response, patience: Patience): Promise<AnswerStart> {
  if (response.body === null) return { text: '', cut: false }
  const reader = response.body.getReader()
  const alarm = alarmAfter(patience.ms, patience.sleep, patience.signal)
  const decoder = new TextDecoder()
  let text = ''
  let room = MAX_BYTES
  try {
    while (room > 0) {
      // The status has already said what happened; the text only explains it.
      const chunk = await alarm.race(reader.read()).catch(() => undefined)
      if (chunk === undefined) break
      if (chunk.done) return { text: text + decoder.decode(), cut: false }
      text += decoder.decode(chunk.value.subarray(0, room), { stream: true })
      room -= chunk.value.byteLength
    }
    return { text, cut: true }
  } finally {
    alarm.stop()
    reader.cancel().catch(() => undefined)
  }
}

/** Cancels a body that nobody will read, so that its connection is free. */
export function discardBody(response: Response): void {
  // Cancelling a body that has already failed rejects; there is nothing left to free then.
  response.body?.cancel().catch(() => undefined)
}
