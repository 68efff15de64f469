/**
 * How many recorded exchanges of 100 chunks a backtest of `rules` looks at in a second of one core, on each wire, with
 * tool calls and without; from a real file, unpacking and reading included. `npx tsx bench/backtest.ts [COUNT]` prints a
 * table. Time of the processor and not of the clock, because these machines are shared.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install } from '../src/policy/installed.ts'
import type { Installed } from '../src/policy/policy.ts'
import { createCodec } from '../src/records/codec.ts'
import { runBacktest } from '../src/replay/backtest.ts'
import { codingAgent } from '../src/stock/coding-agent.ts'
import { redact } from '../src/stock/redact/redact.ts'
import { rules } from '../src/stock/rules/rules.ts'
import { openStore } from '../src/store/open-store.ts'
import type { RecordStore } from '../src/store/store.ts'
import { WIRE_NAMES } from '../src/wire/wires.ts'
import { ask } from '../test/support/gateway.ts'
import { sampleExchange, sampleVerdict } from '../test/support/records.ts'
import { makeStream } from './streams.ts'

const COUNT = Number(process.argv[2] ?? 3000)
const CHUNKS = 100
const PER_WRITE = 200

const POLICIES: Readonly<Record<string, readonly Installed[]>> = {
  rules: [
    install(
      rules({
        deny: [
          { when: 'shell.commands.exists(c, c.name == "rm" && "-r" in c.flags)', reason: 'no' },
          { when: 'tool.name == "write_file" && tool.args.path.startsWith("/etc")', reason: 'no' },
        ],
      }),
    ),
  ],
  'coding-agent': [install(codingAgent())],
  'rules and redact, all answers': [
    install(rules({ deny: [{ when: 'tool.name == "never"', reason: 'no' }] })),
    install(redact({ in: ['answers'] })),
  ],
}

/** `hasTools`: what the index says of them. */
async function fill(store: RecordStore, model: string, hasTools: boolean): Promise<void> {
  const bodies = WIRE_NAMES.map((wire) => ({
    wire,
    request: Buffer.from(ask(wire, { padding: 'What the user said so far. '.repeat(300) })),
    answer: makeStream(wire, CHUNKS),
  }))
  const verdict = sampleVerdict({ type: 'pass', reason: undefined })
  for (let at = 0; at < COUNT; at += PER_WRITE)
    await store.write(
      Array.from({ length: Math.min(PER_WRITE, COUNT - at) }, (_, index) => {
        const number = at + index
        const body = bodies[number % bodies.length]
        if (body === undefined) throw new Error('There is no wire')
        const { wire, request, answer } = body
        return sampleExchange(
          `${model}-${String(number).padStart(8, '0')}`,
          {
            model,
            wire,
            upstreamWire: wire,
            startedAt: Date.UTC(2026, 0, 1) + number * 1000,
            conversation: `talk-${number % 50}`,
            bytesIn: request.length,
            bytesOut: answer.length,
          },
          {
            pieces: [
              { kind: 'request', seq: 0, bytes: request, times: [request.length, 0] },
              { kind: 'upstream', seq: 0, bytes: answer, times: [answer.length, 1000] },
            ],
            tools: hasTools ? [{ name: 'write_file', count: 2 }] : [],
            verdicts: hasTools ? [verdict, verdict] : [],
          },
        )
      }),
    )
}

async function measure(name: string, policies: readonly Installed[], model: string): Promise<void> {
  const before = process.cpuUsage()
  const { exchanges, same, tookMs } = await runBacktest({
    source: store,
    policies,
    select: () => policies,
    query: { model },
    against: 'own',
  })
  const { user, system } = process.cpuUsage(before)
  const rate = (ms: number): string => String(Math.round((exchanges.seen / ms) * 1000)).padStart(8)
  console.log(
    `${name.padEnd(38)} ${rate((user + system) / 1000)}/s of CPU ${rate(tookMs)}/s  run ${exchanges.run}, judged ${same}`,
  )
}

const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
const store = await openStore(
  { type: 'sqlite', file: join(folder, 'records.db') },
  { codec: createCodec(undefined) },
)
try {
  await fill(store, 'calls', true)
  await fill(store, 'words', false)
  console.log(`${COUNT} exchanges of ${CHUNKS} chunks with two tool calls`)
  for (const [name, policies] of Object.entries(POLICIES))
    for (const round of [1, 2]) await measure(`${name}, round ${round}`, policies, 'calls')
  for (const round of [1, 2])
    await measure(`rules, no call, round ${round}`, POLICIES['rules'] ?? [], 'words')
} finally {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
}
