/**
 * Streams to measure on, made here: an answer as agents get them, some text and two tool calls whose
 * arguments come in small pieces, on each wire as its own vendor frames it.
 */
import { createEncoder as createAnthropic } from '../src/wire/anthropic-messages/encode.ts'
import { createEncoder as createChat } from '../src/wire/openai-chat/encode.ts'
import { createEncoder as createResponses } from '../src/wire/openai-responses/encode.ts'
import {
  createFrameDecoder,
  type BlockInfo,
  type StreamEvent,
  type WireName,
} from '../src/index.ts'
import { toBytes } from '../src/sse/encode.ts'

const ENCODERS = {
  'anthropic-messages': createAnthropic,
  'openai-chat': createChat,
  'openai-responses': createResponses,
}

const WORDS =
  'The stream goes on word by word, as a model writes it; "quotes" and\nlines included.'.split(' ')

export function makeStream(wire: WireName, deltas: number, isAscii = true): Uint8Array {
  const encoder = ENCODERS[wire]({ now: () => 1_760_000_000, createId: () => 'bench' })
  const parts = [...makeEvents(deltas, isAscii)].flatMap((event) => [...encoder.push(event)])
  const frames = createFrameDecoder().push(Buffer.concat([...parts, ...encoder.end()].map(toBytes)))
  return new Uint8Array(
    Buffer.concat(
      frames.map(({ raw }, at) => Buffer.from(pad(wire, Buffer.from(raw).toString(), at))),
    ),
  )
}

/**
 * Vendors pad what they stream, so that its lengths tell nothing: one with spaces before the last brace of each frame, the other with a
 * member of its own beside each piece.
 */
function pad(wire: WireName, frame: string, at: number): string {
  const size = (at * 7) % 16
  const isPiece = frame.includes('.delta"') || frame.includes('"delta":{"')
  if (wire === 'anthropic-messages') return frame.replace(/\}\n\n$/, `${' '.repeat(size)}}\n\n`)
  return isPiece ? frame.replace(/\}\n\n$/, `,"obfuscation":"${'x'.repeat(size)}"}\n\n`) : frame
}

function* makeEvents(deltas: number, isAscii: boolean): Generator<StreamEvent> {
  yield { type: 'message-start', id: 'msg_bench', model: 'model-for-benchmarks' }
  const text: BlockInfo = { id: 'block_0', index: 0, type: 'text' }
  yield { type: 'block-start', block: text }
  for (let i = 0; i < deltas * 0.7; i++) {
    const word = `${WORDS[i % WORDS.length] ?? ''} `
    yield {
      type: 'block-delta',
      block: text,
      delta: { type: 'text', text: isAscii ? word : `${word}– “é” ` },
    }
  }
  yield { type: 'block-stop', block: text }
  for (const index of [1, 2]) {
    const block: BlockInfo = {
      id: `call_${index}`,
      index,
      type: 'tool-call',
      name: 'write_file',
      dialect: 'function',
    }
    yield { type: 'block-start', block }
    const value = JSON.stringify({
      path: 'src/a.ts',
      text: WORDS.join(' ').repeat(Math.ceil(deltas / 100)),
    })
    const size = Math.max(1, Math.floor(value.length / (deltas * 0.15)))
    for (let at = 0; at < value.length; at += size)
      yield {
        type: 'block-delta',
        block,
        delta: { type: 'arguments', text: value.slice(at, at + size) },
      }
    yield { type: 'block-stop', block }
  }
  yield { type: 'finish', reason: 'tool-calls' }
  yield { type: 'usage', usage: { inputTokens: 1200, outputTokens: deltas } }
  yield { type: 'message-stop' }
}

export function cutEvery(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  )
}

/** As a server that flushes each frame sends them. */
export function cutFrames(bytes: Uint8Array): Uint8Array[] {
  const decoder = createFrameDecoder()
  return [...decoder.push(bytes), ...decoder.end()].map((frame) => Uint8Array.from(frame.raw))
}
