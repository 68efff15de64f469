/**
 * Streams that are made of runs, and of what nearly belongs to one: many pieces in frames that are alike, and among them
 * frames that differ a little. Neighbours: `served.ts` sends them through.
 */
import fc from 'fast-check'
import type { BlockInfo } from '../../src/event/block.ts'
import type { Delta, StreamEvent, WireName } from '../../src/event/event.ts'
import { joinBytes, toUtf8 } from './bytes.ts'
import { encode, readFrames } from './pipeline.ts'

/** Words, what must be escaped, halves of a character, and names of members that stand around the text. */
const piece = fc.oneof(
  { arbitrary: fc.constantFrom('one ', 'two ', 'three ', ' and', ' so', ' on'), weight: 6 },
  fc.constantFrom('"', '\\', '\n', 'a"b', '\\n', '\u0000', '\u2028', 'é', '😀', '\ufeff'),
  fc.constantFrom('\ud83d', '\ude00', 'x\ud83d', '\ude00y'),
  fc.constantFrom('text', 'type', 'delta', 'index', 'content', 'sequence_number', '[DONE]', 'stop'),
  fc.constantFrom('data: x\n\n', '}}\n\n', '"}}', '",", "text":"'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }),
  fc.constantFrom('', ' '),
)

const pieces = fc.array(piece, { maxLength: 12 })

interface Draft {
  readonly type: 'text' | 'thinking' | 'refusal' | 'function' | 'custom'
  readonly pieces: readonly string[]
}

const draft: fc.Arbitrary<Draft> = fc.record({
  type: fc.constantFrom<Draft['type']>('text', 'text', 'thinking', 'refusal', 'function', 'custom'),
  pieces,
})

function toBlock({ type }: Draft, index: number): BlockInfo {
  const id = `block_${index}`
  if (type === 'thinking') return { id, index, type, redacted: false }
  if (type === 'text' || type === 'refusal') return { id, index, type }
  return { id: `call_${index}`, index, type: 'tool-call', name: `tool_${index}`, dialect: type }
}

/** Arguments are one JSON object, however it is cut; the rest is what it is. */
function toDeltas({ type, pieces: said }: Draft): readonly Delta[] {
  if (type === 'thinking') return said.map((text) => ({ type, text }))
  if (type === 'text' || type === 'refusal') return said.map((text) => ({ type: 'text', text }))
  const args = type === 'custom' ? said : cutUp(JSON.stringify({ command: said.join('') }))
  return args.map((text) => ({ type: 'arguments', text }))
}

const cutUp = (text: string): readonly string[] =>
  Array.from({ length: Math.ceil(text.length / 3) }, (_, at) => text.slice(at * 3, at * 3 + 3))

function toEvents(drafts: readonly Draft[]): readonly StreamEvent[] {
  const blocks = drafts.flatMap((one, index): StreamEvent[] => {
    const block = toBlock(one, index)
    return [
      { type: 'block-start', block },
      ...toDeltas(one).map((delta): StreamEvent => ({ type: 'block-delta', block, delta })),
      { type: 'block-stop', block },
    ]
  })
  const hasCall = drafts.some(({ type }) => type === 'function' || type === 'custom')
  return [
    { type: 'message-start', id: 'answer_1', model: 'model' },
    ...blocks,
    { type: 'finish', reason: hasCall ? 'tool-calls' : 'stop' },
    { type: 'usage', usage: { inputTokens: 12, outputTokens: 34 } },
    { type: 'message-stop' },
  ]
}

/** What may be done to a frame, and leaves it a frame of its wire. */
type Twist = (frame: string, number: number) => string | Uint8Array

const inData = (frame: string, change: (json: string) => string): string =>
  frame.replace(/^data: (\{.*\})$/m, (_line, json: string) => `data: ${change(json)}`)

const TWISTS: Readonly<Record<string, Twist>> = {
  // Each letter in its long form: the same text in other bytes.
  escaped: (frame) =>
    inData(frame, (json) =>
      json.replace(/(?<=[": ])(one|two|three)(?= ")/g, (word) => escape(word)),
    ),
  'one member more': (frame) => inData(frame, (json) => `${json.slice(0, -1)},"more":1}`),
  padded: (frame, number) =>
    inData(frame, (json) => `${json.slice(0, -1)},"obfuscation":"${'x'.repeat(number % 5)}"}`),
  // As one vendor pads each frame, and as another does.
  'with spaces behind': (frame, number) =>
    inData(frame, (json) => `${json.slice(0, -1)}${' '.repeat((number * 7) % 16)}}`),
  'with a pad': (frame, number) =>
    inData(frame, (json) => `${json.slice(0, -1)},"p":"${'x'.repeat(number % 5)}"}`),
  // Where the words stand twice, the same or not.
  'with its words again': (frame, number) =>
    frame.replace(
      /"delta":\{"(reasoning_content|content)":("(?:[^"\\]|\\.)*")/,
      (_, name: string, text: string) =>
        `"delta":{"${name}":${text},"reasoning_details":[{"type":"reasoning.text","text":${number % 5 === 4 ? '"else"' : text},"index":0}]`,
    ),
  'of another answer': (frame, number) => frame.replace(/"id":"\w+"/, `"id":"answer_${number}"`),
  'with another item': (frame, number) =>
    frame.replace(/"item_id":"\w+"/, `"item_id":"item_${number}"`),
  'another index': (frame) => frame.replace(/"((?:output_)?index)":0/, '"$1":7'),
  'with usage': (frame) =>
    inData(
      frame,
      (json) => `${json.slice(0, -1)},"usage":{"prompt_tokens":1,"completion_tokens":2}}`,
    ),
  'behind a comment': (frame) => `: a word between\n\n${frame}`,
  'with a comment in it': (frame) => `: a word in it\n${frame}`,
  'with an id': (frame, number) => `id: ${number}\n${frame}`,
  'with CR LF': (frame) => frame.replaceAll('\n', '\r\n'),
  'with spaces': (frame) => inData(frame, (json) => json.replaceAll('":', '" : ')),
  'said twice': (frame) => frame + frame,
  'left out': () => '',
  'with a broken byte': (frame) => spoil(frame, [0xff]),
  'with half a letter': (frame) => spoil(frame, [0xc3]),
  'with the other half': (frame) => spoil(frame, [0xa9]),
}

const escape = (text: string): string =>
  Array.from(text, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

/** Those bytes in the place of a word. */
function spoil(frame: string, bytes: readonly number[]): Uint8Array {
  const at = /"(?:one|two|three) "/.exec(frame)?.index
  if (at === undefined) return toUtf8(frame)
  const end = frame.indexOf('"', at + 1)
  return joinBytes([
    toUtf8(frame.slice(0, at + 1)),
    Uint8Array.from(bytes),
    toUtf8(frame.slice(end)),
  ])
}

const TWIST_NAMES = Object.keys(TWISTS)

/** All frames with that twist, or those of some numbers. */
function twist(wire: WireName, bytes: Uint8Array, name: string, every = 1): Uint8Array {
  let number = 0
  const frames = readFrames([bytes]).map(({ raw }) => {
    const frame = new TextDecoder().decode(raw)
    const isPiece = PIECE[wire].test(frame)
    const given = isPiece && number++ % every === 0 ? TWISTS[name]?.(frame, number) : raw
    return typeof given === 'string' ? toUtf8(given) : (given ?? raw)
  })
  return joinBytes(frames)
}

/** Frames that say a piece. */
const PIECE: Readonly<Record<WireName, RegExp>> = {
  'anthropic-messages': /"(?:text|thinking|input_json)_delta"/,
  'openai-chat': /"delta":\{"(?:content|reasoning_content|refusal|tool_calls)"/,
  'openai-responses': /"type":"response\.[a-z_.]+\.delta"/,
}

const writeStream = (wire: WireName, drafts: readonly Draft[]): Uint8Array =>
  encode(wire, toEvents(drafts), {
    now: () => 1,
    createId: () => 'upstream',
    customTools: true,
  }).bytes

/** Any such stream of that wire. */
export const anyStream = (wire: WireName): fc.Arbitrary<Uint8Array> =>
  fc
    .record({
      drafts: fc.array(draft, { minLength: 1, maxLength: 4 }),
      twists: fc.array(
        fc.record({ name: fc.constantFrom(...TWIST_NAMES), every: fc.constantFrom(1, 1, 4, 7) }),
        { maxLength: 2 },
      ),
    })
    .map(({ drafts, twists }) =>
      twists.reduce(
        (bytes, { name, every }) => twist(wire, bytes, name, every),
        writeStream(wire, drafts),
      ),
    )
