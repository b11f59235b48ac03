import { documentOf, Shell } from './shell.tsx'

const ENDPOINTS: readonly (readonly [path: string, what: string])[] = [
  ['POST /api/v1/write', 'remote write; the same at /api/v1/push and /api/v1/receive'],
  ['GET /metrics', 'what this instance has counted, for Prometheus to scrape'],
  ['GET /-/healthy', 'whether it runs'],
  ['GET /-/ready', 'whether its config is good'],
]

/** The front page of an instance that forwards elsewhere: that it runs, and where. */
export function runningPage(snippet: string): string {
  return documentOf(
    <Shell subtitle="running">
      <p>
        Sluice is running and forwards what it takes to the origins of its config. The embedded
        origin is not one of them, so there is nothing to look at here.
      </p>
      <div class="card">
        <table class="endpoints">
          <thead>
            <tr>
              <th scope="col">Endpoint</th>
              <th scope="col">What it is for</th>
            </tr>
          </thead>
          <tbody>
            {ENDPOINTS.map(([path, what]) => (
              <tr>
                <th scope="row">
                  <code>{path}</code>
                </th>
                <td>{what}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <h2>Send data here</h2>
      <p>In prometheus.yml:</p>
      <pre tabindex={0}>{snippet}</pre>
    </Shell>,
  )
}

/** A page that says what went wrong. */
export function problemPage(problem: string): string {
  return documentOf(
    <Shell subtitle="no list">
      <p class="note mark" role="alert">
        {problem}
      </p>
      <p>
        <a href="/">Back to the list</a>
      </p>
    </Shell>,
  )
}
