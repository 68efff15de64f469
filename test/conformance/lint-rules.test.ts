/**
 * Every lint rule, each on a stream that breaks it and as little else as can be, and the official SDKs
 * as witnesses: an error is what one of them breaks on or misreads, a warning is what all live with.
 */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { RULES as MESSAGES_RULES } from '../../src/wire/anthropic-messages/rules.ts'
import type { Rule } from '../../src/wire/grammar.ts'
import { RULES as CHAT_RULES } from '../../src/wire/openai-chat/rules.ts'
import { RULES as RESPONSES_RULES } from '../../src/wire/openai-responses/rules.ts'
import { mutants, type BrokenStream } from '../support/broken-streams.ts'
import * as messages from '../support/broken-streams/anthropic-messages.ts'
import * as chat from '../support/broken-streams/openai-chat.ts'
import * as responses from '../support/broken-streams/openai-responses.ts'
import { toUtf8 } from '../support/bytes.ts'
import { openCourt, type Court } from '../support/judges.ts'
import type { Judgement } from '../support/judge.ts'
import { startLoopback, type Loopback } from '../support/loopback.ts'
import { lint } from '../support/pipeline.ts'

interface Case {
  readonly wire: WireName
  readonly rules: Readonly<Record<string, Rule>>
  readonly legal: Readonly<Record<string, string>>
  readonly brokenStreams: readonly BrokenStream[]
}

const CASES: readonly Case[] = [
  {
    wire: 'anthropic-messages',
    rules: MESSAGES_RULES,
    legal: messages.legal,
    brokenStreams: messages.brokenStreams,
  },
  { wire: 'openai-chat', rules: CHAT_RULES, legal: chat.legal, brokenStreams: chat.brokenStreams },
  {
    wire: 'openai-responses',
    rules: RESPONSES_RULES,
    legal: responses.legal,
    brokenStreams: responses.brokenStreams,
  },
]

/**
 * Errors that the final message does not show, for it is put right at the end: what listeners are told
 * on the way is wrong. Each has a test of its own below.
 */
const ONLY_LISTENERS = new Set(['A5', 'C12'])

/** Warnings that are about another text: no two readings could agree on it. */
const OTHER_TEXT = new Set(['C16-other'])

const isError = (rules: Case['rules'], rule: string): boolean => rules[rule]?.severity === 'error'

let court: Court
let server: Loopback

beforeAll(async () => {
  // The SDKs say on the console what they could not parse.
  vi.spyOn(console, 'error').mockImplementation(() => {})
  court = await openCourt()
  server = await startLoopback()
})
afterAll(async () => {
  await court.close()
  await server.close()
})

describe.each(CASES)('on $wire', ({ wire, rules, legal, brokenStreams }) => {
  test('every rule has a broken stream', () => {
    const broken = new Set(brokenStreams.map(({ rule }) => rule))
    expect(Object.keys(rules).filter((rule) => !broken.has(rule))).toEqual([])
  })

  test.each(Object.entries(legal))('there is nothing to find in %s', (_, body) => {
    expect(lint(wire, toUtf8(body))).toEqual([])
  })

  test.each(brokenStreams)('$rule is found where $what', ({ rule, frame, also = [], body }) => {
    const findings = lint(wire, toUtf8(body))
    expect([...new Set(findings.map((finding) => finding.rule))].sort()).toEqual(
      [rule, ...also].sort(),
    )
    const found = findings.find((finding) => finding.rule === rule)
    expect(found).toMatchObject({
      frame,
      severity: rules[rule]?.severity,
      client: rules[rule]?.client,
    })
    expect(found?.message).not.toMatch(/undefined|\[object|^$/)
  })

  test.each(brokenStreams)('nothing is found in the stream that $rule breaks ($what)', (stream) => {
    expect(lint(wire, toUtf8(stream.legal)).filter(({ severity }) => severity === 'error')).toEqual(
      [],
    )
  })

  const errors = Object.keys(rules).filter(
    (rule) => isError(rules, rule) && !ONLY_LISTENERS.has(rule),
  )

  test.for(errors)('some client breaks on %s or misreads it', async (rule, { skip }) => {
    let hasHarm = false
    let clients = 0
    for (const { body, legal: whole } of brokenStreams.filter((stream) => stream.rule === rule)) {
      const before = await court.hear(wire, whole)
      const after = await court.hear(wire, body)
      const sdks = Object.keys(before)
      clients = sdks.length
      hasHarm ||= sdks.some((sdk) => JSON.stringify(before[sdk]) !== JSON.stringify(after[sdk]))
    }
    if (!hasHarm && clients < 2) skip('the client that cares needs another Node: run npm test')
    expect(hasHarm).toBe(true)
  })

  const warnings = brokenStreams.filter(({ rule, also = [] }) =>
    [rule, ...also].every((one) => !isError(rules, one)),
  )

  test.each(warnings)(
    'every client lives with $rule ($what)',
    async ({ rule, body, legal: whole }) => {
      const before = await court.hear(wire, whole)
      for (const [sdk, after] of Object.entries(await court.hear(wire, body))) {
        const was = before[sdk]
        if (was === undefined) continue
        expect({ sdk, ...gist(after, rule) }).toEqual({ sdk, ...gist(was, rule) })
      }
    },
  )

  test('no client throws on a stream without errors, whatever was done to one of its frames', async () => {
    const [whole = ''] = Object.values(legal)
    for (const { what, body } of mutants(whole)) {
      const findings = lint(wire, toUtf8(body))
      if (findings.some(({ severity }) => severity === 'error')) continue
      for (const [sdk, { error }] of Object.entries(await court.hear(wire, body)))
        expect({ what, sdk, error }).toEqual({ what, sdk, error: undefined })
    }
  })
})

test.each([
  [
    'openai-chat',
    chat.legal['one call alone'],
    /"tool_calls":\[\{"index":0/g,
    '"tool_calls":[{"index":4294967290',
  ],
  [
    'openai-responses',
    responses.legal['reasoning, text and a call'],
    /"output_index":2/g,
    '"output_index":4294967290',
  ],
  ['anthropic-messages', messages.legal['text alone'], /"index":0/g, '"index":4294967290'],
] as const)(
  'a huge index on %s does not keep lint busy',
  (wire, body = '', from, to) => {
    const findings = lint(wire, toUtf8(body.replace(from, to)))
    expect(findings.map(({ rule }) => rule)).toContain(
      { 'openai-chat': 'B7', 'openai-responses': 'C5', 'anthropic-messages': 'A4' }[wire],
    )
  },
  5000,
)

/** What all clients must agree on in spite of a warning. */
const gist = ({ error, text, thinking, calls, finish }: Judgement, rule: string): object => ({
  error,
  text: OTHER_TEXT.has(rule) ? '' : text,
  thinking,
  names: calls.map(({ name }) => name),
  isFinished: finish !== null && finish !== 'in_progress',
})

const bodyOf = (streams: readonly BrokenStream[], rule: string): BrokenStream => {
  const found = streams.find((stream) => stream.rule === rule)
  if (found === undefined) throw new Error(`no broken stream for ${rule}`)
  return found
}

test('overlapping blocks (A5) give the listeners of @anthropic-ai/sdk the wrong block', async () => {
  const heard = async (body: string): Promise<string[]> => {
    const baseURL = server.serve(body).replace(/\/v1$/, '')
    const client = new Anthropic({ apiKey: 'none', baseURL, maxRetries: 0 })
    const types: string[] = []
    const stream = client.messages
      .stream({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] })
      .on('contentBlock', (block) => types.push(block.type))
    await stream.finalMessage()
    return types
  }
  const { body, legal } = bodyOf(messages.brokenStreams, 'A5')
  expect(await heard(legal)).toEqual(['thinking', 'text', 'tool_use'])
  expect(await heard(body)).toEqual(['text', 'text', 'tool_use'])
})

test('a call without arguments (C12) makes openai say "undefined" before them', async () => {
  const heard = async (body: string): Promise<string[]> => {
    const client = new OpenAI({ apiKey: 'none', baseURL: server.serve(body), maxRetries: 0 })
    const snapshots: string[] = []
    const stream = client.responses
      .stream({ model: 'm', input: 'hi' })
      .on('response.function_call_arguments.delta', ({ snapshot }) => snapshots.push(snapshot))
    await stream.finalResponse()
    return snapshots
  }
  const { body, legal } = bodyOf(responses.brokenStreams, 'C12')
  expect(await heard(legal)).toEqual(['{"city":', '{"city":"Bern"}'])
  expect(await heard(body)).toEqual(['undefined{"city":', 'undefined{"city":"Bern"}'])
})
