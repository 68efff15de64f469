/**
 * Several real gateways, as a person starts them, on one Postgres: three processes, a provider that speaks Chat, and a
 * client. Neighbours: `test/records/shared.test.ts` is the short proof, `bench/several-gateways.ts` the long one. Knows
 * nothing of ours but the command and its config.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endOf, start } from './command.ts'

const TOKEN = 'the-admin-token-of-all'
const KEY = 'k-1'

export interface RealGateway {
  readonly url: string
  readonly child: ChildProcessWithoutNullStreams
  /** What it has said so far. */
  said(): string
  api(path: string, body?: object): Promise<{ status: number; json: Json }>
  post(path: string, body: object, signal?: AbortSignal): Promise<Response>
  /** As if the machine went away. */
  kill(): void
  stop(): Promise<void>
}

type Json = Readonly<Record<string, unknown>>

export interface GatewayConfig {
  readonly database: string
  /** Speaks Chat. */
  readonly chat: string
  readonly budget?: number
  readonly more?: string
}

const toYaml = ({ database, chat, budget = 1_000_000, more = '' }: GatewayConfig): string => `
log: { level: info, format: json }
store: "${database}"
admin: { token: ${TOKEN} }
keys:
  - { name: me, hash: "sha256:${createHash('sha256').update(KEY).digest('hex')}" }
  - name: poor
    hash: "sha256:${createHash('sha256').update('k-2').digest('hex')}"
    budget: { tokens: ${budget}, per: day }
upstreams:
  demo: { kind: demo, wire: openai-chat, pace: 1ms }
  slow: { kind: demo, wire: openai-chat, pace: 60ms }
  chat: { wire: openai-chat, baseUrl: "${chat}", apiKey: sk-ours }
routes:
  - { model: "chat-*", to: chat }
  - { model: "slow-*", to: slow, as: demo-text }
  - { model: "*", to: demo }
policies:
  - { use: approve, models: ["demo*"] }
${more}`

const folder = mkdtempSync(join(tmpdir(), 'sluice-several-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
let files = 0

export async function startReal(
  config: GatewayConfig,
  ...args: readonly string[]
): Promise<RealGateway> {
  const file = join(folder, `sluice-${files++}.yaml`)
  writeFileSync(file, toYaml(config))
  const child = start('serve', '--port', '0', '--config', file, ...args)
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const url = await new Promise<string>((resolve, reject) => {
    child.on('exit', () => reject(new Error(`The command ended: ${said}`)))
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]
      if (found !== undefined) resolve(found)
    })
  })
  return {
    url,
    child,
    said: () => said,
    async api(path, body) {
      const response = await fetch(`${url}/api${path}`, {
        headers: { authorization: `Bearer ${TOKEN}`, connection: 'close' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
      return { status: response.status, json: (await response.json()) as Json }
    },
    post: (path, body, signal) => post({ url, path, key: KEY }, body, signal),
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      child.kill('SIGTERM')
      await endOf(child)
    },
  }
}

export const post = (
  to: { readonly url: string; readonly path: string; readonly key: string },
  body: object,
  signal?: AbortSignal,
): Promise<Response> =>
  fetch(to.url + to.path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${to.key}`,
      connection: 'close',
    },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  })

const TOOL = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

/** A request whose answer calls a tool, which a person must let through. `talk` makes it one of its own. */
export const toolRequest = (talk: string, isStream = true): object => ({
  model: 'demo',
  stream: isStream,
  messages: [{ role: 'user', content: `What is the weather in Paris? ${talk}` }],
  tools: [TOOL],
})

export interface Approval {
  readonly ticket: string
  readonly status: string
  readonly isWaitedFor: boolean
  readonly gateway?: string
  readonly note?: string
}

export const approvalsOf = async (gateway: RealGateway): Promise<readonly Approval[]> =>
  (await gateway.api('/approvals')).json['approvals'] as readonly Approval[]

/** Looks again until it is so. */
export async function until<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
  what: string,
  ms = 10_000,
): Promise<T> {
  const end = Date.now() + ms
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (Date.now() > end) throw new Error(`Waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}
