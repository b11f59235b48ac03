import { env, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { type LogLimits, openRequestLog, type RequestLog } from '../../src/embedded/request-log.ts'

const LIMITS: LogLimits = { bytes: 1000, requests: 16, bytesPerRow: 100 }

/** Runs `work` on a new log. */
function withLog(
  limits: Partial<LogLimits>,
  work: (log: RequestLog, storage: DurableObjectStorage) => void,
): Promise<void> {
  const namespace = (env as { EMBEDDED: DurableObjectNamespace }).EMBEDDED
  return runInDurableObject(namespace.get(namespace.newUniqueId()), (_, { storage }) =>
    work(openRequestLog(storage, { ...LIMITS, ...limits }), storage),
  )
}

/** A body whose bytes all are `byte`. */
const body = (byte: number, length = 10) => new Uint8Array(length).fill(byte).buffer

const contents = (log: RequestLog, rows = 1000, bytes = 1e6) =>
  [...log.newest(rows, bytes)].map((stored) => [stored.body[0], stored.body.byteLength])

describe('a request log', () => {
  it('gives requests back newest first, with the time they came', () =>
    withLog({}, (log) => {
      log.append(body(1), 1000)
      log.append(body(2), 2000)
      expect([...log.newest(10, 1000)]).toEqual([
        { receivedAt: 2000, body: new Uint8Array(10).fill(2) },
        { receivedAt: 1000, body: new Uint8Array(10).fill(1) },
      ])
      expect(log.totals()).toEqual({ requests: 2, bytes: 20 })
    }))

  it.each([99, 100, 101, 200, 201, 999])('gives a body of %i bytes back whole', (length) =>
    withLog({}, (log, storage) => {
      const sent = Uint8Array.from({ length }, (_, i) => i)
      log.append(sent.buffer, 1)
      expect([...log.newest(100, 1e6)]).toEqual([{ receivedAt: 1, body: sent }])
      const { n } = storage.sql.exec<{ n: number }>('SELECT COUNT(*) AS n FROM requests').one()
      expect(n).toBe(Math.ceil(length / 100))
    }),
  )

  it('reads no more rows and bytes than it is told, and no request in part', () =>
    withLog({}, (log) => {
      log.append(body(1, 250), 1)
      log.append(body(2, 50), 2)
      log.append(body(3, 150), 3)
      expect(contents(log, 6)).toEqual([
        [3, 150],
        [2, 50],
        [1, 250],
      ])
      expect(contents(log, 5)).toEqual([
        [3, 150],
        [2, 50],
      ])
      expect(contents(log, 1)).toEqual([])
      expect(contents(log, 100, 151)).toEqual([
        [3, 150],
        [2, 50],
      ])
      expect(contents(log, 100, 1)).toEqual([[3, 150]])
    }))

  it('drops the oldest eighth when it has as many requests as it may', () =>
    withLog({}, (log) => {
      for (let i = 1; i <= 16; i++) log.append(body(i), i)
      expect(log.totals().requests).toBe(16)
      log.append(body(17), 17)
      expect(contents(log).map(([byte]) => byte)).toEqual([
        17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3,
      ])
      expect(log.totals()).toEqual({ requests: 15, bytes: 150 })
    }))

  it('drops the oldest when it has as many bytes as it may, whole requests only', () =>
    withLog({}, (log) => {
      for (let i = 1; i <= 4; i++) log.append(body(i, 250), i)
      expect(log.totals()).toEqual({ requests: 4, bytes: 1000 })
      log.append(body(5, 120), 5)
      expect(contents(log)).toEqual([
        [5, 120],
        [4, 250],
        [3, 250],
        [2, 250],
      ])
      expect(log.totals()).toEqual({ requests: 4, bytes: 870 })
    }))

  it('drops all it has for a body that needs all the room', () =>
    withLog({}, (log) => {
      for (let i = 1; i <= 4; i++) log.append(body(i, 200), i)
      log.append(body(5, 1000), 5)
      expect(contents(log)).toEqual([[5, 1000]])
      expect(log.totals()).toEqual({ requests: 1, bytes: 1000 })
    }))

  it('counts the same after it was opened again', () =>
    withLog({}, (log, storage) => {
      for (let i = 1; i <= 20; i++) log.append(body(i, 30 + 17 * i), i)
      const again = openRequestLog(storage, LIMITS)
      expect(again.totals()).toEqual(log.totals())
      expect(contents(again)).toEqual(contents(log))
    }))

  it('never holds more than it may, whatever comes', () =>
    withLog({}, (log, storage) => {
      for (let i = 1; i <= 200; i++) {
        log.append(body(i, 1 + ((i * 379) % 400)), i)
        const { requests, bytes } = log.totals()
        expect(requests).toBeLessThanOrEqual(16)
        expect(bytes).toBeLessThanOrEqual(1000)
      }
      expect(log.totals()).toEqual(openRequestLog(storage, LIMITS).totals())
      expect(contents(log)[0]?.[0]).toBe(200)
    }))

  it('is as it was when an append fails', () =>
    withLog({ requests: 2 }, (log, storage) => {
      log.append(body(1), 1)
      log.append(body(2), 2)
      storage.sql.exec(
        `CREATE TRIGGER full BEFORE INSERT ON requests BEGIN SELECT RAISE(ABORT, 'disk full'); END`,
      )
      expect(() => log.append(body(3), 3)).toThrow('disk full')
      expect(log.totals()).toEqual({ requests: 2, bytes: 20 })
      expect(contents(log).map(([byte]) => byte)).toEqual([2, 1])
    }))
})
