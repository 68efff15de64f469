/**
 * Requests to another wire and back: what both can say is still there. What a pair cannot carry is left out,
 * and named: thinking (only its vendor takes it), cache marks, names of formats (Messages has none), sampling
 * (by model), and in `support/request-essence.ts` the forms that a thing takes on its way.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WIRE_NAMES, type WireName } from '../../src/index.ts'
import type { ModelRequest } from '../../src/request/request.ts'
import { toBody } from '../support/conversation-bodies.ts'
import type { Conversation } from '../support/conversation-plan.ts'
import { conversations } from '../support/conversations.ts'
import {
  backThrough,
  essenceOf,
  idsOf,
  isPlainId,
  type Rename,
} from '../support/request-essence.ts'
import { read, write, type Target, type Written } from '../support/requests.ts'

const runs = { numRuns: Number(process.env['RUNS'] ?? 60) }
const PAIRS = WIRE_NAMES.flatMap((from) =>
  WIRE_NAMES.filter((via) => via !== from).map((via) => [from, via] as const),
)

/** The model of each wire that takes most, by whether the client speaks of effort or of sampling. */
function upstream(wire: WireName, isReasoning: boolean): Target {
  if (wire === 'anthropic-messages') return { wire, vendor: 'anthropic', model: 'claude-opus-5' }
  return { wire, vendor: 'openai', model: isReasoning ? 'gpt-5.2' : 'gpt-4.1' }
}

interface Journey {
  readonly plan: Conversation
  readonly before: ModelRequest
  readonly there: Written
  readonly between: ModelRequest
  readonly after: ModelRequest
  readonly rename: Rename
}

function travel(plan: Conversation, from: WireName, via: WireName): Journey {
  const { isReasoning } = plan.settings
  const before = read(from, toBody(plan))
  const there = write(before, upstream(via, isReasoning))
  const between = read(via, there.body)
  const back = write(between, upstream(from, isReasoning))
  const rename = backThrough(back.names, there.names)
  return { plan, before, there, between, after: read(from, back.body), rename }
}

describe.each(PAIRS)('from %s by %s and back', (from, via) => {
  // Images in results and choices among some tools take another form on the way: they are below.
  const plain = conversations(from, {
    hasEnvelopes: false,
    hasResultImages: via !== 'openai-chat',
  }).filter(({ settings }) => settings.choice !== 'allowed')

  const every = (check: (journey: Journey) => void): void =>
    fc.assert(
      fc.property(plain, (plan) => check(travel(plan, from, via))),
      runs,
    )

  test('everything that was said, called and answered is there, in order', () => {
    every(({ before, after, rename }) => {
      const [was, is] = [essenceOf(before), essenceOf(after, rename)]
      expect(is.said).toEqual(was.said)
      // On Messages, that any JSON is wanted can only be said in words.
      const isAsked = before.format?.type === 'json-object' && via === 'anthropic-messages'
      if (isAsked) expect(is.system.startsWith(was.system)).toBe(true)
      else expect(is.system).toBe(was.system)
    })
  })

  test('calls keep the ids that are legal on both', () => {
    every(({ before, between, after }) => {
      idsOf(before).forEach((id, i) => {
        if (isPlainId(id)) expect([idsOf(between)[i], idsOf(after)[i]]).toEqual([id, id])
      })
    })
  })

  test('tools and the choice among them are the same', () => {
    every(({ before, after, rename }) => {
      const [was, is] = [essenceOf(before), essenceOf(after, rename)]
      expect(is.tools).toEqual(was.tools)
      expect(is.choice).toEqual(was.choice)
      // Where nothing may be called, Messages has no room for how many.
      if (was.choice !== 'none' && before.tools.length > 0)
        expect(is.isParallel).toBe(was.isParallel)
    })
  })

  test('the settings that both have are the same', () => {
    every(({ plan, before, there, after }) => {
      if (before.maxTokens !== undefined) expect(after.maxTokens).toBe(before.maxTokens)
      expect(after.user).toBe(before.user)
      expect(after.isStream).toBe(before.isStream)
      expect(schemaOf(after)).toEqual(schemaOf(before))
      if (plan.settings.isReasoning && before.reasoning.effort !== undefined)
        expect(after.reasoning.effort).toBe(before.reasoning.effort)
      // What the upstream does not look for, we do.
      const kept = [...there.stop, ...read(via, there.body).stop]
      expect(kept.toSorted()).toEqual(before.stop.toSorted())
    })
  })
})

test.each(['anthropic-messages', 'openai-responses'] as const)(
  'images in results from %s are shown on Chat behind the results',
  (from) => {
    fc.assert(
      fc.property(conversations(from), (plan) => {
        const { before, between } = travel(plan, from, 'openai-chat')
        expect(imagesOf(between)).toEqual(imagesOf(before))
      }),
      runs,
    )
  },
)

test.each([
  ['openai-chat', 'openai-responses'],
  ['openai-responses', 'openai-chat'],
] as const)('sampling is the same from %s to %s', (from, via) => {
  fc.assert(
    fc.property(conversations(from), (plan) => {
      const { before, after } = travel(plan, from, via)
      expect(after.sampling).toEqual(before.sampling)
    }),
    runs,
  )
})

test.each(['openai-chat', 'openai-responses'] as const)(
  'a choice among some tools from %s leaves Messages only those',
  (from) => {
    fc.assert(
      fc.property(conversations(from), (plan) => {
        const { before, there, between } = travel(plan, from, 'anthropic-messages')
        if (before.toolChoice?.type !== 'allowed') return
        expect(between.tools.map(({ name }) => there.names.toSource(name)?.name)).toEqual(
          before.toolChoice.tools.map(({ name }) => name),
        )
      }),
      runs,
    )
  },
)

/** Messages has schemas only, and no names for them. */
const schemaOf = ({ format }: ModelRequest): unknown =>
  format?.type === 'json-schema' ? format.schema : undefined

const imagesOf = ({ turns }: ModelRequest): string[] =>
  turns
    .flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-result' ? part.parts : part)),
    )
    .flatMap((part) => (part.type === 'image' ? JSON.stringify(part.source) : []))
    .toSorted()
