import { readFileSync, writeFileSync } from 'node:fs'

/** CPU seconds, of all threads, user and system, that process `pid` has used. Linux only. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name, in parentheses, may hold spaces. After it come fields 3 and on; utime and stime are 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticksPerSecond = 100
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** The most memory that process `pid` had resident since it began, or since `resetPeak`. MiB. Linux only. */
export function peakMebibytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(status.match(/^VmHWM:\s+(\d+) kB/m)?.[1] ?? Number.NaN) / 1024
}

/** The peak of process `pid` is what it has now, from here on. False where the system forbids it: then it stays that of the whole life. */
export function resetPeak(pid: number): boolean {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM' || code === 'ENOENT') return false
    throw error
  }
}
