/**
 * A real gateway that records, under load, killed again and again at random moments. What its API said is recorded must
 * be there afterwards, whole. Neighbours: `bench/records/kill.ts` runs it long, `test/records/kill.test.ts` short. The
 * built command is what runs.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCodec } from '../../src/records/codec.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { RecordStore } from '../../src/store/store.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TOKEN = 'a-token-for-the-kill-loop'

export interface KillOptions {
  readonly rounds: number
  readonly folder: string
  /** From 0 to 1. */
  random(): number
  readonly clients?: number
  /** How long it lives at most once it serves. */
  readonly maxLifeMs?: number
  onRound?(round: number, report: KillReport): void
}

export interface KillReport {
  /** Exchanges that the API called recorded. */
  acknowledged: number
  /** Answers that a client got whole. */
  answered: number
  /** Acknowledged, and not there. */
  readonly lost: string[]
  /** There, and not whole. */
  readonly broken: string[]
  /** Milliseconds from the start of a process until it had given its first answer. */
  readonly servedAfter: number[]
  links: number
}

const CONFIG = (file: string): string => `
listen: 127.0.0.1:0
admin: { token: ${TOKEN} }
store: { file: ${JSON.stringify(file)} }
upstreams:
  demo: { kind: demo, wire: anthropic-messages, pace: 2ms }
policies:
  - use: rules
    deny:
      - when: tool.name == "Bash"
        reason: No shell here
`

export async function killLoop(options: KillOptions): Promise<KillReport> {
  const { rounds, folder, random, clients = 8, maxLifeMs = 1500 } = options
  const file = join(folder, 'records.db')
  const config = join(folder, 'sluice.yaml')
  writeFileSync(config, CONFIG(file))
  const report: KillReport = {
    acknowledged: 0,
    answered: 0,
    lost: [],
    broken: [],
    servedAfter: [],
    links: 0,
  }
  const all: string[] = []
  for (let round = 1; round <= rounds; round++) {
    const acknowledged = await oneLife({
      config,
      folder,
      clients,
      report,
      ms: random() * maxLifeMs,
    })
    all.push(...acknowledged)
    report.acknowledged += acknowledged.length
    // The newest are in danger; all are looked at when it is over.
    await withStore(file, (store) => check(store, acknowledged, report))
    options.onRound?.(round, report)
  }
  await withStore(file, async (store) => {
    report.lost.length = 0
    report.broken.length = 0
    await check(store, all, report)
    const { links, broken } = await store.verify()
    report.links = links
    if (broken !== undefined) report.broken.push(`the chain at ${broken.seq}: ${broken.why}`)
  })
  return report
}

interface Life {
  readonly config: string
  readonly folder: string
  readonly clients: number
  readonly report: KillReport
  readonly ms: number
}

/** Starts one, loads it, kills it; gives back what it said is recorded. */
async function oneLife({ config, folder, clients, report, ms }: Life): Promise<readonly string[]> {
  const began = performance.now()
  const child = spawn(process.execPath, [`${ROOT}bin/sluice.js`, 'serve', '--config', config], {
    cwd: folder,
    env: { ...process.env, XDG_STATE_HOME: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const gone = once(child, 'exit')
  const ids: string[] = []
  try {
    const url = await urlOf(child)
    await ask(url, 0)
    report.servedAfter.push(performance.now() - began)
    const ended = new AbortController()
    const all = Promise.allSettled([
      hear(url, (id) => ids.push(id), ended.signal),
      ...Array.from({ length: clients }, (_, n) => askOn(url, n, report, ended.signal)),
    ])
    await new Promise((resolve) => setTimeout(resolve, ms))
    child.kill('SIGKILL')
    await gone
    ended.abort()
    await all
  } finally {
    child.kill('SIGKILL')
    await gone
  }
  return ids
}

const urlOf = ({ stdout }: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = ''
    stdout?.on('data', (chunk) => {
      said = (said + String(chunk)).slice(-10_000)
      const found = /listening on (http:\/\/\S+)/.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    })
    stdout?.on('end', () => reject(new Error(`The gateway did not start: ${said}`)))
  })

const TOOL = {
  name: 'Bash',
  description: 'Runs',
  input_schema: { type: 'object', properties: { command: { type: 'string' } } },
}

/** One exchange: a stream that passes, one that a policy acts on, one that is translated, a whole answer. */
async function ask(url: string, kind: number): Promise<boolean> {
  const user = { role: 'user', content: 'Say something about rivers, at some length' }
  const [path, body] =
    kind % 4 === 2
      ? ['/v1/chat/completions', { model: 'demo-text', stream: true, messages: [user] }]
      : [
          '/v1/messages',
          {
            model: kind % 4 === 1 ? 'demo-tool' : 'demo-text',
            max_tokens: 1000,
            stream: kind % 4 !== 3,
            messages: [user],
            ...(kind % 4 === 1 ? { tools: [TOOL] } : {}),
          },
        ]
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await answer.arrayBuffer()
  return answer.ok
}

async function askOn(
  url: string,
  kind: number,
  report: KillReport,
  signal: AbortSignal,
): Promise<void> {
  for (let n = kind; !signal.aborted; n++) {
    try {
      if (await ask(url, n)) report.answered++
    } catch {
      return
    }
  }
}

/** Tells of each exchange that the gateway calls recorded. */
async function hear(url: string, tell: (id: string) => void, signal: AbortSignal): Promise<void> {
  const answer = await fetch(`${url}/api/events`, {
    headers: { authorization: `Bearer ${TOKEN}` },
    signal,
  })
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of answer.body ?? []) {
    rest += decoder.decode(chunk, { stream: true })
    const frames = rest.split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      if (!frame.includes('event: recorded')) continue
      const id = /"id":"([^"]+)"/.exec(frame)?.[1]
      if (id !== undefined) tell(id)
    }
  }
}

async function withStore(file: string, work: (store: RecordStore) => Promise<void>): Promise<void> {
  const store = await openStore({ type: 'sqlite', file }, { codec: createCodec() })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

const ENDS = /message_stop|\[DONE\]|response\.completed|"stop_reason"/

async function check(
  store: RecordStore,
  ids: readonly string[],
  report: KillReport,
): Promise<void> {
  for (const id of ids) {
    const row = await store.find(id)
    if (row === undefined) {
      report.lost.push(id)
      continue
    }
    const [kept] = await store.bodies([id], ['request', 'sent', 'upstream', 'delivered'])
    for (const [kind, size] of Object.entries(row.bodies)) {
      const body = kept?.bodies[kind as 'request']
      const isWhole = body !== undefined && body.bytes.length === size
      if (!isWhole) report.broken.push(`${id}: ${kind} has not its size`)
      else if (timed(body.times) !== size) report.broken.push(`${id}: ${kind} has not its times`)
    }
    if (row.outcome !== 'done' || row.dropped.length > 0) continue
    const came = new TextDecoder().decode(kept?.bodies.upstream?.bytes)
    if (row.bodies['request'] === undefined) report.broken.push(`${id}: no request`)
    if (!ENDS.test(came)) report.broken.push(`${id}: the answer has no end`)
  }
}

const timed = (times: readonly number[]): number =>
  times.reduce((sum, value, at) => (at % 2 === 0 ? sum + value : sum), 0)
