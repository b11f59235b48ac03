const KINDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'unknown host',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'no free port',
  EMFILE: 'too many open files',
}

/** What kind of failure an error of the network is, in a few words. */
export function failureKind(error: unknown): string {
  const code = error instanceof Error ? String((error as NodeJS.ErrnoException).code ?? '') : ''
  if (Object.hasOwn(KINDS, code)) return KINDS[code]!
  if (code.startsWith('HPE_')) return 'not HTTP'
  return /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : 'other'
}
