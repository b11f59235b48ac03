/**
 * Calls `then` once when whoever started this process is gone: npm ends its shell on a signal and tells nobody else. Keeps no process alive. Returns what ends the watch.
 */
export function whenOrphaned(then: () => void): () => void {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    then()
  }, 1000).unref()
  return () => clearInterval(watch)
}
