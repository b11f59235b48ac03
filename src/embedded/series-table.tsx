import { ageText, bytesText, countText, shorten } from './page-text.ts'
import type { RecentSeries, SeriesList, SeriesQuery } from './recent-series.ts'

/** Longest name or label value shown, in characters; the JSON has them whole. */
const SHOWN = 200

/** What is stored, and what of it was read. */
export function Totals({ list: { stored, scanned } }: { list: SeriesList }) {
  const all = scanned.requests >= stored.requests
  const newest = all ? '' : `in the newest ${countText(scanned.requests, 'request')}`
  return (
    <dl>
      <div>
        <dt>Requests stored</dt>
        <dd>
          {stored.requests.toLocaleString('en')} <small>{bytesText(stored.bytes)}</small>
        </dd>
      </div>
      <div>
        <dt>Series seen</dt>
        <dd>
          {scanned.series.toLocaleString('en')} <small>{newest}</small>
        </dd>
      </div>
      <div>
        <dt>Samples seen</dt>
        <dd>{scanned.samples.toLocaleString('en')}</dd>
      </div>
    </dl>
  )
}

/** The list itself, or why there is none. */
export function SeriesTable({ list, query }: { list: SeriesList; query: SeriesQuery }) {
  const { series, scanned, stored } = list
  return (
    <>
      {scanned.unreadable > 0 ? (
        <p class="note mark">
          {countText(scanned.unreadable, 'request')} could not be read: {scanned.problem}
        </p>
      ) : null}
      <div class="card">
        {series.length > 0 ? (
          <table class="series">
            <thead>
              <tr>
                <th scope="col">Series</th>
                <th scope="col">Value</th>
                <th scope="col">Age</th>
              </tr>
            </thead>
            <tbody>
              {series.map((one) => (
                <Row series={one} />
              ))}
            </tbody>
          </table>
        ) : (
          <div class="empty">
            <Nothing query={query} stored={stored.requests} scanned={scanned.requests} />
          </div>
        )}
      </div>
      {series.length >= query.limit ? (
        <p class="bar">{`The newest ${countText(series.length, 'series')}; there may be more.`}</p>
      ) : null}
    </>
  )
}

function Row({ series }: { series: RecentSeries }) {
  const labels = Object.entries(series.labels)
  const when = new Date(series.timestamp)
  return (
    <tr>
      <th scope="row">
        <Name name={series.name} />
        {labels.length > 0 ? (
          <span>
            {labels.map(([name, value]) => (
              <>
                <i>
                  {shorten(name, SHOWN)}=<b>{JSON.stringify(shorten(value, SHOWN))}</b>
                </i>{' '}
              </>
            ))}
          </span>
        ) : null}
      </th>
      <td>
        <Value series={series} />
      </td>
      <td>
        {Number.isNaN(when.getTime()) ? (
          'no date'
        ) : (
          <time datetime={when.toISOString()} title={when.toISOString()}>
            {ageText(series.age)}
          </time>
        )}
      </td>
    </tr>
  )
}

/** A name that may be broken where people read a break. */
function Name({ name }: { name: string }) {
  const words = shorten(name, SHOWN).split('_')
  return (
    <>
      {words.map((word, i) => (
        <>
          {i > 0 ? '_' : ''}
          {i > 0 ? <wbr /> : null}
          {word}
        </>
      ))}
    </>
  )
}

function Value({ series: { value, histogram } }: { series: RecentSeries }) {
  if (value === 'stale') {
    return (
      <span class="mark" title="The series has ended">
        stale
      </span>
    )
  }
  if (!histogram) return <>{value}</>
  return (
    <>
      <span>count {histogram.count}</span> <span>sum {histogram.sum}</span>
    </>
  )
}

function Nothing(props: { query: SeriesQuery; stored: number; scanned: number }) {
  if (props.stored === 0) {
    return (
      <>
        <p>
          <strong>Nothing has arrived yet.</strong>
        </p>
        <p>
          Paste the lines below into prometheus.yml, reload Prometheus, and series show up here.
        </p>
      </>
    )
  }
  if (props.query.name === '') return <p>No series in what is stored.</p>
  return (
    <p>
      No series with <strong>{props.query.name}</strong> in its name in the newest{' '}
      {countText(props.scanned, 'request')}.
    </p>
  )
}
