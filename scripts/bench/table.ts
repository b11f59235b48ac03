/** Lines of text cells under their headings. A column is there when any line has it. */
export interface Table {
  readonly title?: string
  readonly rows: readonly Readonly<Record<string, string>>[]
}

/** A Markdown table whose columns line up. */
export function tableText({ rows }: Table): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
  const widths = columns.map((_, i) => Math.max(3, ...lines.map((line) => line[i].length)))
  const text = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`
  const rule = widths.map((width) => '-'.repeat(width))
  return [columns, rule, ...lines.slice(1)].map(text).join('\n')
}

/** A time as people read it: `1.04 ms`. */
export function timeText(nanoseconds: number): string {
  const [value, unit] =
    nanoseconds < 1e3
      ? [nanoseconds, 'ns']
      : nanoseconds < 1e6
        ? [nanoseconds / 1e3, 'µs']
        : [nanoseconds / 1e6, 'ms']
  return `${digits(value)} ${unit}`
}

/** `12.3 KiB`. */
export function bytesText(bytes: number): string {
  const [value, unit] =
    bytes < 1024
      ? [Math.round(bytes), 'B']
      : bytes < 1024 ** 2
        ? [bytes / 1024, 'KiB']
        : [bytes / 1024 ** 2, 'MiB']
  return `${unit === 'B' ? value : digits(value)} ${unit}`
}

/** `49.3 x`. */
export function ratioText(ratio: number): string {
  return `${digits(ratio)} x`
}

/** `1,234,567`. */
export function countText(value: number): string {
  return Math.round(value).toLocaleString('en')
}

/** Three digits that mean something. */
function digits(value: number): string {
  if (value >= 1000) return countText(value)
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
