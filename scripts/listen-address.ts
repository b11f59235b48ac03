import { createServer, isIPv4, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { StartProblem } from './start-problem.ts'

/** Whether only this machine can connect to `host`. In doubt it is not. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

/** `host:port` as URLs and workerd write it. */
export function hostAndPort(host: string, port: number): string {
  // By name workerd would listen on whatever the resolver says; a loopback host must be one for sure.
  const address = host === 'localhost' ? '127.0.0.1' : host
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`
}

/** URL at which this machine reaches a server that listens on `host`. */
export function localUrl(host: string, port: number): string {
  const wildcards: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  return `http://${hostAndPort(wildcards[host] ?? host, port)}`
}

/** URL at which others reach it: of a wildcard, with the first address of this machine that is not its loopback. */
export function publicUrl(host: string, port: number): string {
  if (host !== '0.0.0.0' && host !== '::') return localUrl(host, port)
  const addresses = Object.values(networkInterfaces()).flatMap((some) => some ?? [])
  const outside = addresses.find(({ internal, family }) => !internal && family === 'IPv4')
  return localUrl(outside?.address ?? host, port)
}

const REASONS: Record<string, string> = {
  EADDRINUSE: 'is taken: end what listens there, or choose another with --port',
  EACCES: 'may not be used: ports below 1024 need privileges, choose another with --port',
  EADDRNOTAVAIL: 'is not an address of this machine: choose another with --host',
  ENOTFOUND: 'is not the name of a host: choose another with --host',
}

/** Throws a StartProblem when nothing can listen on `host` and `port`. Port 0 is any free one. */
export function checkListen(host: string, port: number): Promise<void> {
  const address = host === 'localhost' ? '127.0.0.1' : host
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = REASONS[cause.code ?? ''] ?? `can't be listened on: ${cause.message}`
      reject(new StartProblem(`${hostAndPort(host, port)} ${reason}`, { cause }))
    })
    server.listen({ host: address, port, exclusive: true }, () => server.close(() => resolve()))
  })
}
