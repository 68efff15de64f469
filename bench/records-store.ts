/**
 * The store of the records with 100,000 exchanges in it: what writing costs, and how long each question takes.
 * `npx tsx bench/records-store.ts [COUNT] [postgres]`, in the middle of five tries. Time of the processor is that of
 * this process: with SQLite all of it, with Postgres what the client does.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createCodec } from '../src/records/codec.ts'
import { openStore } from '../src/store/open-store.ts'
import type { WriteItem } from '../src/store/record.ts'
import type { RecordStore, StoreLocation } from '../src/store/store.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { sampleExchange, samplePiece, sampleVerdict } from '../test/support/records.ts'

const count = Number(process.argv[2] ?? 100_000)
const server = process.argv[3] === 'postgres' ? await startPostgres() : undefined
const url = await server?.createDatabase()
const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
const location: StoreLocation =
  url === undefined
    ? { type: 'sqlite', file: join(folder, 'records.db') }
    : { type: 'postgres', url }

const START = 1_778_630_400_000
const STEP = 6_000
const END = START + count * STEP

/** The same on every run. */
let seed = 42
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
/** Few that are common, many that are rare, as words are. */
const word = (): string => `w${Math.floor(20_000 ** random()).toString(36)}`

const MODELS = ['claude-sonnet-4-5', 'claude-haiku-4-5', 'gpt-5.5', 'gpt-5.5-mini', 'qwen3-coder']
const TOOLS = ['Bash', 'Read', 'Edit', 'Grep', 'Write', 'mcp__files__read', 'mcp__web__get']
const chunk = (i: number): string =>
  `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"piece ${i} ${word()}"}}\n\n`
const answers = Array.from({ length: 50 }, () =>
  Array.from({ length: 100 }, (_, i) => chunk(i)).join(''),
)
const request = JSON.stringify({
  model: 'm',
  messages: [{ role: 'user', content: 'x'.repeat(4_000) }],
})
const times = Array.from({ length: 100 }, (_, i) => [120, 20_000 + i * 900]).flat()

function toItem(i: number): WriteItem {
  const isRare = i % 20_000 === 7
  const hasTools = random() < 0.4
  const hasVerdict = hasTools && random() < 0.7
  const isDenied = i % 1_000 === 13
  const model = isRare ? 'rare-model' : pick(MODELS)
  return sampleExchange(
    `${(START + i * STEP).toString(32).padStart(10, '0')}${i.toString(32).padStart(16, '0')}`,
    {
      startedAt: START + i * STEP,
      durationMs: 200 + random() * 20_000,
      firstByteMs: 50 + random() * 900,
      model,
      upstreamModel: model,
      answerModel: model,
      conversation: `session-${Math.floor(i / 400) * 8 + Math.floor(random() * 8)}`,
      key: `team-${Math.floor(random() * 8)}`,
      outcome: i % 97 === 0 ? 'broken' : 'done',
    },
    {
      pieces: [
        samplePiece(request, { kind: 'request', times: [] }),
        samplePiece(pick(answers), { times }),
      ],
      tools: isRare
        ? [{ name: 'RareTool', count: 1 }]
        : hasTools
          ? [{ name: pick(TOOLS), count: 1 }]
          : [],
      verdicts: isDenied
        ? [sampleVerdict(), sampleVerdict({ policy: 'rare', isShadow: i % 2_000 === 13 })]
        : hasVerdict
          ? [sampleVerdict({ type: 'pass', reason: undefined, original: undefined, details: {} })]
          : [],
      isTextDue: true,
    },
  )
}

async function fill(store: RecordStore): Promise<void> {
  let cpu = 0
  let ms = 0
  let made = 0
  for (let from = 0; from < count; from += 50) {
    const items = Array.from({ length: Math.min(50, count - from) }, (_, k) => toItem(from + k))
    const before = performance.now()
    const used = process.cpuUsage()
    await store.write(items)
    cpu += toMs(process.cpuUsage(used))
    ms += performance.now() - before
    made += items.length
  }
  const each = (all: number): string => ((all * 1_000) / made).toFixed(1)
  print('write, per exchange', `${each(cpu)} µs of CPU, ${each(ms)} µs`)
}

const toMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000

async function index(store: RecordStore): Promise<void> {
  const used = process.cpuUsage()
  let made = 0
  for (;;) {
    const due = await store.textDue({ limit: 200 })
    if (due.length === 0) break
    await store.setTexts(
      due.map(({ id }, i) => ({
        id,
        text: `${Array.from({ length: 60 }, word).join(' ')}${(made + i) % 25_000 === 5 ? ' needle' : ''}`,
      })),
    )
    made += due.length
  }
  print(
    'index words, per exchange',
    `${((toMs(process.cpuUsage(used)) * 1_000) / made).toFixed(1)} µs of CPU`,
  )
}

/** As the server does by itself after a while. */
async function analyze(address: string): Promise<void> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  await client.query('vacuum analyze')
  await client.end()
}

const print = (what: string, value: string): void => console.log(`${what.padEnd(52)} ${value}`)

const TRIES = 5
async function time(what: string, ask: () => Promise<unknown>): Promise<void> {
  const cpu: number[] = []
  const took: number[] = []
  let size = 0
  for (let i = 0; i < TRIES; i++) {
    const before = performance.now()
    const used = process.cpuUsage()
    const answer = await ask()
    cpu.push(toMs(process.cpuUsage(used)))
    took.push(performance.now() - before)
    const items = (answer as { items?: readonly unknown[] } | undefined)?.items ?? answer
    size = Array.isArray(items) ? items.length : Number(items ?? 0)
  }
  const middle = (list: readonly number[]): string =>
    (list.toSorted((a, b) => a - b)[Math.floor(TRIES / 2)] ?? 0).toFixed(1).padStart(7)
  print(`${what} (${size})`, `${middle(cpu)} ms of CPU, ${middle(took)} ms`)
}

async function ask(store: RecordStore): Promise<void> {
  const middle = START + (count / 2) * STEP
  const first = await store.list({})
  const deep = await store.list({ until: middle })
  const id = first.items[0]?.id ?? ''
  const queries = {
    'list, first page': {},
    'list, deep page': { cursor: deep.next },
    'list, 1000 of them': { limit: 1_000 },
    'list, until long ago': { until: START + 100 * STEP },
    'list, a common model': { model: 'gpt-5.5' },
    'list, a rare model': { model: 'rare-model' },
    'list, no such model': { model: 'nothing' },
    'list, models by pattern, none': { model: 'x*y*z' },
    'list, a key': { key: 'team-3' },
    'list, a conversation': { conversation: 'session-8' },
    'list, errors': { status: 'error' },
    'list, no such status': { status: 418 },
    'list, a common tool': { tool: 'Bash' },
    'list, a rare tool': { tool: 'RareTool' },
    'list, no such tool': { tool: 'Nothing' },
    'list, tools by pattern': { tool: 'mcp__*' },
    'list, tools by pattern, rare': { tool: 'Rare*' },
    'list, tools by pattern, none': { tool: 'No*' },
    'list, a common tool of a rare model': { tool: 'Bash', model: 'rare-model' },
    'list, denied': { verdict: 'deny' },
    'list, passed': { verdict: 'pass' },
    'list, a rare policy': { policy: 'rare' },
    'list, policies by pattern, none': { policy: 'x*' },
    'list, in shadow': { isShadow: true },
    'list, denied and a tool': { verdict: 'deny', tool: 'Edit' },
    'list, denied of a rare model': { verdict: 'deny', model: 'rare-model' },
    'search, a common word': { text: 'w1 ' },
    'search, two common words': { text: 'w1 w2 ' },
    'search, a rare word': { text: 'needle' },
    'search, no such word': { text: 'nothing' },
    'search, a short beginning': { text: 'w' },
    'search, a beginning': { text: 'w1a' },
    'search, common word of a rare model': { text: 'w1 ', model: 'rare-model' },
    'search, common word and tool, denied': { text: 'w1 ', tool: 'Bash', verdict: 'deny' },
    'list, oldest first': { isOldestFirst: true },
  } as const
  for (const [what, query] of Object.entries(queries))
    await time(what, () => store.list(query as Parameters<RecordStore['list']>[0]))
  await time('count, all', () => store.count({}, 1e9))
  await time('count, a common word', () => store.count({ text: 'w1 ' }, 1e9))
  await time('find by id', async () => [await store.find(id)])
  await time('find by request id', async () => [await store.find(`request-${id}`)])
  await time('body', async () => [await store.body(id, 'upstream')])
  await time('bodies of 50', () =>
    store.bodies(
      first.items.map((one) => one.id),
      ['request', 'upstream'],
    ),
  )
  await time('verdicts, first page', () => store.verdicts({}))
  await time('verdicts, denied', () => store.verdicts({ verdict: 'deny' }))
  await time('verdicts, a rare policy', () => store.verdicts({ policy: 'rare' }))
  await time('verdicts, of a rare model', () => store.verdicts({ model: 'rare-model' }))
  await time('verdicts, a tool', () => store.verdicts({ tool: 'Bash' }))
  await time('verdicts, no such tool', () => store.verdicts({ tool: 'Nothing' }))
  await time('conversations, first page', () => store.conversations({}))
  await time('conversations, of a rare model', () => store.conversations({ model: 'rare-model' }))
  await time('conversations, with a common word', () => store.conversations({ text: 'w1 ' }))
  await time('stats, all', () => store.stats({}))
  await time('stats, all by model', () => store.stats({ by: 'model' }))
  await time('stats, the last day', () => store.stats({ since: END - 86_400_000 }))
  await time('policies, all', () => store.policies({}))
  await time('policies, the last day', () => store.policies({ since: END - 86_400_000 }))
  await time('size', async () => [await store.size()])
  await time('verify', async () => [await store.verify()])
}

const store = await openStore(location, { codec: createCodec(), now: () => END })
if ((await store.count({}, 1)) === 0) {
  await fill(store)
  await index(store)
  if (url !== undefined) await analyze(url)
}
const { bytes, exchanges } = await store.size()
print(
  'size',
  `${(bytes / 1e6).toFixed(0)} MB, ${(bytes / exchanges / 1e3).toFixed(1)} KB per exchange`,
)
await ask(store)
const before = performance.now()
const gone = await store.enforce({ maxBytes: bytes * 0.8 })
const took = performance.now() - before
print(`a fifth of the size taken away (${gone})`, `${took.toFixed(0)} ms`)
print('size', `${((await store.size()).bytes / 1e6).toFixed(0)} MB`)
await store.close()
await server?.stop()
rmSync(folder, { recursive: true, force: true })
