/**
 * SDKs that need a newer Node, in a child process on that Node. Neighbours: `test/judges/sdk.ts` is the
 * child, `judges.ts` the court that hears streams in the same way.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { WireName } from '../../src/event/event.ts'
import type { Outcome, Place } from './sdk-flow.ts'

const JUDGES = join(import.meta.dirname, '../judges')

export interface SdkChild {
  /** What it can run. */
  readonly sdks: readonly {
    readonly name: string
    readonly wire: WireName
    readonly flows: readonly string[]
  }[]
  run(sdk: string, flow: string, place: Place): Promise<Outcome>
  close(): void
}

export const noChild = 'no newer Node under test/judges: run npm test'

/** `undefined`: `test/judges` is not installed. */
export async function startSdkChild(): Promise<SdkChild | undefined> {
  const node = newerNode()
  if (node === undefined) return undefined
  const child = spawn(node, [join(JUDGES, 'sdk.ts')], { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<string, Waiting>()
  let count = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { key, value } = JSON.parse(line) as { key: string; value: unknown }
    waiting.get(key)?.resolve(value)
    waiting.delete(key)
  })
  child.on('exit', (code) => {
    for (const { reject } of waiting.values())
      reject(new Error(`test/judges/sdk.ts ended with ${code}`))
  })
  const ask = (job: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const key = String(count++)
      waiting.set(key, { resolve, reject })
      child.stdin.write(`${JSON.stringify({ key, ...job })}\n`)
    })
  const sdks = (await ask({})) as SdkChild['sdks']
  return {
    sdks,
    run: async (sdk, flow, place) => (await ask({ sdk, flow, place })) as Outcome,
    close: () => void child.kill(),
  }
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

function newerNode(): string | undefined {
  const modules = join(JUDGES, 'node_modules')
  // Where the runtimes are but not these SDKs, the install is of an older lockfile.
  if (!existsSync(join(modules, 'ai'))) return undefined
  const name = readdirSync(modules).find((one) =>
    one.startsWith(`node22-${process.platform}-${process.arch}`),
  )
  return name === undefined ? undefined : join(modules, name, 'bin', 'node')
}
