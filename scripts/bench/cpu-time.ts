import { readdirSync, readFileSync } from 'node:fs'

/** CPU that a process has used. Nanoseconds. */
export interface CpuTime {
  /** Of all threads that are there now. */
  readonly all: number
  /** Of the first thread: in workerd it is the one that runs the Worker. */
  readonly main: number
}

/** CPU time by the scheduler's own clock, which is finer than the ticks of /proc/PID/stat. Linux only. */
export function cpuTime(pid: number): CpuTime {
  const times = readdirSync(`/proc/${pid}/task`).map((tid) => threadTime(pid, tid))
  return {
    all: times.reduce((sum, time) => sum + time, 0),
    main: threadTime(pid, String(pid)),
  }
}

function threadTime(pid: number, tid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'utf8').split(' ')[0])
  } catch (error) {
    // The thread has ended since it was listed.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return 0
  }
}
