/**
 * The built gateway as a process, with a config and a policy file that are edited while it runs, and what can be seen of
 * it from outside: its figures, its memory, its open files. Neighbours: `measure.mjs` is loaded into it, `soak.ts` runs it.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { WIRE_NAMES } from '../../src/wire/wires.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export interface SoakedGateway {
  readonly url: string
  readonly file: string
  /** The sum of a metric over the labels that fit. */
  metric(name: string, labels?: string): Promise<number>
  /** Collects first. */
  sample(): Promise<Sample>
  /** Edits the config, or the policy file, and waits until it is in force. */
  reload(what: 'config' | 'policy' | 'mistake'): Promise<void>
  /** What it has logged: warnings and errors. */
  readonly said: readonly string[]
  /** It has ended, by itself or not. */
  readonly isGone: boolean
  /** Tells it to stop; resolves to its exit code. */
  stop(): Promise<number | null>
  kill(): void
}

/** Sizes in bytes. What the system does not tell is 0. */
export interface Sample {
  /** After collecting: heap and buffers. */
  readonly held: number
  /** Of the process, without mapped files. */
  readonly rss: number
  readonly files: number
  readonly sockets: number
  readonly handles: Readonly<Record<string, number>>
}

interface ConfigFacts {
  readonly upstream: string
  readonly folder: string
  readonly isShort: boolean
  readonly round: number
}

/** Its limits are so short that a stall is over soon, and so long that a client may pause. */
const configText = ({ upstream, folder, isShort, round }: ConfigFacts): string => `
store: { file: ${JSON.stringify(join(folder, 'records.db'))} }
timeouts: { connect: 5s, firstByte: ${isShort ? '2500ms' : '4s'}, idle: ${isShort ? '2500ms' : '4s'}, total: 2m }
retry: { attempts: 2, backoff: 20ms, maxBackoff: 100ms, maxRetryAfter: 2s }
breaker: { failures: 0 }
limits: { answer: 8mb }
log: { level: warn, format: json }
upstreams:
${WIRE_NAMES.flatMap((wire) =>
  [wire, `hasty-${wire}`].map(
    (name) =>
      `  ${name}: { wire: ${wire}, baseUrl: "${upstream}${wire === 'anthropic-messages' ? '' : '/v1'}", headers: { x-round: "${round}" } }`,
  ),
).join('\n')}
routes:
${WIRE_NAMES.flatMap((wire) => [`hasty-${wire}`, wire].map((name) => `  - { model: "*-${name}:*", to: ${name} }`)).join('\n')}
policies:
  - use: rules
    models: gated-*
    deny:
      - when: tool.name == "run_command"
        reason: No commands in round ${round}.
  - use: ./gate.mjs
    models: gated-*
`

const policyText = (round: number): string => `
import { definePolicy, pass } from 'sluice/policy'

/** Looks at each call and lets it through. Round ${round}. */
export default definePolicy({
  name: 'gate',
  holds: ['tool-call'],
  judge: async () => pass(),
})
`

export async function startSoaked(
  upstream: string,
  { folder, isShort }: { readonly folder: string; readonly isShort: boolean },
): Promise<SoakedGateway> {
  if (!existsSync(join(ROOT, 'dist/cli/main.js')))
    throw new Error('Cannot soak the gateway before it is built: run npm run build')
  const config = join(folder, 'sluice.yaml')
  const policy = join(folder, 'gate.mjs')
  mkdirSync(folder, { recursive: true })
  let round = 0
  writeFileSync(policy, policyText(round))
  const facts = { upstream, folder, isShort }
  writeFileSync(config, configText({ ...facts, round }))
  const child = spawn(
    process.execPath,
    [
      '--expose-gc',
      '--import',
      new URL('measure.mjs', import.meta.url).href,
      join(ROOT, 'bin/sluice.js'),
      'serve',
      '--port',
      '0',
      '--config',
      config,
    ],
    {
      cwd: folder,
      env: { ...process.env, NODE_OPTIONS: '', XDG_STATE_HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  )
  const said: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => {
    // The newest are enough.
    if (said.push(...chunk.toString().split('\n').filter(Boolean)) > 1000) said.splice(0, 500)
  })
  const url = await urlOf(child, said)

  const metric = async (name: string, labels = ''): Promise<number> => {
    try {
      return sumOf(await (await fetch(`${url}/metrics`)).text(), name, labels)
    } catch (cause) {
      const { exitCode, signalCode } = child
      const last = said.slice(-3).join('\n')
      throw new Error(`The gateway is gone: ${exitCode ?? signalCode ?? 'no end'}\n${last}`, {
        cause,
      })
    }
  }

  return {
    url,
    file: join(folder, 'records.db'),
    metric,
    said,
    get isGone() {
      return child.exitCode !== null || child.signalCode !== null
    },
    async sample() {
      child.send({})
      const [told] = (await once(child, 'message')) as [Pick<Sample, 'held' | 'rss' | 'handles'>]
      return { ...told, ...openFiles(child.pid), rss: ownMemory(child.pid) ?? told.rss }
    },
    async reload(what) {
      const result = what === 'mistake' ? 'result="failed"' : 'result="ok"'
      const before = await metric('sluice_config_reloads_total', result)
      round += 1
      if (what === 'policy') replace(policy, policyText(round))
      else {
        const text = configText({ ...facts, round })
        replace(config, what === 'mistake' ? text.replace('routes:', 'rotues:') : text)
      }
      for (let tries = 0; tries < 200; tries++) {
        if ((await metric('sluice_config_reloads_total', result)) > before) return
        await sleep(50)
      }
      throw new Error(`An edit of the ${what} was not seen within 10 s`)
    },
    async stop() {
      if (child.exitCode !== null) return child.exitCode
      const gone = once(child, 'exit') as Promise<[number | null]>
      child.kill('SIGTERM')
      const [code] = await gone
      return code
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

const urlOf = (child: ChildProcess, said: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-10_000)
      const found = /listening on (http:\/\/\S+)/.exec(text)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) =>
      reject(new Error(`The gateway ended with ${code}: ${text}${said.join('\n')}`)),
    )
  })

/** As editors do it: another file takes its place. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}

function sumOf(text: string, name: string, labels: string): number {
  let sum = 0
  for (const line of text.split('\n'))
    if (line.startsWith(name) && /^[ {]/.test(line.slice(name.length)) && line.includes(labels))
      sum += Number(line.slice(line.lastIndexOf(' ') + 1))
  return sum
}

function openFiles(pid: number | undefined): Pick<Sample, 'files' | 'sockets'> {
  const folder = `/proc/${pid}/fd`
  if (!existsSync(folder)) return { files: 0, sockets: 0 }
  const names = readdirSync(folder)
  const sockets = names.filter((name) => isSocket(join(folder, name)))
  return { files: names.length, sockets: sockets.length }
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:')
  } catch {
    // Closed since it was listed.
    return false
  }
}

/** Anonymous memory: what lies in mapped files is the system's to keep. */
function ownMemory(pid: number | undefined): number | undefined {
  const status = `/proc/${pid}/status`
  if (!existsSync(status)) return undefined
  const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}
