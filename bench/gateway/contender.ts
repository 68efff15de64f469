/**
 * The proxies under test, each a process of its own: the raw pipe and the built gateway. Neighbours:
 * `run.ts` has them take turns, `usage.ts` reads what they used.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WireName } from '../../src/index.ts'
import { HAS_PROC, usedBy, type Used } from './usage.ts'

export interface Contender {
  readonly name: string
  readonly port: number
  /** What its clients speak, where that is not what the upstream speaks. */
  readonly wire?: WireName | undefined
  /** `undefined` where there is no process between client and upstream. */
  used(): Promise<Used | undefined>
  stop(): Promise<void>
}

/** No proxy: what the wire and the two ends cost by themselves. */
export const startDirect = (upstreamPort: number): Contender => ({
  name: 'direct',
  port: upstreamPort,
  used: () => Promise.resolve(undefined),
  stop: () => Promise.resolve(),
})

export async function startPipe(upstreamPort: number): Promise<Contender> {
  const port = await freePort()
  return await toContender('pipe', port, [file('pipe.mjs'), String(upstreamPort), String(port)])
}

/** A gate on every tool call: each is read, judged and let through. */
const GATE = `policies:
  - use: rules
    deny:
      - when: tool.name == "Bash" && shell.commands.exists(c, c.name == "rm" && "-rf" in c.flags)
        reason: Deleting recursively is not allowed here.
`

export interface GatewayOptions {
  /** The wire of the clients; without it, the upstream's. */
  readonly from?: WireName | undefined
  readonly hasGate?: boolean
  /** Whether it keeps what passes, in a file of its own. */
  readonly isRecorded?: boolean
}

export async function startGateway(
  wire: WireName,
  upstreamPort: number,
  { from, hasGate = false, isRecorded = false }: GatewayOptions = {},
): Promise<Contender> {
  if (!existsSync(file('../../dist/cli/main.js')))
    throw new Error('Cannot measure the gateway before it is built: run npm run build')
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'))
  const config = join(folder, 'sluice.yaml')
  const port = await freePort()
  const base = `http://127.0.0.1:${upstreamPort}${wire === 'anthropic-messages' ? '' : '/v1'}`
  await writeFile(
    config,
    `upstreams:
  mock: { wire: ${wire}, baseUrl: "${base}" }
routes:
  - { model: "*", to: mock }
log: { level: silent }
${isRecorded ? `store: "${join(folder, 'records.db')}"` : 'record: off'}
${hasGate ? GATE : ''}`,
  )
  const args = [file('../../bin/sluice.js'), 'serve', '--config', config, '--port', String(port)]
  const name = `${hasGate ? 'gate' : 'sluice'}${isRecorded ? ', recorded' : ''}`
  const gateway = await toContender(name, port, args)
  return {
    ...gateway,
    wire: from,
    async stop() {
      await gateway.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

async function toContender(
  name: string,
  port: number,
  args: readonly string[],
): Promise<Contender> {
  const reporter = HAS_PROC ? [] : ['--import', new URL('report-usage.mjs', import.meta.url).href]
  const child = spawn(process.execPath, [...reporter, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', ...(HAS_PROC ? [] : (['ipc'] as const))],
    // As it runs for a person: no loader and no setting of the benchmark's own process.
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  await untilListening(name, port, child)
  return {
    name,
    port,
    used: () => usedBy(child),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

async function untilListening(name: string, port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (child.exitCode !== null) throw new Error(`${name} ended with code ${child.exitCode}`)
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true))
      socket.on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
    if (isOpen) return
    await sleep(50)
  }
  child.kill('SIGKILL')
  throw new Error(`${name} does not listen`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
