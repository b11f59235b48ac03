import { constants } from 'node:os'
import { whenOrphaned } from '../orphaned.ts'

/** What Ctrl-C did. */
export interface Interrupt {
  /** 128 and the number of the signal; undefined when there was none. */
  readonly code: number | undefined
  /** From now on the first signal calls this. */
  onFirst(then: () => void): void
  /** Listens no longer. */
  end(): void
}

/** A terminal and npm may both tell of one Ctrl-C. */
const SAME = 300

/**
 * Listens for SIGINT and SIGTERM: the first one calls what `onFirst` was given last, and ends the process where that was
 * nothing; a second one ends it at once.
 */
export function listenForInterrupt(): Interrupt {
  let code: number | undefined
  let at = 0
  let first = (): void => process.exit(code)
  const listeners = (['SIGINT', 'SIGTERM'] as const).map((signal) => {
    const listener = () => interrupt(128 + constants.signals[signal])
    process.on(signal, listener)
    return [signal, listener] as const
  })
  const endWatch = whenOrphaned(() => {
    if (code === undefined) interrupt(128 + constants.signals.SIGTERM)
  })

  function interrupt(exitCode: number): void {
    if (code === undefined) {
      code = exitCode
      at = performance.now()
      first()
    } else if (performance.now() - at > SAME) process.exit(code)
  }

  return {
    get code() {
      return code
    },
    onFirst(then) {
      first = then
    },
    end() {
      endWatch()
      for (const [signal, listener] of listeners) process.off(signal, listener)
    },
  }
}
