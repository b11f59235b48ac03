// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import type { SeriesSet } from '../series-set.ts'
import type { ShapeText } from '../series-shape.ts'
import { targetShapes } from './target-shapes.ts'

const METHODS = ['GET', 'POST', 'PUT', 'DELETE']
const CODES = ['200', '201', '204', '400', '404', '429', '500', '503']

/** HTTP services, of each how long requests took by method and code: native histograms in remote write, explicit ones in OTLP. */
export function histograms(): SeriesSet {
  const texts = METHODS.flatMap((method) =>
    CODES.map(
      (code): ShapeText => ({
        kind: 'histogram',
        help: 'How long requests took.',
        labels: {
          __name__: 'http_server_request_duration_seconds',
          code,
          handler: '/api/v1/orders/:id',
          instance: '10.4.${target/250}.${target%250}:8080',
          job: 'orders-${target/10%40}',
          method,
          namespace: 'shop-${target/100%10}',
          pod: 'orders-${target/10%40}-${target}',
        },
      }),
    ),
  )
  return { shapes: targetShapes(texts) }
}
