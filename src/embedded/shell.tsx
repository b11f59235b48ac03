import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { SCRIPT } from './page-script.ts'
import { STYLE } from './page-style.ts'

interface ShellProps {
  readonly subtitle: string
  /** Whether the page fetches its `.live` parts again. */
  readonly refresh?: boolean
  readonly children: Child
}

/** A whole HTML document around `children`. */
export function Shell({ subtitle, refresh, children }: ShellProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`Sluice: ${subtitle}`}</title>
        <link rel="icon" href="data:," />
        <style>{raw(STYLE)}</style>
      </head>
      <body>
        <header>
          <Gate />
          <div>
            <h1>Sluice</h1>
            <p>{subtitle}</p>
          </div>
        </header>
        <main>{children}</main>
        {refresh ? <script>{raw(SCRIPT)}</script> : null}
      </body>
    </html>
  )
}

/** A sluice gate with water under it. */
function Gate() {
  return (
    <svg width="40" height="40" viewBox="0 0 40 40" fill="none" aria-hidden="true">
      <path
        d="M7 34V6M33 34V6M7 9h26"
        stroke="currentColor"
        stroke-width="3"
        stroke-linecap="round"
      />
      <path d="M13 12h14v10H13z" fill="currentColor" />
      <path
        d="M11 28q3-3 6 0t6 0 6 0M11 34q3-3 6 0t6 0 6 0"
        stroke="var(--accent)"
        stroke-width="2.5"
        stroke-linecap="round"
      />
    </svg>
  )
}

/** Turns what a component returned into a document. */
export function documentOf(page: { toString(): string | Promise<string> }): string {
  return `<!doctype html>${page.toString()}`
}
