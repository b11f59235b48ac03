/**
 * Calls `wake` once, after `ms` milliseconds, unless what it returns is called before. (With a
 * promise and an abort signal it would cost workerd more than all the rest of a delivery.)
 */
export type Sleep = (ms: number, wake: () => void) => () => void

/** `Sleep` by the platform's clock. Nothing is left behind once it is called off. */
export const sleep: Sleep = (ms, wake) => {
  const pending = setTimeout(wake, ms)
  return () => clearTimeout(pending)
}
