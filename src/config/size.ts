const UNITS = ['B', 'KB', 'MB', 'GB'] as const

/**
 * Bytes of a size as Prometheus writes them: KB and KiB are both 1024 bytes, MB and MiB 1024 KB, GB and GiB 1024
 * MB; a plain number is bytes; `1.5MB` is allowed. Undefined when it is none of these (kB is not, as in
 * Prometheus).
 */
export function parseSize(text: string): number | undefined {
  const match = /^(\d{1,12}(?:\.\d{1,6})?)([KMG]?)(i?)(B?)$/.exec(text)
  if (match === null) return undefined
  const [, count, prefix, binary, byte] = match
  if ((prefix !== '' && byte === '') || (prefix === '' && binary !== '')) return undefined
  return Math.floor(Number(count) * 1024 ** ['', 'K', 'M', 'G'].indexOf(prefix!))
}

/** A size with the largest unit that holds it without a fraction. */
export function formatSize(bytes: number): string {
  let count = bytes
  let unit = 0
  while (count !== 0 && count % 1024 === 0 && unit < UNITS.length - 1) {
    count /= 1024
    unit += 1
  }
  return `${count}${UNITS[unit]}`
}
