// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates of series
import type { SeriesSet } from '../series-set.ts'
import type { ShapeText } from '../series-shape.ts'
import { targetShapes } from './target-shapes.ts'

const TARGET = { job: 'node', instance: '10.${target/250}.${target%250}.1:9100' }
const CPUS = 8
const MODES = ['idle', 'iowait', 'irq', 'nice', 'softirq', 'steal', 'system', 'user']
const DISKS = ['nvme0n1', 'nvme1n1', 'sda', 'dm-0']
const DEVICES = ['eth0', 'eth1', 'lo', 'docker0', 'cni0']
const MOUNTS = [
  { device: '/dev/nvme0n1p1', fstype: 'ext4', mountpoint: '/' },
  { device: '/dev/nvme0n1p2', fstype: 'vfat', mountpoint: '/boot/efi' },
  { device: '/dev/nvme1n1', fstype: 'xfs', mountpoint: '/var/lib/kubelet' },
  { device: 'tmpfs', fstype: 'tmpfs', mountpoint: '/run' },
]

/** Machines as node_exporter tells of them: about 240 series each, a machine after the other. */
export function nodeExporter(): SeriesSet {
  return { shapes: targetShapes([...cpu(), ...memory(), ...disks(), ...network(), ...machine()]) }
}

function cpu(): ShapeText[] {
  return Array.from({ length: CPUS }, (_, i) =>
    MODES.map((mode) =>
      series('node_cpu_seconds_total', 'Seconds the CPUs spent in each mode.', {
        cpu: String(i),
        mode,
      }),
    ),
  ).flat()
}

function memory(): ShapeText[] {
  const fields =
    'MemTotal MemFree MemAvailable Buffers Cached SwapCached Active Inactive Active_anon Inactive_anon Active_file Inactive_file Unevictable Mlocked SwapTotal ' +
    'SwapFree Dirty Writeback AnonPages Mapped Shmem KReclaimable Slab SReclaimable SUnreclaim KernelStack PageTables CommitLimit Committed_AS VmallocTotal ' +
    'VmallocUsed Percpu Hugepagesize DirectMap4k DirectMap2M'
  return fields
    .split(' ')
    .map((field) =>
      series(`node_memory_${field}_bytes`, `Memory information field ${field}_bytes.`),
    )
}

function disks(): ShapeText[] {
  const counters = [
    ['read_bytes_total', 'The total number of bytes read successfully.'],
    ['reads_completed_total', 'The total number of reads completed successfully.'],
    ['read_time_seconds_total', 'The total number of seconds spent by all reads.'],
    ['written_bytes_total', 'The total number of bytes written successfully.'],
    ['writes_completed_total', 'The total number of writes completed successfully.'],
    ['write_time_seconds_total', 'This is the total number of seconds spent by all writes.'],
    ['io_time_seconds_total', 'Total seconds spent doing I/Os.'],
    ['io_time_weighted_seconds_total', 'The weighted # of seconds spent doing I/Os.'],
  ] as const
  const filesystems = [
    ['size_bytes', 'Filesystem size in bytes.'],
    ['free_bytes', 'Filesystem free space in bytes.'],
    ['avail_bytes', 'Filesystem space available to non-root users in bytes.'],
    ['files', 'Filesystem total file nodes.'],
    ['files_free', 'Filesystem total free file nodes.'],
    ['readonly', 'Filesystem read-only status.'],
  ] as const
  return [
    ...counters.flatMap(([name, help]) =>
      DISKS.map((device) => series(`node_disk_${name}`, help, { device })),
    ),
    ...filesystems.flatMap(([name, help]) =>
      MOUNTS.map((mount) => series(`node_filesystem_${name}`, help, mount)),
    ),
  ]
}

function network(): ShapeText[] {
  const counters = ['bytes', 'packets', 'errs', 'drop', 'fifo', 'multicast'].flatMap((what) =>
    ['receive', 'transmit'].map((way) => [`${way}_${what}_total`, `${way}_${what}`] as const),
  )
  return [
    ...counters.flatMap(([name, what]) =>
      DEVICES.map((device) =>
        series(`node_network_${name}`, `Network device statistic ${what}.`, { device }),
      ),
    ),
    ...DEVICES.map((device) =>
      series('node_network_up', 'Value is 1 if operstate is up, 0 otherwise.', { device }),
    ),
  ]
}

function machine(): ShapeText[] {
  return [
    series('node_load1', '1m load average.'),
    series('node_load5', '5m load average.'),
    series('node_load15', '15m load average.'),
    series('node_boot_time_seconds', 'Node boot time, in unixtime.'),
    series('node_context_switches_total', 'Total number of context switches.'),
    series('node_forks_total', 'Total number of forks.'),
    series('node_intr_total', 'Total number of interrupts serviced.'),
    series('node_procs_running', 'Number of processes in runnable state.'),
    series('node_procs_blocked', 'Number of processes blocked waiting for I/O to complete.'),
    series('node_filefd_allocated', 'File descriptor statistics: allocated.'),
    series('node_sockstat_TCP_inuse', 'Number of TCP sockets in state inuse.'),
    series('node_time_seconds', 'System time in seconds since epoch (1970).'),
    series('node_uname_info', 'Labeled system information as provided by the uname system call.', {
      machine: 'x86_64',
      nodename: 'ip-10-${target/250}-${target%250}-1',
      release: '6.8.0-1021-aws',
      sysname: 'Linux',
    }),
    series('up', 'Whether the target could be scraped.'),
  ]
}

function series(name: string, help: string, labels: Record<string, string> = {}): ShapeText {
  return { help, labels: { __name__: name, ...TARGET, ...labels } }
}
