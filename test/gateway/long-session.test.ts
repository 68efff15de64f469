/**
 * A working day: fifty turns of an agent on each client wire, with thinking, parallel calls, errors in results, a
 * history that is compacted in the middle, and a route that is switched to another upstream of another wire, to a
 * third, and back. Every request is held to the rules of its API, every stream to its wire's grammar.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import type { Finding, Json } from '../support/api-rules.ts'
import { errorsIn } from '../support/connections.ts'
import { breaks } from '../support/crossing.ts'
import { httpUpstream, PATHS, startTestGateway, type TestGateway } from '../support/gateway.ts'
import { createHistoryClient } from '../support/history-client.ts'
import { fetchRaw } from '../support/raw-client.ts'
import { reply, type Piece } from '../support/spoken.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const TURNS = 50
const COMPACTS_AT = 21

interface Provider {
  readonly wire: WireName
  readonly vendor: 'anthropic' | 'openrouter' | 'openai'
  readonly model: string
  /** How its seals begin. */
  readonly seal: string
}

const PROVIDERS: readonly Provider[] = [
  {
    wire: 'anthropic-messages',
    vendor: 'anthropic',
    model: 'claude-sonnet-4-5',
    seal: 'EqMessages',
  },
  { wire: 'openai-chat', vendor: 'openrouter', model: 'z-ai/glm-5', seal: 'sigChat' },
  { wire: 'openai-responses', vendor: 'openai', model: 'gpt-5.2', seal: 'gAAAAResponses' },
]

/** Who serves which client, and from which turn on: two foreign wires, its own, and back to the first. */
const DAYS: Readonly<Record<WireName, readonly (readonly [from: number, to: WireName])[]>> = {
  'anthropic-messages': [
    [0, 'openai-chat'],
    [20, 'openai-responses'],
    [28, 'anthropic-messages'],
    [36, 'openai-chat'],
    [44, 'openai-responses'],
  ],
  'openai-chat': [
    [0, 'anthropic-messages'],
    [20, 'openai-responses'],
    [28, 'openai-chat'],
    [36, 'anthropic-messages'],
  ],
  'openai-responses': [
    [0, 'anthropic-messages'],
    [20, 'openai-chat'],
    [28, 'openai-responses'],
    [36, 'anthropic-messages'],
    [44, 'openai-chat'],
  ],
}

const upstreams = new Map<WireName, TestUpstream>()
let gateway: TestGateway
/** What the model says next, and what was asked of whom. */
let turn = 0
let sent: { readonly wire: WireName; readonly body: Json; readonly found: Finding[] }[] = []

beforeAll(async () => {
  for (const provider of PROVIDERS) {
    const upstream = await startUpstream()
    upstream.answer((request) => {
      const body = JSON.parse(request.body.toString()) as Json
      const headers = request.headers as Record<string, string>
      const { wire, vendor, seal } = provider
      const isOwnSeal = (given: string): boolean => given.startsWith(seal)
      sent.push({ wire, body, found: breaks(wire, body, { headers, vendor, isOwnSeal }) })
      return reply(wire, { pieces: speak(turn, provider), id: `answer_${turn}` }, request)
    })
    upstreams.set(provider.wire, upstream)
  }
  gateway = await startTestGateway({ upstreams: [...settings()], routes: routeTo('openai-chat') })
})
afterAll(async () => {
  await gateway.close(0)
  for (const upstream of upstreams.values()) await upstream.close()
})

const settings = (): ReturnType<typeof httpUpstream>[] =>
  PROVIDERS.map(({ wire, vendor }) =>
    httpUpstream(upstreams.get(wire)?.url ?? '', { name: wire, wires: [wire], vendor }),
  )
const routeTo = (wire: WireName): TestGateway['settings']['routes'] => [
  {
    model: '*',
    wire: undefined,
    to: [wire],
    as: Object.fromEntries(PROVIDERS.map((provider) => [provider.wire, provider.model])),
  },
]

/** Every saying has a mark of its own, so that it can be found again in any wire's words. */
function speak(at: number, { seal, wire }: Provider): readonly Piece[] {
  const thinking = { thinking: `Thinking of ${at}.`, seal: `${seal}${at}` }
  const words = { text: `Answer [a${at}].` }
  if (at % 6 === 5) return [thinking, words]
  const calls = Array.from({ length: 1 + (at % 3) }, (_, i) => ({
    call: ['read', 'run', 'write'][i] ?? 'read',
    // Some servers of Chat count anew with every turn.
    id: wire === 'openai-chat' && at % 2 === 1 ? `call_${i}` : `call_${at}_${i}`,
    args: JSON.stringify({ path: `[c${at}.${i}] "ü" \\ \n` }),
  }))
  return at % 2 === 0 ? [thinking, words, ...calls] : [thinking, ...calls]
}

const marksIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/\[([uacrs]\d+(?:\.\d)?)\]/g)].map(([, mark]) => mark ?? '')

const sealsIn = (body: Json): string[] =>
  PROVIDERS.flatMap(({ seal }) => JSON.stringify(body).match(new RegExp(`${seal}\\d+`, 'g')) ?? [])

test.each(Object.entries(DAYS) as [WireName, (typeof DAYS)[WireName]][])(
  'fifty turns of a client on %s go on through switches of upstream and a compacted history',
  async (wire, day) => {
    const client = createHistoryClient(wire)
    sent = []
    client.say('Begin [u0].')
    let lost: string[] = []
    for (turn = 0; turn < TURNS; turn++) {
      const to = day.findLast(([from]) => from <= turn)?.[1] ?? wire
      if (day.some(([from]) => from === turn))
        gateway.reload({ ...gateway.settings, upstreams: settings(), routes: routeTo(to) })
      if (turn === COMPACTS_AT) {
        // Where it is cut the client does not care: a result may stand first, without its call.
        const at = client.history.findIndex((item) => marksIn(item).includes('r14.0'))
        lost = marksIn(client.history.slice(0, at))
        client.compact(at, 'Summary [s1].')
      }
      // To its own vendor a client's history goes as it is: what is wrong with it the client has to mend.
      if (turn === 28)
        client.compact(
          client.history.findIndex((item) => marksIn(item).includes('u17')),
          'Summary [s2].',
        )
      const isStream = turn % 2 === 0
      const { status, body } = await fetchRaw(gateway.url + PATHS[wire], {
        body: JSON.stringify(client.body(isStream)),
      })
      expect([turn, status, status === 200 || body.toString()]).toEqual([turn, 200, true])
      if (isStream) expect(errorsIn(wire, body)).toEqual([])
      expect(sent.at(-1)).toMatchObject({ wire: to, found: [] })
      // Both can say it, so it is there, and in its order.
      expect(marksIn(sent.at(-1)?.body)).toEqual(marksIn(client.history))
      const before = client.history.length
      const calls = client.take(body, isStream)
      const said = speak(turn, PROVIDERS[0] as Provider)
      expect(marksIn(client.history.slice(before))).toEqual(marksIn(said))
      const results = calls.map(({ id, args }, i) => {
        expect(args).toEqual({ path: `[c${turn}.${i}] "ü" \\ \n` })
        return { id, text: `Result [r${turn}.${i}].`, isError: (turn + i) % 7 === 3 }
      })
      if (results.length > 0) client.results(results)
      else client.say(`Go on [u${turn}].`)
    }
    expect(sent.length).toBe(TURNS)
    expect(lost.length).toBeGreaterThan(20)
    expectSeals(sent, day)
  },
  20_000,
)

/** Each upstream gets back what it sealed and nothing of another's: also what it had sealed before a switch. */
function expectSeals(
  all: readonly { readonly wire: WireName; readonly body: Json }[],
  day: (typeof DAYS)[WireName],
): void {
  const sealOf = (name: WireName | undefined): string =>
    PROVIDERS.find(({ wire }) => wire === name)?.seal ?? '-'
  for (const { wire, body } of all)
    for (const seal of sealsIn(body)) expect(seal.startsWith(sealOf(wire))).toBe(true)
  const first = day[0]?.[1]
  const last = all.findLastIndex(({ wire }) => wire === first)
  // The last turn of its first time, and the last before this one, whoever the client is.
  const seals = sealsIn(all[last]?.body ?? {})
  const lastCalls = (last - 1) % 6 === 5 ? last - 2 : last - 1
  for (const at of [18, 19, lastCalls]) expect(seals).toContain(`${sealOf(first)}${at}`)
}
