/**
 * Pictures of the page for `docs/guide/page.md`: every view, light and dark, of a gateway with the demo's config after some
 * clients have worked on it for an hour. Run by `npm run page:shots`; writes `docs/page/*.png`. Port 4141 must be free.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DEMO_CONFIG } from '../src/config/demo-config.ts'
import type { JsonObject } from '../src/base/json.ts'
import type { DemoSample } from '../src/upstream/demo/sample-bodies.ts'
import { DEMO_SAMPLES } from '../src/upstream/demo/samples.ts'
import { startPage, type PageRig } from '../test/support/page.ts'
import { sampleExchange, sampleVerdict } from '../test/support/records.ts'
import { toPalettePng } from './png-palette.ts'

const FOLDER = fileURLToPath(new URL('../docs/page/', import.meta.url))
const MAX_BYTES = 120_000

/** What is asked, by whom, in this order. Those that take long or wait come by themselves. */
const WORK: readonly (readonly [client: string, samples: readonly string[]])[] = [
  ['claude-cli/2.1.4', ['text', 'loop', 'edit', 'shadow', 'denied']],
  ['codex_cli_rs/0.58.0', ['responses', 'tools', 'redacted']],
  ['opencode/1.0.45', ['chat', 'translated', 'error']],
  ['OpenAI/JS 6.9.0', ['thinking', 'json', 'length', 'refusal']],
  ['claude-cli/2.1.4', ['tool', 'break', 'denied']],
]
const MAX_TURNS = 8
const MINUTE = 60_000
const SEEDED = 600

const rig = await startPage({
  config: DEMO_CONFIG.replace('deadline: 1m', 'deadline: 10m'),
  settings: {
    listen: { host: '127.0.0.1', port: 4141 },
    prices: [
      { model: '*demo*', input: 3, output: 15, cacheRead: undefined, cacheWrite: undefined },
    ],
  },
})
try {
  await seed(rig)
  await work(rig)
  await takeAll(rig)
} finally {
  await rig.close()
}

/** An hour before: more and less by turns, always the same. */
async function seed({ gateway }: PageRig): Promise<void> {
  const items = Array.from({ length: SEEDED }, (_, at) => {
    const wave = 1 + Math.sin(at / 40) * 0.6
    const isError = at % 53 === 0
    const model = ['demo-loop', 'demo-tool', 'chat/demo-text'][at % 3] ?? 'demo'
    const row = {
      startedAt: Date.now() - Math.round(MINUTE * (2 + 58 * (1 - at / SEEDED) ** wave)),
      durationMs: 900 * wave + (at % 17) * 60,
      firstByteMs: 120 * wave + (at % 11) * 20,
      key: undefined,
      client: WORK[at % WORK.length]?.[0] ?? '',
      route: '*',
      upstream: model.startsWith('chat/') ? 'demo-chat' : 'demo',
      model,
      conversation: undefined,
      usage: {
        inputTokens: Math.round(1800 * wave) + (at % 7) * 90,
        outputTokens: 240 + (at % 13) * 20,
      },
      cost: 9000 * wave,
      ...(isError ? ({ status: 529, outcome: 'upstream-error' } as const) : {}),
    }
    const denied = sampleVerdict({ policy: 'demo-rules', version: undefined })
    return sampleExchange(`0-${String(at).padStart(4, '0')}`, row, {
      verdicts: at % 41 === 0 ? [denied] : [],
    })
  })
  await gateway.records.store.write(items)
}

async function work({ ask, api }: PageRig): Promise<void> {
  for (const [client, ids] of WORK)
    for (const id of ids) await runSample(ask, sampleOf(id), { 'user-agent': client })
  const { path, body } = sampleOf('approval')
  // It waits until the gateway closes.
  void ask(path, body, { 'user-agent': 'claude-cli/2.1.4' }).catch(() => undefined)
  while ((await api.approvals({ status: 'pending' })).approvals.length === 0) await pause(50)
  await pause(500)
}

function sampleOf(id: string): DemoSample {
  const sample = DEMO_SAMPLES.find((one) => one.id === id)
  if (sample === undefined) throw new Error(`The demo has no sample "${id}"`)
  return sample
}

/** To the end of its conversation. */
async function runSample(
  ask: PageRig['ask'],
  { path, body, next }: DemoSample,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  if (next === undefined) return void (await ask(path, body, headers).catch(() => undefined))
  let sent = body
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const answer = JSON.parse(await ask(path, { ...sent, stream: false }, headers)) as Message
    const calls = answer.content.filter(({ type }) => type === 'tool_use')
    if (calls.length === 0) return
    sent = next(
      sent,
      calls.map(({ id = '', name = '', input }) => ({
        id,
        name,
        arguments: JSON.stringify(input),
      })),
    )
  }
}

interface Message {
  readonly content: readonly {
    readonly type: string
    readonly id?: string
    readonly name?: string
    readonly input?: JsonObject
  }[]
}

async function takeAll({ api, open }: PageRig): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const [denied] = (await api.exchanges({ verdict: 'deny', limit: 1 })).items
  const [loop] = (await api.conversations({ model: 'demo-loop', limit: 1 })).items
  const places: Readonly<Record<string, string>> = {
    live: '#/live',
    exchange: `#/exchange/${denied?.id ?? ''}`,
    compare: `#/exchange/${denied?.id ?? ''}/compare`,
    conversation: `#/conversations/${encodeURIComponent(loop?.id ?? '')}`,
    conversations: '#/conversations',
    approvals: '#/approvals',
    policies: '#/policies',
    policy: '#/policies/demo-rules',
    overview: '#/overview',
    settings: '#/settings/connect',
  }
  for (const theme of ['light', 'dark'] as const)
    for (const [name, place] of Object.entries(places)) {
      const { page, faults, close } = await open(place, { theme })
      await page.getByTitle('Connected').waitFor()
      await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => undefined)
      await pause(800)
      const picture = toPalettePng(await page.screenshot())
      writeFileSync(`${FOLDER}${name}-${theme}.png`, picture)
      if (faults.length > 0) throw new Error(`${name}: ${faults.join('; ')}`)
      const isLarge = picture.length > MAX_BYTES
      process.stdout.write(`${name}-${theme}.png ${picture.length}${isLarge ? ' too large' : ''}\n`)
      await close()
    }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
