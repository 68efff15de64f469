/**
 * The gateway that a client is started on: one that already answers where the config says, or one in
 * this process for the time of the run. Neighbours: `run.ts` asks for it, `server/` is it.
 */
import { get } from 'node:http'
import { get as getOverTls } from 'node:https'
import { parseObject } from '../base/json.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { Config } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import type { WireName } from '../event/event.ts'
import { startService } from '../server/service.ts'
import { readyDefaultStore } from './default-store.ts'
import { leaveState } from './leave-state.ts'

export interface RunGateway {
  readonly url: string
  /** Started by us, for this run. */
  readonly isOurs: boolean
  /** Whether an upstream waits for the client's own credential there. Of a stranger this is not known. */
  needsCredential(wire: WireName): boolean
  /** Models that routes name in full. */
  readonly models: readonly string[]
  close(): Promise<void>
}

export interface RunGatewayOptions {
  /** In place of the one in the config. */
  readonly port: number | undefined
  readonly hasKey: boolean
}

/** How long a client's last connections may take to close. */
const CLOSE_LIMIT = 2000

export async function openGateway(
  config: Config,
  { port, hasKey }: RunGatewayOptions,
): Promise<RunGateway> {
  const { settings } = config
  const models = namedModels(settings)
  const url = toUrl(settings, port ?? settings.listen.port)
  if (await isSluice(url))
    return {
      url,
      isOurs: false,
      needsCredential: () => false,
      models,
      close: () => Promise.resolve(),
    }
  if (settings.keys.length > 0 && !hasKey) throw new SluiceError('wrong-use', NEEDS_KEY)
  const recording = readyDefaultStore(settings, process.env)
  const service = await startService(config, {
    override: (read) => ({
      ...recording.place(read),
      // A port of its own, not the usual one: a second run would use this gateway, and lose it when
      // the first one ends. For one client on this machine there is no TLS either.
      listen: { host: '127.0.0.1', port: port ?? 0 },
      tls: undefined,
      // The screen belongs to the client.
      log: { ...read.log, level: 'silent' },
    }),
  })
  // There may be keys in the store besides.
  if (service.needsKey() && !hasKey) {
    await service.close(CLOSE_LIMIT)
    throw new SluiceError('wrong-use', NEEDS_KEY)
  }
  const token = settings.admin.token === undefined ? service.adminToken() : undefined
  const forget = leaveState({ url: service.url, token })
  return {
    url: service.url,
    isOurs: true,
    needsCredential: (wire) => needsCredential(settings, wire),
    models,
    async close() {
      forget()
      await service.close(CLOSE_LIMIT)
    },
  }
}

const NEEDS_KEY = 'This gateway asks for a key: put yours into SLUICE_KEY'

/** The address as a client on this machine reaches it. */
function toUrl({ listen, tls }: Settings, port: number): string {
  const everywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  const host = everywhere[listen.host] ?? listen.host
  const name = host.includes(':') ? `[${host}]` : host
  return `${tls === undefined ? 'http' : 'https'}://${name}:${port}`
}

/** Whether a gateway of ours answers there. */
async function isSluice(url: string): Promise<boolean> {
  const ask = url.startsWith('https:') ? getOverTls : get
  return await new Promise((resolve) => {
    const request = ask(`${url}/health`, { agent: false, timeout: 1000 }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        text += piece
        // Whatever this is, it is not our few bytes.
        if (text.length > 10_000) request.destroy()
      })
      response.on('end', () => resolve(parseObject(text)?.['name'] === 'sluice'))
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
    request.on('close', () => resolve(false))
  })
}

function needsCredential({ routes, upstreams }: Settings, wire: WireName): boolean {
  const names = new Set(
    routes.filter((route) => (route.wire ?? wire) === wire).flatMap((route) => route.to),
  )
  return upstreams.some(
    (upstream) =>
      names.has(upstream.name) &&
      upstream.wires.includes(wire) &&
      upstream.kind === 'http' &&
      upstream.apiKey === undefined &&
      upstream.auth !== 'none',
  )
}

function namedModels({ routes, upstreams }: Settings): readonly string[] {
  const named = routes
    .filter(({ wire = 'openai-chat' }) => wire === 'openai-chat')
    .map(({ model }) => model)
    .filter((model) => !model.includes('*'))
  // The demo takes any name.
  const demo = upstreams.some(({ kind }) => kind === 'demo') ? ['demo'] : []
  return named.length > 0 ? [...new Set(named)] : demo
}
