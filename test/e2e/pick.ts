/** One of `things`, each as likely as the others. */
export function pick<T>(random: () => number, things: readonly T[]): T {
  return things[Math.floor(random() * things.length)]
}
