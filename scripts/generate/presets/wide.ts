// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import { type SeriesSet, seriesSet } from '../series-set.ts'

/** Besides the name, job, instance and one that tells series apart. */
const MORE = 56

/** Series with 60 labels, the name among them: what service meshes and inventories make. */
export function wide(): SeriesSet {
  const labels: Record<string, string> = {
    __name__: 'istio_requests_total',
    instance: '10.3.${series_id/1000}.${series_id/250%4}:15020',
    job: 'istio-proxies',
    request_id: 'r-${series_id}',
  }
  for (let i = 0; i < MORE; i++) {
    labels[`dimension_${String(i).padStart(2, '0')}`] = `value-${i}-\${series_id%${i + 2}}`
  }
  return seriesSet({ labels, help: 'Requests that went through.' })
}
