/** What a log may hold. When a limit is reached the oldest eighth goes, so one trim serves many appends. */
export interface LogLimits {
  /** Bytes of all bodies together. */
  readonly bytes: number
  readonly requests: number
  /** Largest body in one row; a larger one takes several. SQLite in production holds 2 MB in a row. */
  readonly bytesPerRow: number
}

/** One stored request. */
export interface StoredRequest {
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
  /** Compressed, as it came. Owned by the caller. */
  readonly body: Uint8Array
}

/** What a log holds now. */
export interface LogTotals {
  readonly requests: number
  readonly bytes: number
}

/** Request bodies in the order they came, the newest kept. */
export interface RequestLog {
  /**
   * Stores a body: one row written for each `bytesPerRow` of it, and now and then a range of old rows deleted. All of it
   * happens, or nothing and it throws what SQLite throws.
   */
  append(body: ArrayBuffer, receivedAt: number): void
  /** Newest first, read as it is consumed: at most `rows` rows, and none after `bytes` bytes have been read. */
  newest(rows: number, bytes: number): Generator<StoredRequest>
  /** Of those that came after the request `id`, at most `requests`, oldest first: read at once, one at least, else up to `bytes` bytes. */
  after(id: number, requests: number, bytes: number): readonly NumberedRequest[]
  /** The id of the newest request, 0 when there is none. */
  newestId(): number
  totals(): LogTotals
}

/** A stored request with its place in the order of arrival: ids grow, and none is used again while a newer request is stored. */
export interface NumberedRequest {
  readonly id: number
  /** One more than the id of the request that came before it, whether that is still there or not. */
  readonly begins: number
  /** Compressed, as it came. Owned by the caller. */
  readonly body: Uint8Array
}

type Row = { id: number; part: number; bytes: number }
type BodyRow = { received_at: number; part: number; body: ArrayBuffer }
type NumberedRow = { id: number; part: number; body: ArrayBuffer }

/** Opens the log in a Durable Object's SQLite, making its table when it is new. Passes over the whole table once. */
export function openRequestLog(storage: DurableObjectStorage, limits: LogLimits): RequestLog {
  const { sql } = storage
  // A body in several rows has them one after the other, counted by `part`: ids are in order of arrival.
  sql.exec(`CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY, received_at INTEGER NOT NULL, part INTEGER NOT NULL, body BLOB NOT NULL)`)
  let totals: LogTotals = sql
    .exec<{ requests: number; bytes: number }>(
      `SELECT COUNT(*) FILTER (WHERE part = 0) AS requests, COALESCE(SUM(length(body)), 0) AS bytes
       FROM requests`,
    )
    .one()

  /** Deletes old requests when one of `incoming` bytes would not fit; returns what is left. */
  function makeRoom(incoming: number): LogTotals {
    if (totals.requests < limits.requests && totals.bytes + incoming <= limits.bytes) return totals
    const keepRequests = Math.floor((limits.requests * 7) / 8)
    const keepBytes = Math.floor((limits.bytes * 7) / 8) - incoming
    let cut = Number.MAX_SAFE_INTEGER
    let left = totals
    const rows = sql.exec<Row>('SELECT id, part, length(body) AS bytes FROM requests ORDER BY id')
    for (const row of rows) {
      if (row.part === 0 && left.requests <= keepRequests && left.bytes <= keepBytes) {
        cut = row.id
        break
      }
      left = {
        requests: left.requests - (row.part === 0 ? 1 : 0),
        bytes: left.bytes - row.bytes,
      }
    }
    sql.exec('DELETE FROM requests WHERE id < ?', cut)
    return left
  }

  function insert(body: ArrayBuffer, receivedAt: number): void {
    const { bytesPerRow } = limits
    for (let part = 0; part === 0 || part * bytesPerRow < body.byteLength; part++) {
      const piece = body.slice(part * bytesPerRow, (part + 1) * bytesPerRow)
      sql.exec(
        'INSERT INTO requests (received_at, part, body) VALUES (?, ?, ?)',
        receivedAt,
        part,
        piece,
      )
    }
  }

  return {
    append(body, receivedAt) {
      const left = storage.transactionSync(() => {
        const left = makeRoom(body.byteLength)
        insert(body, receivedAt)
        return left
      })
      totals = { requests: left.requests + 1, bytes: left.bytes + body.byteLength }
    },

    *newest(rowLimit, byteLimit) {
      const rows = sql.exec<BodyRow>(
        'SELECT received_at, part, body FROM requests ORDER BY id DESC LIMIT ?',
        rowLimit,
      )
      let read = 0
      let pieces: ArrayBuffer[] = []
      for (const row of rows) {
        read += row.body.byteLength
        pieces.push(row.body)
        if (row.part > 0) continue
        yield { receivedAt: row.received_at, body: concatenate(pieces.reverse()) }
        pieces = []
        if (read >= byteLimit) return
      }
    },

    after(id, requests, bytes) {
      const found: { begins: number; id: number; pieces: ArrayBuffer[] }[] = []
      let read = 0
      const rows = sql.exec<NumberedRow>(
        'SELECT id, part, body FROM requests WHERE id > ? ORDER BY id',
        id,
      )
      for (const row of rows) {
        if (row.part === 0) {
          if (found.length >= requests || (found.length > 0 && read >= bytes)) break
          found.push({ begins: row.id, id: row.id, pieces: [] })
        }
        read += row.body.byteLength
        const last = found.at(-1)
        // A cursor inside of a request: the rest of it is passed over.
        if (last === undefined) continue
        last.id = row.id
        last.pieces.push(row.body)
      }
      return found.map(({ pieces, ...ids }) => ({ ...ids, body: concatenate(pieces) }))
    },

    newestId: () =>
      sql.exec<{ id: number }>('SELECT COALESCE(MAX(id), 0) AS id FROM requests').one().id,

    totals: () => totals,
  }
}

function concatenate(pieces: readonly ArrayBuffer[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.byteLength, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(new Uint8Array(piece), at)
    at += piece.byteLength
  }
  return whole
}
