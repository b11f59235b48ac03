import { DiagLogLevel, diag, type Meter } from '@opentelemetry/api'
import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type ViewOptions,
} from '@opentelemetry/sdk-metrics'
import type { Rig } from './rig.ts'

type ExporterOptions = NonNullable<ConstructorParameters<typeof JsonExporter>[0]>

/** How an application is set up. */
export interface ClientOptions {
  readonly url: string
  readonly headers: Record<string, string>
  readonly encoding?: 'protobuf' | 'json'
  readonly compression?: 'gzip' | 'none'
  readonly temporality?: ExporterOptions['temporalityPreference']
  readonly views?: ViewOptions[]
  /** Resource attributes beside those of `service`. */
  readonly resource?: Record<string, string>
}

/** An application with the official SDK. It exports when told to, and at no other time. */
export interface OtelClient {
  readonly meter: Meter
  /** Collects and exports once. Resolves to the error of the export, or to undefined when the SDK took it for a success. */
  flush(): Promise<Error | undefined>
  /** What the SDK warned of so far, and its errors. */
  readonly warnings: readonly string[]
}

/** What every client is to Prometheus. */
export const CLIENT_LABELS = { job: 'shop/checkout', instance: 'one' }

/** Makes an application that sends to an OTLP receiver. The SDK has one logger for all, so one client of a test is heard. */
export function startOtelClient(rig: Rig, options: ClientOptions): OtelClient {
  const { url, headers, compression = 'none', temporality } = options
  const config = {
    url,
    headers,
    compression: compression as ExporterOptions['compression'],
    temporalityPreference: temporality,
  }
  const exporter =
    options.encoding === 'json' ? new JsonExporter(config) : new ProtobufExporter(config)
  const never = 2 ** 31 - 1
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: never })
  const provider = new MeterProvider({
    readers: [reader],
    views: options.views,
    resource: resourceFromAttributes({
      'service.name': 'checkout',
      'service.namespace': 'shop',
      'service.instance.id': 'one',
      ...options.resource,
    }),
  })

  const warnings: string[] = []
  const warn = (...parts: unknown[]) => void warnings.push(parts.join(' '))
  const quiet = () => undefined
  diag.setLogger(
    { warn, error: warn, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  rig.onEnd(async () => {
    diag.disable()
    exporter.export = (_, done) => done({ code: 0 })
    await provider.shutdown()
  })

  let failure: Error | undefined
  const send = exporter.export.bind(exporter)
  exporter.export = (metrics, done) => {
    send(metrics, (result) => {
      failure = result.code === 0 ? undefined : (result.error ?? new Error('no reason given'))
      done({ code: 0 })
    })
  }
  return {
    meter: provider.getMeter('e2e', '1.0.0'),
    async flush() {
      await provider.forceFlush()
      return failure
    },
    warnings,
  }
}
