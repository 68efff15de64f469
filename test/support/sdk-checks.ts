/**
 * What must come out of the flows of an SDK through the gateway: as without it where that is good, an
 * error where it would have been none. Neighbours: `sdk-flow.ts` is what a flow is, `sdk-bench.ts` where it
 * runs. Declares tests.
 */
import { describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { withoutClocks, type SdkBench } from './sdk-bench.ts'
import type { Outcome, Place } from './sdk-flow.ts'

export interface CheckedSdk {
  readonly name: string
  readonly wire: WireName
  /** The names of its flows. */
  readonly flows: readonly string[]
  run(flow: string, place: Place): Promise<Outcome>
  /** Whether it waits as long as `retry-after` says. Without it, it is not tried. */
  readonly retries?: boolean
}

/** The limit of the issue: how long an upstream may go on after its client has left. */
const LEFT_WITHIN = 100

export function checkSdk(sdk: CheckedSdk, bench: () => SdkBench): void {
  describe(sdk.name, () => {
    const check = { sdk, bench }
    for (const flow of sdk.flows) {
      const [first = ''] = flow.split(' ')
      if (first === 'leaving') checkLeaving(check, flow)
      else if (first in STATUS || flow === 'wrong key') checkRefused(check, flow, first)
      else if (['break', 'cut', 'eof'].includes(first)) checkBroken(check, flow, first)
      else checkSame(check, flow)
    }
    if (sdk.retries === true) checkRetry(check)
  })
}

interface Check {
  readonly sdk: CheckedSdk
  bench(): SdkBench
}

const runBoth = async ({ sdk, bench }: Check, flow: string) => ({
  direct: await sdk.run(flow, bench().direct(sdk.wire)),
  ...(await bench().watch(() => sdk.run(flow, bench().through(sdk.wire)))),
})

/** How many turns, and so requests, a flow is. */
const TURNS: Readonly<Record<string, number>> = { tool: 4, parallel: 2, thinking: 2 }

function checkSame(check: Check, flow: string): void {
  test(`${flow}: as without a gateway`, async () => {
    const { direct, outcome, requests, reports } = await runBoth(check, flow)
    expect(withoutClocks(outcome)).toEqual(withoutClocks(direct))
    if (outcome.type !== 'said') return
    const { text, calls } = outcome.said
    expect(text).not.toBe('')
    expect(reports.every((report) => report.outcome === 'done')).toBe(true)
    // On Chat a stream says what was used only to those who ask for that.
    if (check.sdk.wire !== 'openai-chat' || !flow.endsWith('by stream'))
      expect(reports.every(({ usage }) => (usage?.outputTokens ?? 0) > 0)).toBe(true)
    const [first = ''] = flow.split(' ')
    // A thread sends only what is new, and the demo keeps nothing: it takes the first result for the last.
    const isThread = requests.some(({ body }) => /"thread":(?!false)/.test(body))
    expect(requests.length).toBe(isThread ? 2 : (TURNS[first] ?? 1))
    if (first === 'tool' || first === 'parallel') {
      expect(calls.length).toBe(isThread ? 1 : 3)
      expect(text).toContain(`The tool said: ${String(cityOf(calls.at(-1)))}: 18 degrees`)
    }
    if (first === 'thinking' && outcome.said.thinking.trim() !== '')
      expect(requests.at(-1)?.body).toMatch(THOUGHTS[check.sdk.wire])
  })
}

const cityOf = (call: { arguments: unknown } | undefined): unknown =>
  (call?.arguments as { city?: unknown } | undefined)?.city

/** What was thought, in the request that follows. */
const THOUGHTS: Readonly<Record<WireName, RegExp>> = {
  'anthropic-messages': /"thinking":"The question[^"]*","signature":"[^"]{8,}"/,
  'openai-chat': /"reasoning_content":"The question/,
  'openai-responses': /"encrypted_content":"[^"]{8,}"/,
}

const STATUS: Readonly<Record<string, number | 'overloaded'>> = {
  error: 'overloaded',
  'rate-limit': 429,
  context: 400,
  auth: 401,
}

function checkRefused(check: Check, flow: string, first: string): void {
  test(`${flow}: the same class and status as without a gateway`, async () => {
    const { direct, outcome, requests, reports } = await runBoth(check, flow)
    expect(withoutClocks(outcome)).toEqual(withoutClocks(direct))
    const asked = STATUS[first] ?? 401
    const overloaded = check.sdk.wire === 'anthropic-messages' ? 529 : 503
    const status = asked === 'overloaded' ? overloaded : asked
    expect(outcome.type).toBe('thrown')
    if (outcome.type !== 'thrown') return
    // LangChain has a class of its own for a context that is too long, which tells no status.
    if (outcome.error.name !== 'ContextOverflowError') expect(outcome.error.status).toBe(status)
    expect(requests.length).toBe(1)
    expect(reports).toMatchObject([{ outcome: 'upstream-error', status }])
  })
}

function checkBroken(check: Check, flow: string, first: string): void {
  test(`${flow}: an exception, never an answer`, async () => {
    const { direct, outcome, reports } = await runBoth(check, flow)
    expect(outcome.type).toBe('thrown')
    // The gateway says why; without it there is a broken connection, or nothing at all.
    if (first === 'break') expect(withoutClocks(outcome)).toEqual(withoutClocks(direct))
    const isJson = flow.endsWith('as JSON')
    expect(reports).toMatchObject([{ outcome: isJson ? 'upstream-error' : 'broken' }])
  })
}

function checkLeaving({ sdk, bench }: Check, flow: string): void {
  // Two busy cores may hold up any of the three processes; the gateway is quick if it can be.
  test(`${flow}: the upstream is left within ${LEFT_WITHIN} ms`, { retry: 2 }, async () => {
    const { outcome, requests, reports } = await bench().watch(() =>
      sdk.run(flow, bench().through(sdk.wire)),
    )
    const left = outcome.type === 'left' ? outcome.at : 0
    expect(left).toBeGreaterThan(0)
    expect(requests.length).toBe(1)
    expect(requests[0]?.leftAt).toBeGreaterThanOrEqual(left)
    expect((requests[0]?.leftAt ?? Infinity) - left).toBeLessThan(LEFT_WITHIN)
    const isEarly = flow.includes('before')
    expect(reports).toMatchObject([{ outcome: 'client-left', status: 499 }])
    expect(reports[0]?.finishReason).toBeUndefined()
    expect(reports[0]?.bytesOut === 0).toBe(isEarly)
    // The other wires tell what was used only at the end.
    if (!isEarly && sdk.wire === 'anthropic-messages')
      expect(reports[0]?.usage?.inputTokens).toBeGreaterThan(0)
  })
}

function checkRetry({ sdk, bench }: Check): void {
  test('a rate limit: waits as long as it was told, asks again and is answered', async () => {
    const { provider, watch, direct, through } = bench()
    const plain = await sdk.run('text by stream', direct(sdk.wire))
    provider.insteadOnce('demo-rate-limit')
    const { outcome, requests, reports } = await watch(() =>
      sdk.run('text by stream', { ...through(sdk.wire), maxRetries: 2 }),
    )
    expect(withoutClocks(outcome)).toEqual(withoutClocks(plain))
    expect(reports.map(({ status }) => status)).toEqual([429, 200])
    const [first, second] = requests
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(900)
  })
}
