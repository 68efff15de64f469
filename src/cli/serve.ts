/**
 * `sluice serve`: the gateway until it is told to stop. Neighbours: `server/service.ts` runs it,
 * `banner.ts` says what is there.
 */
import { SluiceError } from '../base/sluice-error.ts'
import { loadConfigAsync } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import { refuseOpen } from '../server/listener.ts'
import { startService } from '../server/service.ts'
import { isWorker, startWorkers } from '../server/workers.ts'
import { readArguments } from './arguments.ts'
import { toBanner } from './banner.ts'
import type { Command } from './command.ts'
import { compileSooner } from './compile-sooner.ts'
import { readyDefaultStore } from './default-store.ts'
import { leaveState } from './leave-state.ts'
import { openPage } from './page-link.ts'

const HELP = `Usage: sluice serve [--config FILE] [--port N] [--host ADDRESS] [--workers N] [--open]

Starts the gateway. Without --config it reads ./sluice.yaml, and without that
it answers from the embedded demo upstream: no key, no network.

  --config FILE   the config; "sluice config check FILE" looks it over
  --port N        listen on this port (0: any free one)
  --host ADDRESS  listen on this address; beyond loopback keys are needed
  --workers N     so many processes on one port, to use several cores
  --open          show the page in a browser, where there is a desktop

Exchanges are recorded: the first lines say where, "sluice log" lists them, and
"record: off" in the config switches it off.

The config is read again when it changes. SIGTERM or SIGINT lets streams finish;
a second one ends them.
`

const OPTIONS = {
  config: { type: 'string' },
  port: { type: 'string' },
  host: { type: 'string' },
  workers: { type: 'string' },
  open: { type: 'boolean' },
} as const

const MAX_WORKERS = 64

export const serve: Command = {
  help: HELP,
  async run(argv, { out, err }) {
    const { values, file } = readArguments(argv, OPTIONS)
    const config = await loadConfigAsync({
      file: values.config ?? file,
      env: process.env,
      cwd: process.cwd(),
    })
    const recording = readyDefaultStore(config.settings, process.env)
    const port = toNumber('--port', values.port, 65_535)
    const override = (settings: Settings): Settings =>
      withPlace(recording.place(settings), port, values.host)
    const workers = toNumber('--workers', values.workers, MAX_WORKERS) ?? 1
    const settings = override(config.settings)
    if (!isWorker())
      for (const warning of [...config.warnings, recording.warning ?? []].flat())
        await err.line(`${err.style('yellow', 'warning:')} ${warning}`)

    const running =
      workers > 1 || isWorker()
        ? await startWorkers(config, { count: workers, override })
        : await startService(config, { override })
    compileSooner()
    if (isWorker()) {
      await untilStopped()
      await running.close()
      return 0
    }
    // One of the config has its place already.
    const token = settings.admin.token === undefined ? running.adminToken() : undefined
    const forget = leaveState({ url: running.url, token })
    const { url } = running
    await out.write(toBanner({ settings, url, file: config.file, workers, token }))
    if (values.open === true) openPage({ url, token })
    await untilStopped()
    await running.close()
    forget()
    return 0
  },
}

function withPlace(
  settings: Settings,
  port: number | undefined,
  host: string | undefined,
): Settings {
  const listen = { host: host ?? settings.listen.host, port: port ?? settings.listen.port }
  const placed = { ...settings, listen }
  refuseOpen(placed)
  return placed
}

function toNumber(option: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,6}$/.test(text) && Number(text) <= max) return Number(text)
  throw new SluiceError('wrong-use', `${option} ${text} is not possible: it takes 0 to ${max}`)
}

/** Resolves at the first signal; the second ends the process at once. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false
    const stop = (): void => {
      // A terminal signals all processes, and then the first tells its workers too: that is one order.
      // If the first ends, they end with it.
      if (isStopping && !isWorker()) process.exit(130)
      isStopping = true
      resolve()
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}
