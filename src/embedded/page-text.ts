const SECONDS: readonly (readonly [unit: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
]

/** `seconds` in their largest whole unit, as `5 s`; when the sender's clock is ahead, `in 2 min`. */
export function ageText(seconds: number): string {
  const size = Math.floor(Math.abs(seconds))
  if (size === 0) return '0 s'
  const [unit, length] = SECONDS.find(([, length]) => size >= length) ?? ['s', 1]
  const amount = `${Math.floor(size / length).toLocaleString('en')} ${unit}`
  return seconds < 0 ? `in ${amount}` : amount
}

/** `bytes` with a binary unit. */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

/** `1 request`, `2,000 requests`. */
export function countText(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 || thing === 'series' ? '' : 's'}`
}

/** The first `length` characters of `text`, with an ellipsis when that is not all. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`
}
