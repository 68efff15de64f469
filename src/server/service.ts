/**
 * A gateway with its config: logs, traces, and new settings when the file changes. Neighbours: the
 * commands start one; `gateway.ts` is what it runs; `config/` reads the file.
 */
import type { Config } from '../config/load.ts'
import { watchConfig } from '../config/watch.ts'
import type { Settings } from '../config/settings.ts'
import { createLog, type Log } from '../telemetry/log.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { createTracer } from '../telemetry/trace.ts'
import { toOrigin } from './config-origin.ts'
import { startGateway, type Gateway, type GatewayOptions } from './gateway.ts'
import { VERSION } from './version.ts'

export interface ServiceOptions extends Pick<
  GatewayOptions,
  'ledger' | 'origins' | 'sessions' | 'metrics' | 'metricsText' | 'office' | 'circle'
> {
  readonly log?: Log
  /** What was said on the command line, over what the file says: now and after each reload. */
  override?(settings: Settings): Settings
}

export interface Service extends Gateway {
  readonly log: Log
}

export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const { override = (settings: Settings) => settings } = options
  const settings = override(config.settings)
  const log = options.log ?? createLog(settings.log)
  const metrics = options.metrics ?? createMetrics({ version: VERSION })
  const tracer =
    settings.otlp === undefined
      ? undefined
      : createTracer({
          ...settings.otlp,
          version: VERSION,
          onWarning: (message) => log.warn(message),
        })
  let origin = toOrigin(config, settings, { readAt: Date.now() })
  const gateway = await startGateway(settings, {
    ...options,
    origin: () => origin,
    log,
    metrics,
    ...(tracer === undefined ? {} : { tracer }),
  })
  const watch =
    config.file === undefined
      ? undefined
      : watchConfig(config.file, {
          onChange(read, warnings, whole) {
            const next = override(read)
            gateway.reload(next)
            for (const warning of warnings) log.warn(warning)
            const notes = whatNeedsRestart(settings, next)
            for (const note of notes) log.warn(note)
            origin = toOrigin(whole, next, { readAt: Date.now(), notes })
            log.info('The config was read again and is in force')
          },
          onError(error) {
            metrics.reload(false)
            log.error('The new config is not right, and the old one stays in force', { error })
          },
        })
  return {
    ...gateway,
    log,
    async close(graceMs) {
      watch?.close()
      await gateway.close(graceMs)
      await log.flush()
    },
  }
}

/** What a running process cannot change, by its name in the config. */
const toFixed = ({
  listen,
  tls,
  limits,
  log,
  otlp,
  records,
  prices,
}: Settings): Readonly<Record<string, unknown>> => ({
  listen,
  tls,
  'limits.headers': limits.headers,
  'limits.requestTime': limits.requestTime,
  log,
  telemetry: otlp,
  'record and store': records,
  prices,
})

function whatNeedsRestart(running: Settings, read: Settings): readonly string[] {
  const [before, after] = [toFixed(running), toFixed(read)]
  const changed = Object.keys(before).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  return changed.length === 0
    ? []
    : [`Changes to ${changed.join(', ')} take effect after a restart`]
}
