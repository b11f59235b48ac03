import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { progressText, showProgress } from '../../../scripts/generate/progress.ts'

const STATE = {
  elapsed: 7500,
  duration: 30_000,
  samples: 1_234_567,
  rate: 165_000,
  inFlight: 4,
  errors: 2,
  behind: 0,
}

describe('a line of progress', () => {
  it('says how far it is', () => {
    expect(progressText(STATE, 200)).toBe(
      '[##--------] 7.5 s/30 s  1,234,567 samples  165,000/s  4 in flight  2 errors',
    )
    expect(progressText({ ...STATE, elapsed: 40_000, behind: 3 }, 200)).toMatch(
      /^\[#{10}\] 40 s.* 3 behind$/,
    )
  })

  it('is never longer than the terminal', () => {
    for (const columns of [-1, 0, 1, 30]) {
      expect(progressText(STATE, columns)).toHaveLength(Math.max(columns, 0))
    }
  })
})

describe('progress', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Runs for so long; what was written. */
  function shown(milliseconds: number, terminal: { isTTY?: boolean; columns?: number }): string[] {
    const written: string[] = []
    const write = (text: string) => written.push(text)
    const now = () => Date.now()
    const read = () => ({ samples: 10, inFlight: 1, errors: 0, behind: 0 })
    const end = showProgress({ output: { ...terminal, write }, duration: 60_000, read, now })
    vi.advanceTimersByTime(milliseconds)
    end()
    vi.advanceTimersByTime(60_000)
    return written
  }

  it('writes over one line on a terminal, and takes it away', () => {
    const written = shown(1000, { isTTY: true, columns: 40 })
    expect(written).toHaveLength(5)
    for (const text of written.slice(0, 4)) {
      expect(text).toMatch(/^\r\[.{38}\x1b\[K$/)
      expect(text).not.toContain('\n')
    }
    expect(written.at(-1)).toBe('\r\x1b[K')
  })

  it('writes a plain line every five seconds elsewhere', () => {
    const written = shown(11_000, {})
    expect(written).toHaveLength(2)
    for (const text of written) expect(text).toMatch(/^\[[#-]{10}\] [^\r\x1b]*\n$/)
  })
})
