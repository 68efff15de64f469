/**
 * Random conversations with tools, as a plan that each wire can say in its own way. Neighbours:
 * `conversation-bodies.ts` writes a plan as a client's body; `test/conformance/requests*.test.ts` send them
 * everywhere. What a wire has no room for is not planned for it, so that every body is legal where it starts.
 */
import fc from 'fast-check'
import type { WireName } from '../../src/event/event.ts'
import type {
  Conversation,
  PlannedCall,
  PlannedPart,
  PlannedThinking,
  Said,
  Settings,
  Step,
} from './conversation-plan.ts'
import { rarely, tools, words } from './conversation-tools.ts'

export interface ConversationOptions {
  /** Whether thinking may come back in our own envelopes. */
  readonly hasEnvelopes?: boolean
  /** Whether tool results may hold images, where the wire has room for them. */
  readonly hasResultImages?: boolean
  readonly maxSteps?: number
}

const MESSAGES: WireName = 'anthropic-messages'
const CHAT: WireName = 'openai-chat'
const RESPONSES: WireName = 'openai-responses'

export function conversations(
  wire: WireName,
  options: ConversationOptions = {},
): fc.Arbitrary<Conversation> {
  return fc
    .record({
      wire: fc.constant(wire),
      system: fc.array(words, { maxLength: 2 }),
      first: said,
      steps: fc.array(step(wire, options), { maxLength: options.maxSteps ?? 3 }),
      tools: tools(wire),
      settings: settings(wire),
      isTerse: fc.boolean(),
    })
    .map((plan) => settle(plan))
}

/** The conversation as it was before each of the model's answers: every one is the beginning of the next. */
export const growing = (whole: Conversation): Conversation[] =>
  Array.from({ length: whole.steps.length + 1 }, (_, i) => ({
    ...whole,
    steps: whole.steps.slice(0, i),
  }))

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg=='

const textPart = words.map((text): PlannedPart => ({ type: 'text', text }))
const image = fc.constantFrom<PlannedPart>(
  { type: 'image', data: PIXEL },
  { type: 'image-url', url: 'https://example.com/cat.png?size=1' },
)
const pdf = fc.constant<PlannedPart>({ type: 'pdf', data: 'JVBERi0xLjQK' })

const said: fc.Arbitrary<Said> = fc.record({
  parts: fc.array(
    fc.oneof(
      { weight: 6, arbitrary: textPart },
      { weight: 2, arbitrary: image },
      { weight: 1, arbitrary: pdf },
    ),
    { minLength: 1, maxLength: 3 },
  ),
  system: rarely(words),
})

function step(wire: WireName, options: ConversationOptions): fc.Arbitrary<Step> {
  return fc
    .record({
      thinking: fc.option(thinking(options), { nil: undefined }),
      text: fc.option(words, { nil: undefined }),
      calls: fc.array(call(wire, options), { maxLength: 3 }),
      said: fc.option(said, { nil: undefined, freq: 2 }),
      instead: said,
    })
    .map(({ instead, ...plan }) => ({
      ...plan,
      text: plan.text ?? (plan.calls.length === 0 ? 'done' : undefined),
      said: plan.said ?? (plan.calls.length === 0 ? instead : undefined),
    }))
}

const thinking = ({ hasEnvelopes = true }: ConversationOptions): fc.Arbitrary<PlannedThinking> =>
  fc.record({
    text: fc.oneof(fc.constant(''), words),
    seal: hasEnvelopes
      ? fc.constantFrom<PlannedThinking['seal']>('own', MESSAGES, CHAT, RESPONSES)
      : fc.constant<'own'>('own'),
  })

const json = fc
  .dictionary(
    fc.oneof(
      fc.constantFrom('path', 'command', 'input'),
      fc.string({ minLength: 1, maxLength: 5 }),
    ),
    fc.oneof(words, fc.jsonValue({ maxDepth: 2 })),
    { maxKeys: 3 },
  )
  // A key of this name is no key of an object literal, and no tool has it.
  .filter((value) => !('__proto__' in value && Object.keys(value).includes('__proto__')))

function call(wire: WireName, options: ConversationOptions): fc.Arbitrary<PlannedCall> {
  const hasImages = (options.hasResultImages ?? true) && wire !== CHAT
  return fc
    .record({
      id: fc.constantFrom(...ID_FORMS[wire]),
      tool: fc.nat(9),
      arguments: fc.oneof(
        fc.constantFrom('{}', wire === MESSAGES ? '{}' : ''),
        json.map((value) => JSON.stringify(value)),
        json.map((value) => JSON.stringify(value, null, 2)),
      ),
      input: fc.oneof(words, fc.constant('')),
      result: fc.oneof(
        fc.constant([]),
        fc.array(textPart, { minLength: 1, maxLength: 2 }),
        ...(hasImages ? [fc.array(fc.oneof(textPart, image), { minLength: 1, maxLength: 3 })] : []),
      ),
      isError: fc.boolean(),
      rank: fc.nat(),
    })
    .map((plan) => ({
      ...plan,
      // An error is told in words, on every wire.
      isError: plan.isError && plan.result[0]?.type === 'text' && isText(plan.result),
    }))
}

const isText = (parts: readonly PlannedPart[]): boolean =>
  parts.every((part) => part.type === 'text')

/** What ids look like that clients hold: made by many servers, and handed back. `#` is counted up. */
const ID_FORMS: Readonly<Record<WireName, readonly string[]>> = {
  'anthropic-messages': [
    'toolu_01AbC#',
    'call_#',
    `toolu_${'x'.repeat(50)}_#`,
    `t-${'9'.repeat(80)}#`,
  ],
  'openai-chat': [
    'call_#',
    'functions.Bash:#',
    `chatcmpl-tool-${'0'.repeat(32)}#`,
    '#',
    'call|fc #',
  ],
  'openai-responses': ['call_#', 'functions.exec:#', `call_${'y'.repeat(50)}#`, 'toolu_01#', '#'],
}

function settings(wire: WireName): fc.Arbitrary<Settings> {
  return fc.record({
    isReasoning: fc.boolean(),
    isStream: fc.boolean(),
    choice: fc.constantFrom<Settings['choice']>(
      undefined,
      'auto',
      'required',
      'none',
      'tool',
      wire === MESSAGES ? 'auto' : 'allowed',
    ),
    isParallel: fc.constantFrom(undefined, true, false),
    maxTokens:
      wire === MESSAGES
        ? fc.constantFrom(4096, 32_000)
        : fc.constantFrom(undefined, 16, 500, 20_000),
    stop: fc.constantFrom<readonly string[]>([], ['END'], ['\n\nHuman:', 'STOP', '</done>']),
    effort: fc.constantFrom(undefined, 'low', 'medium', 'high'),
    temperature: fc.constantFrom(undefined, 0, 0.5, 1),
    format: fc.constantFrom<Settings['format']>(
      undefined,
      undefined,
      'schema',
      'strict',
      wire === MESSAGES ? 'schema' : 'object',
    ),
    user: fc.constantFrom(undefined, 'user-17'),
  })
}

/** What only fits together once all of it is known. */
function settle(plan: Conversation): Conversation {
  let count = 0
  const steps = plan.steps.map((step) => ({
    ...step,
    // Without tools nothing can have been called but what is gone, and that is rare enough.
    calls: step.calls.map((call) => ({ ...call, id: call.id.replace('#', String(count++)) })),
  }))
  const hasJson = plan.settings.format === 'object'
  return { ...plan, steps, system: hasJson ? [...plan.system, 'Answer in JSON'] : plan.system }
}
