/**
 * Bytes of an answer that somebody began to watch at any time → its blocks. While an exchange goes on, the page knows the
 * client's wire only, and what the upstream speaks is seen by its first frame; of a long answer the beginning has passed.
 * Neighbours: `answer-reader.ts` reads, `answer-late.ts` knows beginnings, `answer-live.ts` asks.
 */
import { createFrameDecoder, type JsonObject, type WireName } from '../../src/index.ts'
import { recogniseWires } from '../core/wires.ts'
import { isBeginning, toBeginning } from './answer-late.ts'
import { createAnswerReader, type AnswerReader } from './answer-reader.ts'

export interface GuessingReader extends AnswerReader {
  /** Its beginning had passed before anybody looked. */
  isPartial(): boolean
}

/** `likely`: the wire that is taken where nothing says otherwise. */
export function createGuessingReader(likely: WireName): GuessingReader {
  let reader: AnswerReader | undefined
  let waiting: Uint8Array[] = []
  let framer = createFrameDecoder()
  let isJson = false
  let isLate = false

  function begin(wire: WireName, first: JsonObject | undefined, at: number): AnswerReader {
    const made = createAnswerReader(wire)
    isLate = first !== undefined && !isJson && !isBeginning(wire, first)
    if (isLate && first !== undefined) made.push(encoder.encode(toBeginning(wire, first)), at)
    for (const bytes of isLate ? [withoutHalf(waiting)] : waiting) made.push(bytes, at)
    waiting = []
    return (reader = made)
  }

  /** An attempt that failed said so in JSON; what the next one says begins anew. */
  function restart(): void {
    reader = undefined
    waiting = []
    framer = createFrameDecoder()
    isJson = false
  }

  return {
    push(bytes, at) {
      const head = toText(bytes.subarray(0, 8))
      if (isJson && STREAM.test(head)) restart()
      if (reader !== undefined) return reader.push(bytes, at)
      if (waiting.length === 0) isJson = /^\s*\{/.test(head)
      waiting.push(bytes)
      if (isJson) return
      const first = framer
        .push(bytes)
        .map(({ data }) => parse(data))
        .find(isTelling)
      if (first !== undefined) begin(choose(first, likely), first, at)
    },
    end() {
      const whole = isJson ? parse(waiting.map(toText).join('')) : undefined
      const last =
        reader ?? begin(whole === undefined ? likely : choose(whole, likely), undefined, 0)
      last.end()
    },
    blocks: () => reader?.blocks() ?? NONE,
    ending: () => reader?.ending() ?? UNKNOWN,
    isPartial: () => isLate,
  }
}

const NONE = [] as const
const UNKNOWN = { model: undefined, finishReason: undefined, usage: undefined, fault: undefined }
const STREAM = /^(?:event|data|id|:)/

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const toText = (bytes: Uint8Array): string => decoder.decode(bytes)

/** A sign of life says nothing of where we are. */
const isTelling = (json: JsonObject | undefined): json is JsonObject =>
  json !== undefined && json['type'] !== 'ping'

/** What was kept begins anywhere: the rest of a frame is of no use without its beginning. */
function withoutHalf(pieces: readonly Uint8Array[]): Uint8Array {
  const text = pieces.map(toText).join('')
  const isWhole = createFrameDecoder()
    .push(encoder.encode(text))
    .slice(0, 1)
    .every(({ data }) => parse(data) !== undefined)
  return encoder.encode(isWhole ? text : text.slice(text.indexOf('\n\n') + 2))
}

function choose(json: JsonObject, likely: WireName): WireName {
  const names = recogniseWires(json).map(({ wire }) => wire)
  return names.includes(likely) ? likely : (names[0] ?? likely)
}

function parse(text: string | undefined): JsonObject | undefined {
  if (text?.startsWith('{') !== true) return undefined
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return undefined
  }
}
