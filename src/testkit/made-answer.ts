/**
 * What a test lets the model say → the events of an answer, in small pieces as models send them. Neighbours:
 * `test-policy.ts`; `read-stream.ts` is for answers that were recorded.
 */
import type { BlockInfo, ToolDialect } from '../event/block.ts'
import type { Delta, StreamEvent } from '../event/event.ts'

/** A block that the model says. A text alone is a text block. */
export type TestBlock =
  | string
  | { readonly text: string }
  | { readonly thinking: string }
  | TestCall

export interface TestCall {
  readonly name: string
  /** An object, or raw text: JSON that is broken, or the text of a tool whose dialect is `custom`. */
  readonly args?: Readonly<Record<string, unknown>> | string
  readonly id?: string
  readonly dialect?: ToolDialect
  readonly namespace?: string
}

export interface MadeOptions {
  readonly model: string
  /** Tells the answers of one test apart. */
  readonly number: number
  /** How many characters each piece has. Default 5. */
  readonly pieces?: number | undefined
}

const PIECE_CHARS = 5

export function makeAnswer(blocks: readonly TestBlock[], options: MadeOptions): StreamEvent[] {
  const { model, number } = options
  const size = Math.max(1, options.pieces ?? PIECE_CHARS)
  const made = blocks.map((block, index) => toMade(block, { index, number }))
  const hasCalls = made.some(({ info }) => info.type === 'tool-call')
  return [
    { type: 'message-start', id: `msg_test_${number}`, model },
    ...made.flatMap((one) => toEvents(one, size)),
    { type: 'finish', reason: hasCalls ? 'tool-calls' : 'stop' },
    { type: 'usage', usage: { inputTokens: 10, outputTokens: 10 } },
    { type: 'message-stop' },
  ]
}

interface Made {
  readonly info: BlockInfo
  readonly kind: 'text' | 'thinking' | 'arguments'
  readonly text: string
}

function toMade(block: TestBlock, { index, number }: { index: number; number: number }): Made {
  const id = `block_${number}_${index}`
  if (typeof block === 'string')
    return { info: { type: 'text', id, index }, kind: 'text', text: block }
  if ('text' in block) return { info: { type: 'text', id, index }, kind: 'text', text: block.text }
  if ('thinking' in block)
    return {
      info: { type: 'thinking', id, index, redacted: false },
      kind: 'thinking',
      text: block.thinking,
    }
  const { name, args = {}, dialect = 'function', namespace } = block
  const info: BlockInfo = {
    type: 'tool-call',
    id: block.id ?? `call_test_${number}_${index}`,
    index,
    name,
    dialect,
    ...(namespace === undefined ? {} : { namespace }),
  }
  return { info, kind: 'arguments', text: typeof args === 'string' ? args : JSON.stringify(args) }
}

function toEvents({ info: block, kind, text }: Made, size: number): StreamEvent[] {
  return [
    { type: 'block-start', block },
    ...cut(text, size).map((piece): StreamEvent => {
      const delta: Delta = { type: kind, text: piece }
      return { type: 'block-delta', block, delta }
    }),
    { type: 'block-stop', block },
  ]
}

/** Between characters, never within one. */
function cut(text: string, size: number): readonly string[] {
  const characters = Array.from(text)
  const pieces: string[] = []
  for (let at = 0; at < characters.length; at += size)
    pieces.push(characters.slice(at, at + size).join(''))
  return pieces
}
