/**
 * The admin API as commands use it: which gateway, with which token, and what it did not do as a sentence. Neighbours:
 * `approvals.ts`, `halt.ts` and `tail.ts` ask; `api/client.ts` is what they ask by; `server/state-file.ts` is what a
 * gateway leaves for them.
 */
import { ApiError, type ApiPlace } from '../api/call.ts'
import { createApiClient, type ApiClient } from '../api/client.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { findConfig, loadConfig } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import type { Environment } from '../config/variables.ts'
import { readStates, stateFolder, type RunningGateway } from '../server/state-file.ts'

interface FindOptions {
  readonly url: string | undefined
  readonly config: string | undefined
  readonly env: Environment
  readonly cwd: string
}

/** Options that every command of this kind has. */
export const API_OPTIONS = {
  url: { type: 'string' },
  config: { type: 'string' },
  by: { type: 'string' },
  json: { type: 'boolean' },
} as const

export const API_HELP = `  --url URL       the gateway; without it, the one that runs on this machine
  --config FILE   its config, to find it and its token by
  --by NAME       who you are, for the record (default: your user name)
  --json          print what the API answers

The token is found by itself if you started the gateway. Else it is read from
SLUICE_TOKEN, or from "admin" in the config.`

/** Looks for the gateway before each call: one that was restarted may have another port and another token. */
export const connect = ({
  url,
  config,
}: {
  readonly url?: string | undefined
  readonly config?: string | undefined
}): ApiClient =>
  createApiClient(() => findApi({ url, config, env: process.env, cwd: process.cwd() }))

/** What came back, or the error where the thing is not there or somebody was first: a command says that itself. */
export async function ask<T>(work: Promise<T>): Promise<T | ApiError> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 404 || error.status === 409) return error
    throw toSluiceError(error)
  }
}

/** What came back; everything else ends the command with a sentence. */
export async function askOrEnd<T>(work: Promise<T>): Promise<T> {
  const said = await ask(work)
  if (said instanceof ApiError) throw toSluiceError(said)
  return said
}

export const toSluiceError = (error: ApiError): SluiceError =>
  new SluiceError('wrong-use', error.message, { cause: error })

/** As the API says it. */
export const toErrorBody = ({ message }: ApiError): object => ({ error: { message } })

/** The gateway that is meant: the one named, the one of the config, or the only one that runs here. */
export const findGateway = (options: FindOptions): Found =>
  find(options, readSettings(options.config, options))

function find({ url, env }: FindOptions, settings: Settings | undefined): Found {
  const running = readStates(stateFolder(env))
  const wanted = url ?? env['SLUICE_URL']
  return wanted === undefined ? pick(running, settings) : named(wanted, running)
}

function findApi(options: FindOptions): ApiPlace {
  const settings = readSettings(options.config, options)
  const place = find(options, settings)
  const token = place.token ?? options.env['SLUICE_TOKEN'] ?? settings?.admin.token
  if (token === undefined || token === '')
    throw new SluiceError(
      'wrong-use',
      `Cannot find the admin token of ${place.url}: put it into SLUICE_TOKEN`,
    )
  return { url: place.url, token }
}

type Found = Pick<RunningGateway, 'url' | 'token'>

function named(url: string, running: readonly RunningGateway[]): Found {
  if (!/^https?:\/\/./.test(url) || !URL.canParse(url))
    throw new SluiceError(
      'wrong-use',
      `--url ${url} is no URL: write it like http://127.0.0.1:4141`,
    )
  const { origin } = new URL(url)
  return running.find((one) => new URL(one.url).origin === origin) ?? { url: origin }
}

function pick(running: readonly RunningGateway[], settings: Settings | undefined): Found {
  const port = settings === undefined ? undefined : String(settings.listen.port)
  const [first, second] = running
  if (second !== undefined) {
    const ours = running.find(({ url }) => new URL(url).port === port)
    if (ours !== undefined) return ours
    const urls = running.map(({ url }) => url).join(', ')
    throw new SluiceError('wrong-use', `Several gateways run here: say --url with one of ${urls}`)
  }
  if (first !== undefined) return first
  if (settings === undefined || settings.admin.token === undefined)
    throw new SluiceError(
      'wrong-use',
      'No gateway runs here: start one with "sluice", or say where it is with --url',
    )
  const { host } = settings.listen
  const name = host.includes(':') ? `[${host}]` : host
  return { url: `${settings.tls === undefined ? 'http' : 'https'}://${name}:${port}` }
}

/** A config that is named must be right; one that only lies there may be for something else. */
function readSettings(
  file: string | undefined,
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
): Settings | undefined {
  if (file !== undefined) return loadConfig({ file, env, cwd }).settings
  try {
    return findConfig(cwd) === undefined ? undefined : loadConfig({ env, cwd }).settings
  } catch {
    return undefined
  }
}
