/**
 * The court: every official SDK version that we know how to run, fed from a real server. SDKs for the
 * Node at hand run here; those that need a newer one run in a child process on that Node.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { WireName } from '../../src/event/event.ts'
import { judge, type Judgement } from './judge.ts'
import { startLoopback } from './loopback.ts'

const JUDGES = join(import.meta.dirname, '../judges')

export interface Court {
  /** What each SDK of that wire makes of the stream, by its name. */
  hear(
    wire: WireName,
    body: Uint8Array | string,
    cuts?: readonly number[],
  ): Promise<Record<string, Judgement>>
  close(): Promise<void>
}

export async function openCourt(): Promise<Court> {
  const server = await startLoopback()
  const child = startChild()
  return {
    async hear(wire, body, cuts = []) {
      const url = (): string => server.serve(body, { cuts })
      const here = await judge(wire, url(), { Anthropic, OpenAI })
      if (wire === 'anthropic-messages') {
        const old =
          child === undefined ? {} : { '@anthropic-ai/sdk 0.130': await child.ask(wire, url()) }
        return { '@anthropic-ai/sdk 1.8': here, ...old }
      }
      const newer = child === undefined ? {} : { 'openai 7.53': await child.ask(wire, url()) }
      return { 'openai 6.49': here, ...newer }
    },
    async close() {
      child?.process.kill()
      await server.close()
    },
  }
}

interface Child {
  readonly process: ChildProcess
  ask(wire: WireName, url: string): Promise<Judgement>
}

function startChild(): Child | undefined {
  const node = newerNode()
  if (node === undefined) {
    process.stderr.write(
      'no newer Node under test/judges: the SDKs that need it do not judge (run npm test)\n',
    )
    return undefined
  }
  const child = spawn(node, [join(JUDGES, 'run.ts')], { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<string, (judgement: Judgement) => void>()
  let count = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { key, judgement } = JSON.parse(line) as { key: string; judgement: Judgement }
    waiting.get(key)?.(judgement)
    waiting.delete(key)
  })
  return {
    process: child,
    ask: (wire, url) =>
      new Promise((resolve) => {
        const key = String(count++)
        waiting.set(key, resolve)
        child.stdin.write(`${JSON.stringify({ key, wire, url })}\n`)
      }),
  }
}

function newerNode(): string | undefined {
  const modules = join(JUDGES, 'node_modules')
  if (!existsSync(modules)) return undefined
  const name = readdirSync(modules).find((one) =>
    one.startsWith(`node22-${process.platform}-${process.arch}`),
  )
  return name === undefined ? undefined : join(modules, name, 'bin', 'node')
}
