import { MAX_NAME } from './query.ts'
import type { SeriesList, SeriesQuery } from './recent-series.ts'
import { SeriesTable, Totals } from './series-table.tsx'
import { documentOf, Shell } from './shell.tsx'

/** What the page of the embedded origin shows. */
export interface SeriesPage {
  /** Of the page's own URL, as `https://host`. */
  readonly origin: string
  readonly query: SeriesQuery
  readonly list: SeriesList
  /** What to paste into prometheus.yml. */
  readonly snippet: string
  /** Whether the page fetches itself again. */
  readonly refresh: boolean
}

/** The series that arrived last, as an HTML document. Everything that was sent is escaped. */
export function seriesPage({ origin, query, list, snippet, refresh }: SeriesPage): string {
  return documentOf(
    <Shell subtitle="what arrived last" refresh={refresh}>
      <div id="totals" class="live">
        <Totals list={list} />
      </div>
      <Filter query={query} refresh={refresh} />
      <div id="list" class="live">
        <SeriesTable list={list} query={query} />
      </div>
      <Footing query={query} refresh={refresh} />
      <section>
        <h2>Send data here</h2>
        <p>In prometheus.yml:</p>
        <pre tabindex={0}>{snippet}</pre>
        <Reachable origin={origin} />
      </section>
    </Shell>,
  )
}

function Filter({ query, refresh }: { query: SeriesQuery; refresh: boolean }) {
  return (
    <search>
      <form method="get" action="/">
        <label>
          Filter by name
          <input type="search" name="name" value={query.name} maxlength={MAX_NAME} />
        </label>
        <input type="hidden" name="limit" value={query.limit} />
        {refresh ? null : <input type="hidden" name="refresh" value="off" />}
        <button type="submit">Filter</button>
      </form>
    </search>
  )
}

function Footing({ query, refresh }: { query: SeriesQuery; refresh: boolean }) {
  const asked = { name: query.name, limit: String(query.limit) }
  const other = new URLSearchParams({ ...asked, refresh: refresh ? 'off' : 'on' })
  return (
    <div class="bar">
      <p>
        {refresh ? 'Refreshed every 5 seconds.' : 'Not refreshed.'}{' '}
        <a href={`/?${other}`}>{refresh ? 'Pause' : 'Refresh every 5 seconds'}</a>
      </p>
      <p>
        <a href={`/embedded/series?${new URLSearchParams(asked)}`}>As JSON</a>
      </p>
      <p id="status" role="status" />
    </div>
  )
}

/** A container's loopback is its own: a newcomer's most common surprise. */
function Reachable({ origin }: { origin: string }) {
  const { hostname } = new URL(origin)
  if (!/^(localhost|127\..*|\[::1\])$/.test(hostname)) return null
  return (
    <footer>
      This address reaches Sluice from this machine only. From a container or another host, start
      Sluice with <code>--host</code> and say <code>sluice.auth</code> in its config.
    </footer>
  )
}
