// What the tests of scripts/ serve in place of Sluice: it tells which bindings it got, and counts on its disk.
import { DurableObject } from 'cloudflare:workers'

export class Counter extends DurableObject {
  async fetch() {
    const { sql } = this.ctx.storage
    sql.exec('CREATE TABLE IF NOT EXISTS hits (id INTEGER PRIMARY KEY)')
    sql.exec('INSERT INTO hits DEFAULT VALUES')
    return Response.json(sql.exec('SELECT COUNT(*) AS hits FROM hits').one())
  }
}

export default {
  async fetch(request, env) {
    const { COUNTER, ...bindings } = env
    switch (new URL(request.url).pathname) {
      case '/-/healthy':
        return new Response('healthy')
      case '/count':
        return COUNTER.get(COUNTER.idFromName('it')).fetch(request)
      default:
        return Response.json(bindings)
    }
  },
}
