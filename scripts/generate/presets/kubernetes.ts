// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import type { SeriesSet } from '../series-set.ts'
import type { ShapeText } from '../series-shape.ts'
import { targetShapes } from './target-shapes.ts'

const NAMESPACE = 'team-${target/40%25}'
const NODE = 'ip-10-0-${target/30/250}-${target/30%250}.eu-west-1.compute.internal'

/** Pods of 50 series: what cAdvisor and kube-state-metrics tell of each. 30 pods a node, 40 in a row in one namespace. */
export function kubernetes(): SeriesSet {
  return { shapes: podShapes('') }
}

/** A pod's 50 forms. `suffix` goes behind its name. */
export function podShapes(suffix: string) {
  const pod = `app-\${target/4%50}-7d9f\${target/4%997}-\${target}${suffix}`
  return targetShapes([...cadvisor(pod), ...kubeState(pod)])
}

function cadvisor(pod: string): ShapeText[] {
  const scraped = {
    job: 'kubelet',
    instance: '10.0.${target/30/250}.${target/30%250}:10250',
    endpoint: 'https-metrics',
    metrics_path: '/metrics/cadvisor',
    namespace: NAMESPACE,
    node: NODE,
    pod,
    service: 'prometheus-kubelet',
  }
  const container = {
    ...scraped,
    container: 'app',
    id: '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${target}.slice/cri-containerd-${target}.scope',
    image: 'registry.example/team/app-${target/4%50}:v1.${target/4%17}.0',
    name: 'cri-${target}',
  }
  const of = (labels: Record<string, string>) => (names: string) =>
    names.split(' ').map((name) => series(name, labels))
  return [
    ...of(container)(
      'container_cpu_usage_seconds_total container_cpu_user_seconds_total container_cpu_system_seconds_total container_cpu_cfs_periods_total ' +
        'container_cpu_cfs_throttled_periods_total container_cpu_cfs_throttled_seconds_total container_memory_usage_bytes container_memory_working_set_bytes ' +
        'container_memory_rss container_memory_cache container_memory_swap container_memory_mapped_file container_memory_max_usage_bytes container_memory_failcnt ' +
        'container_spec_cpu_period container_spec_cpu_quota container_spec_cpu_shares container_spec_memory_limit_bytes container_start_time_seconds ' +
        'container_processes container_threads container_threads_max container_sockets container_file_descriptors container_last_seen',
    ),
    ...['reads', 'writes'].map((way) =>
      series(`container_fs_${way}_bytes_total`, { ...container, device: '/dev/nvme0n1' }),
    ),
    ...of({ ...scraped, interface: 'eth0' })(
      'container_network_receive_bytes_total container_network_receive_packets_total container_network_receive_errors_total ' +
        'container_network_receive_packets_dropped_total container_network_transmit_bytes_total container_network_transmit_packets_total ' +
        'container_network_transmit_errors_total container_network_transmit_packets_dropped_total',
    ),
  ]
}

function kubeState(pod: string): ShapeText[] {
  const scraped = {
    job: 'kube-state-metrics',
    instance: '10.1.0.7:8080',
    namespace: NAMESPACE,
    pod,
    uid: '3f0c9a52-${target}-4c1e',
  }
  const container = { ...scraped, container: 'app' }
  const resource = (name: string, which: string, unit: string) =>
    series(name, { ...container, node: NODE, resource: which, unit })
  return [
    series('kube_pod_info', {
      ...scraped,
      created_by_kind: 'ReplicaSet',
      created_by_name: 'app-${target/4%50}-7d9f${target/4%997}',
      host_ip: '10.0.${target/30/250}.${target/30%250}',
      node: NODE,
      pod_ip: '10.2.${target/250%250}.${target%250}',
    }),
    series('kube_pod_created', scraped),
    series('kube_pod_start_time', scraped),
    ...['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'].map((phase) =>
      series('kube_pod_status_phase', { ...scraped, phase }),
    ),
    series('kube_pod_status_ready', { ...scraped, condition: 'true' }),
    series('kube_pod_container_info', { ...container, image: 'team/app-${target/4%50}' }),
    series('kube_pod_container_status_ready', container),
    series('kube_pod_container_status_restarts_total', container),
    resource('kube_pod_container_resource_requests', 'cpu', 'core'),
    resource('kube_pod_container_resource_requests', 'memory', 'byte'),
    resource('kube_pod_container_resource_limits', 'memory', 'byte'),
  ]
}

function series(name: string, labels: Record<string, string>): ShapeText {
  return { help: `What ${name} is.`, labels: { __name__: name, ...labels } }
}
