/**
 * The proxies under test, each a process of its own: the raw pipe, the built gateway in one of its modes, and gateways of
 * others by their command line. Neighbours: `lineup.ts` starts them, `usage.ts` reads what they used.
 */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { WireName } from '../../src/index.ts'
import { DIRECT, PIPE, type Mode } from './modes.ts'
import type { Other } from './options.ts'
import { HAS_PROC, threadsOf, usedBy, type ThreadTimes, type Used } from './usage.ts'

export interface Contender {
  readonly name: string
  readonly port: number
  /** What its clients speak, where that is not what the upstream speaks. */
  readonly wire?: WireName | undefined
  /** That its clients send beside the usual ones. */
  readonly headers?: readonly string[] | undefined
  readonly mode?: Mode | undefined
  /** `undefined` where there is no process between client and upstream, or none that can be asked. */
  used(): Promise<Used | undefined>
  threads(): ThreadTimes
  stop(): Promise<void>
}

/** No proxy: what the wire and the two ends cost by themselves. */
export const startDirect = (upstreamPort: number): Contender => ({
  name: DIRECT,
  port: upstreamPort,
  used: () => Promise.resolve(undefined),
  threads: () => new Map(),
  stop: () => Promise.resolve(),
})

export async function startPipe(upstreamPort: number): Promise<Contender> {
  const port = await freePort()
  const child = startNode([file('pipe.mjs'), String(upstreamPort), String(port)])
  return await toContender(PIPE, port, child)
}

/** What the clients of the benchmark send is the key. */
const EVERYDAY = `log: { level: info, format: json }
keys:
  - { name: bench, hash: "sha256:${createHash('sha256').update('none-needed').digest('hex')}" }`

export async function startGateway(mode: Mode, upstreamPort: number): Promise<Contender> {
  if (!existsSync(file('../../dist/cli/main.js')))
    throw new Error('Cannot measure the gateway before it is built: run npm run build')
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const config = join(folder, 'sluice.yaml')
  const port = await freePort()
  const base = `http://127.0.0.1:${upstreamPort}${mode.to === 'anthropic-messages' ? '' : '/v1'}`
  writeFileSync(
    config,
    `upstreams:
  mock: { wire: ${mode.to}, baseUrl: "${base}"${mode.isEveryday === true ? ', apiKey: of-the-upstream' : ''} }
routes:
  - { model: "*", to: mock }
${mode.isEveryday === true ? EVERYDAY : 'log: { level: silent }'}
${mode.config(folder)}
`,
  )
  const command = [file('../../bin/sluice.js'), 'serve', '--config', config, '--port', String(port)]
  const child = startNode(command, mode.isEveryday === true ? 'ignore' : 'inherit')
  keep(child, { folder })
  const gateway = await toContender(mode.name, port, child)
  return { ...gateway, mode, wire: mode.from }
}

/** A gateway of somebody else: a shell runs its line, in a group of its own, so that all of it can be ended. */
export async function startOther(other: Other, upstreamPort: number): Promise<Contender> {
  const port = await freePort()
  const upstream = `http://127.0.0.1:${upstreamPort}`
  const fill = (text: string): string =>
    text.replaceAll('{port}', String(port)).replaceAll('{upstream}', upstream)
  const child = spawn('/bin/sh', ['-c', fill(other.command)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
    env: plainEnvironment(),
  })
  keep(child, { isGroup: true })
  const contender = await toContender(other.name, port, child)
  return {
    ...contender,
    headers: other.headers.map(fill),
    used: () => (HAS_PROC ? contender.used() : Promise.resolve(undefined)),
  }
}

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** As it runs for a person: no loader and no setting of the benchmark's own process. */
const plainEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, NODE_OPTIONS: '' })

/** `errors`: where its log goes. */
function startNode(
  args: readonly string[],
  errors: 'ignore' | 'inherit' = 'inherit',
): ChildProcess {
  const reporter = HAS_PROC ? [] : ['--import', new URL('report-usage.mjs', import.meta.url).href]
  const stdio: SpawnOptions['stdio'] = ['ignore', 'ignore', errors]
  const child = spawn(process.execPath, [...reporter, ...args], {
    stdio: HAS_PROC ? stdio : [...stdio, 'ipc'],
    env: plainEnvironment(),
  })
  keep(child, {})
  return child
}

async function toContender(name: string, port: number, child: ChildProcess): Promise<Contender> {
  try {
    await untilListening(name, port, child)
  } catch (error) {
    end(child)
    throw error
  }
  return {
    name,
    port,
    used: () => usedBy(child),
    threads: () => threadsOf(child),
    async stop() {
      const isOver = child.exitCode !== null || child.signalCode !== null
      const exited = isOver ? undefined : once(child, 'exit')
      end(child)
      await exited
    },
  }
}

interface Kept {
  readonly folder?: string
  /** Whether it leads a group of processes. */
  readonly isGroup?: boolean
}

/** All that run, so that none is left behind however the run ends. */
const running = new Map<ChildProcess, Kept>()
process.on('exit', () => {
  for (const child of running.keys()) end(child)
})

const keep = (child: ChildProcess, kept: Kept): void => void running.set(child, kept)

function end(child: ChildProcess): void {
  const { folder, isGroup = false } = running.get(child) ?? {}
  running.delete(child)
  try {
    if (isGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  } catch {
    // It has ended by itself.
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

const LISTEN_MS = 60_000

async function untilListening(name: string, port: number, child: ChildProcess): Promise<void> {
  const limit = performance.now() + LISTEN_MS
  while (performance.now() < limit) {
    if (child.exitCode !== null) throw new Error(`${name} ended with code ${child.exitCode}`)
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true))
      socket.on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
    if (isOpen) return
    await sleep(50)
  }
  throw new Error(`${name} does not listen on port ${port}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
