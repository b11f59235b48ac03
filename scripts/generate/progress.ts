import { countText } from '../bench/table.ts'

/** What a progress line tells. */
export interface ProgressState {
  /** Milliseconds since the load began, and how long it will run. */
  readonly elapsed: number
  readonly duration: number
  readonly samples: number
  /** Samples a second, of late. */
  readonly rate: number
  readonly inFlight: number
  /** Requests that were not acknowledged. */
  readonly errors: number
  /** Requests that are due and have not begun. */
  readonly behind: number
}

const BAR = 10

/** The line, of at most so many characters. */
export function progressText(state: ProgressState, columns: number): string {
  const { elapsed, duration, samples, rate, inFlight, errors, behind } = state
  const share = Math.min(elapsed / duration, 1)
  const full = Math.floor(share * BAR)
  const line = [
    `[${'#'.repeat(full)}${'-'.repeat(BAR - full)}] ${secondsText(elapsed)}/${secondsText(duration)}`,
    `${countText(samples)} samples`,
    `${countText(rate)}/s`,
    `${inFlight} in flight`,
    `${countText(errors)} errors`,
    ...(behind > 0 ? [`${countText(behind)} behind`] : []),
  ].join('  ')
  return line.slice(0, Math.max(columns, 0))
}

function secondsText(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`
}

/** Where progress is written: stderr is one. */
export interface ProgressOutput {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** What is told of progress, and for how long. */
export interface ProgressOptions {
  readonly output: ProgressOutput
  readonly duration: number
  read(): Pick<ProgressState, 'samples' | 'inFlight' | 'errors' | 'behind'>
  /** Milliseconds. */
  readonly now: () => number
}

const ON_A_TERMINAL = 250
const ELSEWHERE = 5000

/** Shows how it goes, until the function that it returns is called: on a terminal one line that is written over, elsewhere a line every five seconds. */
export function showProgress({ output, duration, read, now }: ProgressOptions): () => void {
  const began = now()
  let before = { at: began, samples: 0 }
  let rate = 0
  const show = () => {
    const state = read()
    const at = now()
    // Over a second at least, or it would flicker.
    if (at - before.at >= 1000 || rate === 0) {
      rate = ((state.samples - before.samples) / Math.max(at - before.at, 1)) * 1000
      before = { at, samples: state.samples }
    }
    const whole = { ...state, rate, elapsed: at - began, duration }
    if (output.isTTY) output.write(`\r${progressText(whole, (output.columns || 80) - 1)}\x1b[K`)
    else output.write(`${progressText(whole, 200)}\n`)
  }
  const timer = setInterval(show, output.isTTY ? ON_A_TERMINAL : ELSEWHERE)
  return () => {
    clearInterval(timer)
    if (output.isTTY) output.write('\r\x1b[K')
  }
}
