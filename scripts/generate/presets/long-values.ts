// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import { type SeriesSet, seriesSet } from '../series-set.ts'

/** In many scripts, as texts that came from people. */
const SENTENCE = 'Das Öl wurde gewechselt, 油を交換した, масло заменили, तेल बदल दिया गया; '
/** Together with what is filled in, values are about 1,000 and 4,000 bytes. */
const QUERY = 'SELECT * FROM orders WHERE customer = $1 AND state IN ($2, $3) -- '

/** Series with label values of about 1 and 4 kB: queries and stack traces that became labels. */
export function longValues(): SeriesSet {
  return seriesSet({
    help: 'How often a statement ran.',
    labels: {
      __name__: 'db_statement_calls_total',
      comment: `\${series_id}: ${SENTENCE.repeat(9)}`,
      database: 'db-${series_id%20}',
      instance: 'db-${series_id/100}.internal:9187',
      job: 'postgres',
      query: `${QUERY.repeat(58)}\${series_id/3}`,
    },
  })
}
