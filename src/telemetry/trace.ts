/**
 * Reports → spans at an OTLP collector, over HTTP. Neighbours: `spans.ts` makes them, `server/` reports.
 * The packages of OpenTelemetry are loaded when a tracer is made and not before: most gateways have none.
 * A collector that is down costs nothing but its spans: what waits is bounded, and one warning is said.
 */
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { ExchangeReport } from '../exchange/report.ts'
import { createClean } from './clean.ts'
import { toSpans, type SpanMaker } from './spans.ts'

export interface TracerOptions {
  /** The collector, as in `OTEL_EXPORTER_OTLP_ENDPOINT`: `/v1/traces` is added where it is missing. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly version: string
  /** Told once when spans cannot be delivered, and again only after they could. */
  readonly onWarning?: (message: string) => void
}

export interface Tracer {
  /** Makes spans of it, if the caller wants this trace to be sampled. */
  exchange(report: ExchangeReport): void
  /** Sends what is left, and gives up after a while. */
  close(): Promise<void>
}

/** Spans, and reports before the packages are loaded; more are dropped. */
const QUEUE = 2048

/** Of one request to the collector, its repetitions included. */
const EXPORT_MS = 5000

const CLOSE_MS = 3000

interface Pipeline {
  take(report: ExchangeReport): void
  close(): Promise<void>
}

export function createTracer(options: TracerOptions): Tracer {
  const early: ExchangeReport[] = []
  let pipeline: Pipeline | undefined
  let isClosed = false

  const loading = createPipeline(options).then(
    (loaded) => {
      for (const report of early.splice(0)) loaded.take(report)
      pipeline = loaded
    },
    (error: unknown) => {
      isClosed = true
      early.length = 0
      options.onWarning?.(`Cannot send traces: ${toMessage(error)}`)
    },
  )

  return {
    exchange(report) {
      if (isClosed || !report.trace.isSampled) return
      if (pipeline !== undefined) pipeline.take(report)
      else if (early.length < QUEUE) early.push(report)
    },
    async close() {
      await loading
      isClosed = true
      await pipeline?.close()
    },
  }
}

async function createPipeline(options: TracerOptions): Promise<Pipeline> {
  const [{ createTraceState }, { BatchSpanProcessor }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ])
  const exporter = new OTLPTraceExporter({
    url: toUrl(options.endpoint),
    headers: { ...options.headers },
    timeoutMillis: EXPORT_MS,
  })
  const processor = new BatchSpanProcessor(withWarning(exporter, options), {
    maxQueueSize: QUEUE,
    maxExportBatchSize: QUEUE / 4,
    exportTimeoutMillis: EXPORT_MS * 2,
  })
  const maker: SpanMaker = {
    clean: createClean(true),
    resource: toResource(options.version),
    scope: { name: 'sluice', version: options.version },
    readState: createTraceState,
  }
  return {
    take(report) {
      for (const span of toSpans(report, maker)) processor.onEnd(span)
    },
    close: () => within(CLOSE_MS, processor.shutdown()),
  }
}

/** The processor tells nobody of a failure; this does, once. */
function withWarning(exporter: SpanExporter, { endpoint, onWarning }: TracerOptions): SpanExporter {
  const clean = createClean(true)
  let hasFailed = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const isFailure = result.code !== 0
        if (isFailure && !hasFailed)
          onWarning?.(
            `Cannot send traces to "${clean(endpoint, 300)}": ${clean(toMessage(result.error), 300)}. ` +
              'Spans are dropped until it answers; exchanges are not touched by this',
          )
        hasFailed = isFailure
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}

/** The SDK's own makers of resources bring detectors of machines along; three attributes are enough. */
function toResource(version: string): ReadableSpan['resource'] {
  const attributes = {
    'service.name': process.env['OTEL_SERVICE_NAME'] || 'sluice',
    'service.version': version,
    'process.pid': process.pid,
  }
  const resource: ReadableSpan['resource'] = {
    attributes,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  }
  return resource
}

const toUrl = (endpoint: string): string => {
  const url = new URL(endpoint)
  if (!url.pathname.endsWith('/v1/traces'))
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`
  return url.href
}

/** Waits for it, at most so long, and does not mind if it fails: the warning was said. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work.catch(() => undefined), late])
  clearTimeout(timer)
}

const toMessage = (error: unknown): string =>
  error instanceof Error && error.message !== '' ? error.message : 'no answer'
