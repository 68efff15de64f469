/**
 * One choice to deltas: role first and once, calls with dense indices and one head, text in paragraphs,
 * the finish alone. Neighbours: `encode.ts` has one per choice and puts the envelope around each delta.
 */
import { createFragments, type Fragments } from '../../base/fragments.ts'
import { jsonShape } from '../../base/json-shape.ts'
import { toText, type JsonObject } from '../../base/json.ts'
import { fullName, type BlockInfo } from '../../event/block.ts'
import {
  takesDelta,
  type Delta,
  type EventOf,
  type StreamEvent,
  type WireName,
} from '../../event/event.ts'
import { cutReason, laterReason, noteFinishLoss, type FinishReason } from '../../event/finish.ts'
import { noteBlockLoss, type LossList } from '../../event/loss.ts'
import { citesBlocks, toUrlCitation } from '../citation.ts'
import { NAME, type DeltaJson } from './json.ts'
import { toReasoningDetails } from './reasoning.ts'
import { writeFinish } from './terms.ts'

export interface ChoiceWriterOptions {
  /** Writes a chunk with that delta, which is JSON already. */
  readonly emit: (delta: string) => void
  readonly emitFinish: (word: string) => void
  readonly losses: LossList
  readonly source: () => WireName | undefined
  readonly takeToolId: (id: string) => string
  /** The upstream that answers. */
  readonly issuer: string | undefined
  /** Whether the client knows tools of type `custom`. */
  readonly keepsCustom: boolean
}

export interface ChoiceWriter {
  giveRole(): void
  /** The role left as it came. Some servers never give one, and then it is ours to give. */
  noteRole(): void
  start(info: BlockInfo): void
  grow(info: BlockInfo, delta: Delta): void
  /** `isCut`: it ends in the middle. */
  stop(info: BlockInfo, final: JsonObject | undefined, isCut?: boolean): void
  note(finish: EventOf<'finish'>): void
  /** Ends the choice. */
  finish(): void
  /** An event left as it came: note what the client has now seen. */
  track(event: StreamEvent): void
}

interface OpenBlock {
  readonly info: BlockInfo
  /** The index of a call. */
  readonly call: number
  readonly text: Fragments
  readonly seals: string[]
  /** Where its text begins in the text of the choice. */
  textAt: number
  readonly citations: JsonObject[]
}

const openBlock = (info: BlockInfo, call: number): OpenBlock => ({
  info,
  call,
  text: createFragments(),
  seals: [],
  textAt: 0,
  citations: [],
})

/** Between paragraphs that are one text here. */
const GAP = '\n\n'

/** Of free text towards a client that knows only functions: the one string of an object. */
const OPENING = '{"input":"'

export function createChoiceWriter(options: ChoiceWriterOptions): ChoiceWriter {
  const { losses, source } = options
  const done = new Set<BlockInfo>()
  let hasRole = false
  let nextCall = 0
  let hasToolCall = false
  let textLength = 0
  /** The message item that the last text was part of, on the wire that has them. */
  let lastItem: JsonObject | undefined
  let hasThinking = false
  let needsGap = false // text has been written, and something else since
  let isAfterNotice = false
  let hasCutCall = false
  let open: OpenBlock | undefined
  let reason: FinishReason | undefined
  let finish: EventOf<'finish'> | undefined
  let isFinished = false
  let hasCallSince = false

  const isOwn = (): boolean => source() === NAME

  function emitRaw(delta: string): void {
    giveRole()
    options.emit(delta)
  }

  const emitDelta = (delta: DeltaJson): void => emitRaw(JSON.stringify(delta))

  function giveRole(): void {
    if (hasRole) return
    hasRole = true
    options.emit('{"role":"assistant","content":""}')
  }

  function start(info: BlockInfo): void {
    if (done.has(info) || open?.info === info) return
    close()
    const isCall = info.type === 'tool-call'
    open = openBlock(info, isCall ? nextCall++ : -1)
    if (textLength > 0 && info.type !== 'text') needsGap = true
    if (isCall) writeHead(info, open.call)
    else if (!isOwn()) noteBlockLoss(losses, info)
  }

  function writeHead(info: Extract<BlockInfo, { type: 'tool-call' }>, index: number): void {
    hasToolCall = true
    hasCallSince = true
    const head = { index, id: options.takeToolId(info.id) }
    const name = fullName(info)
    const extra = isOwn() ? restOfCall(info.vendor) : {}
    const call = isCustom(info)
      ? { ...head, type: 'custom' as const, custom: { name, input: '' } }
      : {
          ...extra,
          ...head,
          type: 'function' as const,
          function: { name, arguments: '' },
        }
    emitDelta({ tool_calls: [call] })
  }

  const isCustom = (info: BlockInfo): boolean =>
    info.type === 'tool-call' && info.dialect === 'custom' && (options.keepsCustom || isOwn())

  /** Free text towards a client that knows only functions: the one string of an object. */
  const isWrapped = (info: BlockInfo): boolean =>
    info.type === 'tool-call' && info.dialect === 'custom' && !isCustom(info)

  function grow(info: BlockInfo, delta: Delta): void {
    if (done.has(info) || !takesDelta(info, delta)) return
    if (open?.info !== info) start(info)
    const block = open
    if (block === undefined) return
    switch (delta.type) {
      case 'text':
        return writeText(block, delta.text)
      case 'thinking':
        if (delta.text === '') return
        if (block.text.length === 0 && hasThinking && !isOwn())
          emitDelta({ reasoning_content: GAP })
        hasThinking = true
        block.text.add(delta.text)
        return emitRaw(`{"reasoning_content":${JSON.stringify(delta.text)}}`)
      case 'signature':
        block.seals.push(delta.signature)
        return
      case 'arguments':
        if (info.type === 'tool-call') writeArguments(block, delta.text)
        return
      case 'citation':
        if (citesBlocks(source())) block.citations.push(delta.citation)
        else writeCitation(block, delta.citation)
        return
      case 'other':
    }
  }

  function writeText(block: OpenBlock, text: string): void {
    if (text === '') return
    if (block.info.type === 'refusal') return emitDelta({ refusal: text })
    if (block.info.type !== 'text') return
    if (block.text.length === 0) openParagraph(block)
    block.text.add(text)
    textLength += text.length
    emitRaw(`{"content":${JSON.stringify(text)}}`)
  }

  /** Text that a call or a thought stood between, or that is another message, is another paragraph. */
  function openParagraph(block: OpenBlock): void {
    const isOther = source() === 'openai-responses' && lastItem !== block.info.vendor
    // Words of ours stand apart, also from text that came as one.
    const isApart = isNotice(block.info) || isAfterNotice
    isAfterNotice = isNotice(block.info)
    if (textLength > 0 && (isApart || ((needsGap || isOther) && !isOwn()))) {
      emitDelta({ content: GAP })
      textLength += GAP.length
    }
    needsGap = false
    lastItem = block.info.vendor
    block.textAt = textLength
  }

  function writeArguments(block: OpenBlock, text: string): void {
    if (text === '') return
    const opening = block.text.length === 0 ? OPENING : ''
    block.text.add(text)
    emitArguments(block, isWrapped(block.info) ? opening + JSON.stringify(text).slice(1, -1) : text)
  }

  function emitArguments(block: OpenBlock, piece: string): void {
    const body = isCustom(block.info) ? '"custom":{"input":' : '"function":{"arguments":'
    emitRaw(`{"tool_calls":[{"index":${block.call},${body}${JSON.stringify(piece)}}}]}`)
  }

  function writeCitation(block: OpenBlock, citation: JsonObject): void {
    const extent = { start: block.textAt, end: textLength }
    const annotation = isOwn() ? citation : toUrlCitation(citation, source(), extent)
    if (annotation === undefined)
      losses.add('dropped', `citation ${toText(citation['type']) ?? ''}`.trim())
    // An entry without an index makes the vendor's Python client throw.
    else emitDelta({ annotations: [{ index: 0, ...annotation }] })
  }

  function close(final?: JsonObject, isCut = false): void {
    const block = open
    if (block === undefined) return
    open = undefined
    const { info, seals } = block
    done.add(info)
    for (const citation of block.citations) writeCitation(block, citation)
    if (info.type === 'tool-call') closeArguments(block, isCut)
    if (info.type === 'thinking' && seals.length > 0) {
      const sealed = {
        seals,
        text: block.text.toString(),
        source: source(),
        issuer: options.issuer,
        redacted: info.redacted,
        item: final,
      }
      emitDelta({ reasoning_details: toReasoningDetails(sealed) })
    }
    if (isOwn() && info.type === 'server-tool' && info.vendor !== undefined)
      emitDelta({ executed_tools: [info.vendor] })
  }

  function closeArguments(block: OpenBlock, isCut: boolean): void {
    const isFreeText = block.info.type === 'tool-call' && block.info.dialect === 'custom'
    const isEmpty = block.text.length === 0
    if (isCut) {
      // What is not whole is not closed: half a text must not look like one.
      hasCutCall = true
      if (isWrapped(block.info) && isEmpty) emitArguments(block, OPENING)
    } else if (isWrapped(block.info)) emitArguments(block, isEmpty ? '{"input":""}' : '"}')
    else if (!isFreeText && isEmpty) emitArguments(block, '{}')
    else if (!isFreeText && !isOwn()) hasCutCall ||= jsonShape(block.text.toString()) === 'cut'
  }

  /** A word of the upstream's that says more than ours, and agrees with what was delivered. */
  function ownFinish(because: FinishReason): string | undefined {
    const word = isOwn() ? finish?.vendorReason : undefined
    const isKept = because === 'other' ? !hasToolCall : word === 'function_call' && hasToolCall
    return isKept ? word : undefined
  }

  return {
    giveRole,
    noteRole() {
      hasRole = true
    },
    start,
    grow,
    stop(info, final, isCut) {
      if (open?.info === info) close(final, isCut)
    },
    note(event) {
      reason = laterReason(reason, event.reason)
      finish = event
    },
    finish() {
      // Told as it came; only a call that was written since needs another word.
      if (isFinished && !hasCallSince) return
      close()
      giveRole()
      const because = cutReason(reason ?? 'stop', hasCutCall)
      if (!isOwn()) {
        if (finish?.explanation !== undefined) emitDelta({ refusal: finish.explanation })
        noteFinishLoss(losses, because, finish?.vendorReason)
      }
      options.emitFinish(ownFinish(because) ?? writeFinish(because, hasToolCall))
    },
    track(event) {
      switch (event.type) {
        case 'block-start': {
          const isCall = event.block.type === 'tool-call'
          // The index that the upstream gave, right or wrong, is the one that the client knows.
          const index = indexOf(event.block) ?? nextCall
          open = openBlock(event.block, isCall ? index : -1)
          if (!isCall) return
          nextCall = Math.max(nextCall, index) + 1
          hasToolCall = true
          options.takeToolId(event.block.id)
          return
        }
        case 'block-delta':
          if (open?.info === event.block && 'text' in event.delta) open.text.add(event.delta.text)
          if (event.delta.type === 'text') textLength += event.delta.text.length
          return
        case 'block-stop':
          done.add(event.block)
          if (open?.info === event.block) open = undefined
          return
        case 'finish':
          isFinished = true
          return
        case 'message-start':
        case 'usage':
        case 'message-stop':
        case 'ping':
        case 'error':
        case 'other':
      }
    },
  }
}

const isNotice = (info: BlockInfo): boolean => info.type === 'text' && info.isNotice === true

function indexOf(info: BlockInfo): number | undefined {
  const index = info.vendor?.['index']
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < 1000
    ? index
    : undefined
}

/** Fields of a call that we do not know, such as Gemini's `extra_content` with its signature. */
function restOfCall(vendor: JsonObject | undefined): JsonObject {
  if (vendor === undefined) return {}
  const {
    index: _index,
    id: _id,
    type: _type,
    function: _function,
    custom: _custom,
    ...rest
  } = vendor
  return rest
}
