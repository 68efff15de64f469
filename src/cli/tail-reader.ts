/**
 * The bytes of one answer, as they pass → its blocks as they grow. Neighbours: `tail.ts` has one for each exchange; the
 * stream core reads. The wire is told by the bytes: what an upstream speaks is known to the gateway alone.
 */
import { parseExactObject } from '../base/json-exact.ts'
import { parseObject } from '../base/json.ts'
import { createAssembler } from '../block/assemble.ts'
import type { StreamBlock } from '../event/block.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import type { Frame } from '../sse/frame.ts'
import type { Decoder } from '../wire/wire.ts'
import { recogniseWires, WIRES } from '../wire/wires.ts'

export type Growth =
  /** More of a text or of thinking. */
  | { readonly type: 'more'; readonly block: StreamBlock; readonly text: string }
  /** It is whole, or nothing more of it comes. */
  | { readonly type: 'block'; readonly block: StreamBlock }

export interface AnswerReader {
  push(bytes: Uint8Array): readonly Growth[]
  /** The answer is over. */
  end(): readonly Growth[]
  /** Whether nothing more is to come: it has said so itself, or it has not begun. */
  isWhole(): boolean
}

/** More than that is not held for a look. */
const MAX_JSON_BYTES = 16 * 1024 * 1024
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** `likely`: the wire of the client, where several could be meant. */
export function createAnswerReader(likely: WireName | undefined): AnswerReader {
  let stream = createStreamReader(likely)
  let json: Uint8Array[] | undefined
  let jsonBytes = 0
  let isFirst = true
  let isGivenUp = false

  function push(bytes: Uint8Array): readonly Growth[] {
    const first = bytes.find((byte) => byte > 0x20)
    if (isFirst && first !== undefined) {
      isFirst = false
      if (first === OPEN_BRACE) json = []
    }
    if (json === undefined) return stream.push(bytes)
    // An upstream refused with JSON, and the next one streams.
    if (jsonBytes > 0 && /^(?:event|data|:)/.test(String.fromCharCode(...bytes.subarray(0, 6)))) {
      json = undefined
      stream = createStreamReader(likely)
      return stream.push(bytes)
    }
    jsonBytes += bytes.length
    if (jsonBytes <= MAX_JSON_BYTES) json.push(bytes)
    return []
  }

  const end = (): readonly Growth[] =>
    json === undefined ? stream.end() : jsonBytes > MAX_JSON_BYTES ? [] : readJson(json, likely)

  /** What cannot be read is not shown; the exchange goes on. */
  const guarded = (work: () => readonly Growth[]): readonly Growth[] => {
    if (isGivenUp) return []
    try {
      return work()
    } catch {
      isGivenUp = true
      return []
    }
  }
  return {
    push: (bytes) => guarded(() => push(bytes)),
    end: () => guarded(end),
    isWhole: () =>
      isFirst || isGivenUp || (json === undefined ? stream.isWhole() : isWholeJson(json)),
  }
}

function createStreamReader(likely: WireName | undefined): AnswerReader {
  const framer = createFrameDecoder()
  const assembler = createAssembler()
  const told = new Set<StreamBlock>()
  let decoder: Decoder | undefined
  let early: Frame[] = []

  function read(frames: readonly Frame[]): readonly Growth[] {
    const growth: Growth[] = []
    for (const frame of frames) {
      if (decoder !== undefined) apply(decoder.push(frame), growth)
      else {
        early.push(frame)
        decoder = findDecoder(frame, likely)
        if (decoder === undefined) continue
        for (const one of early) apply(decoder.push(one), growth)
        early = []
      }
    }
    return growth
  }

  function apply(events: readonly StreamEvent[], growth: Growth[]): void {
    for (const event of events) {
      const { justCompleted, currentBlock } = assembler.apply(event)
      if (event.type === 'block-delta' && currentBlock !== undefined) {
        const { delta } = event
        if (delta.type === 'text' || delta.type === 'thinking')
          growth.push({ type: 'more', block: currentBlock, text: delta.text })
      }
      if (justCompleted !== undefined && !told.has(justCompleted)) {
        told.add(justCompleted)
        growth.push({ type: 'block', block: justCompleted })
      }
    }
  }

  return {
    push: (bytes) => read(framer.push(bytes)),
    isWhole: () => assembler.state.isStopped || assembler.state.error !== undefined,
    end() {
      const growth = [...read(framer.end())]
      if (decoder !== undefined) apply(decoder.end(), growth)
      for (const block of assembler.state.blocks)
        if (!told.has(block)) growth.push({ type: 'block', block })
      return growth
    },
  }
}

function findDecoder({ data }: Frame, likely: WireName | undefined): Decoder | undefined {
  const json = data === undefined ? undefined : parseObject(data)
  const wires = json === undefined ? [] : recogniseWires(json).map(({ wire }) => wire)
  const wire = wires.find((one) => one === likely) ?? wires[0]
  return wire === undefined ? undefined : WIRES[wire].createDecoder()
}

/** Its last byte tells: what lies before it need not be read for that. */
function isWholeJson(parts: readonly Uint8Array[]): boolean {
  return parts.at(-1)?.findLast((byte) => byte > 0x20) === CLOSE_BRACE
}

function readJson(parts: readonly Uint8Array[], likely: WireName | undefined): readonly Growth[] {
  const body = parseExactObject(Buffer.concat(parts).toString('utf8'))
  if (body === undefined) return []
  const wires = recogniseWires(body).filter(({ as }) => as === 'answer')
  const wire = (wires.find((one) => one.wire === likely) ?? wires[0])?.wire
  if (wire === undefined) return []
  const assembler = createAssembler()
  for (const event of WIRES[wire].readAnswer(body)) assembler.apply(event)
  return assembler.state.blocks.map((block) => ({ type: 'block', block }))
}
