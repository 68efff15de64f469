/**
 * Events to Chat frames. Neighbours: `../encoder.ts` lets frames pass that nobody touched and calls
 * this writer for the rest. Owns the grammar of the wire: the role once and first, dense indices for
 * calls, id, type and name once, the finish alone in its chunk, usage last, then `[DONE]` (reference
 * `wire-formats.md` 5).
 */
import { createFragments, type Fragments } from '../../base/fragments.ts'
import { toText, type JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import type { Delta, EventOf, StreamEvent, WireName } from '../../event/event.ts'
import type { StreamFault } from '../../event/fault.ts'
import { laterReason, type FinishReason } from '../../event/finish.ts'
import { createLossList } from '../../event/loss.ts'
import { mergeUsage, type Usage } from '../../event/usage.ts'
import { writeComment, writeData, type Written } from '../../sse/encode.ts'
import { toUrlCitation } from '../citation.ts'
import { createEncoder as createModes, type Writer } from '../encoder.ts'
import { ANY_ID, createToolIds, randomId, toId } from '../ids.ts'
import type { Encoder, EncoderOptions } from '../wire.ts'
import { NAME, type DeltaJson } from './json.ts'
import { toReasoningDetails } from './reasoning.ts'
import { writeError, writeFinish, writeUsage } from './terms.ts'

export const createEncoder = (options: EncoderOptions = {}): Encoder =>
  createModes(NAME, createWriter(options))

const TAIL = ',"logprobs":null,"finish_reason":null}]'

/** What a choice has been told so far. */
interface ChoiceBook {
  readonly number: number
  hasRole: boolean
  nextCall: number
  hasToolCall: boolean
  /** Text has been written, and something else since: the next text needs a blank line before it. */
  needsGap: boolean
  hasText: boolean
  open: OpenBlock | undefined
  reason: FinishReason | undefined
  finish: EventOf<'finish'> | undefined
}

interface OpenBlock {
  readonly info: BlockInfo
  /** The index of a call, once its head has been written. */
  readonly call: number
  readonly text: Fragments
  readonly seals: string[]
}

function createWriter(options: EncoderOptions): Writer {
  const createId = options.createId ?? randomId
  const now = options.now ?? (() => Math.floor(Date.now() / 1000))
  const withUsage = options.includeUsage ?? true
  const keepsCustom = options.customTools ?? false
  const losses = createLossList()
  const toolIds = createToolIds(ANY_ID, 40)
  const books = new Map<number, ChoiceBook>()
  const done = new WeakSet<BlockInfo>()
  let source: WireName | undefined
  let envelope: JsonObject | undefined
  let isOver = false
  let usage: Usage | undefined
  let usageVendor: JsonObject | undefined

  function bookOf(choice = 0): ChoiceBook {
    let book = books.get(choice)
    if (book === undefined) {
      book = {
        number: choice,
        hasRole: false,
        nextCall: 0,
        hasToolCall: false,
        needsGap: false,
        hasText: false,
        open: undefined,
        reason: undefined,
        finish: undefined,
      }
      books.set(choice, book)
    }
    return book
  }

  function envelopeOf(event?: EventOf<'message-start'>): JsonObject {
    if (envelope !== undefined) return envelope
    const vendor = event?.wire === NAME ? event.vendor : undefined
    const id = source === NAME ? (toText(vendor?.['id']) ?? event?.id) : undefined
    envelope = {
      id: id !== undefined && id !== '' ? id : toId('chatcmpl-', event?.id ?? '', createId),
      object: 'chat.completion.chunk',
      created: typeof vendor?.['created'] === 'number' ? vendor['created'] : now(),
      model: event?.model ?? '',
      ...(vendor?.['service_tier'] === undefined ? {} : { service_tier: vendor['service_tier'] }),
      ...(vendor?.['system_fingerprint'] === undefined ? {} : { system_fingerprint: vendor['system_fingerprint'] }),
    }
    return envelope
  }

  function emit(out: Written[], choices: readonly object[], extra: object = withUsage ? { usage: null } : {}): void {
    out.push(writeData(JSON.stringify({ ...envelopeOf(), choices, ...extra })))
  }

  const emitDelta = (book: ChoiceBook, delta: DeltaJson, out: Written[]): void =>
    emitRaw(book, JSON.stringify(delta), out)

  /**
   * A chunk around a delta that is JSON already. Everything else in it is the same for the whole
   * answer, so it is written once: there are thousands of these (`bench/core.ts`).
   */
  function emitRaw(book: ChoiceBook, delta: string, out: Written[]): void {
    if (!book.hasRole) giveRole(book, out)
    head ??= `data: ${JSON.stringify(envelopeOf()).slice(0, -1)},"choices":[{"index":`
    out.push(`${head}${book.number},"delta":${delta}${TAIL}${withUsage ? ',"usage":null' : ''}}\n\n`)
  }
  let head: string | undefined

  function giveRole(book: ChoiceBook, out: Written[]): void {
    book.hasRole = true
    emit(out, [
      { index: book.number, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null },
    ])
  }

  function startBlock(book: ChoiceBook, info: BlockInfo, out: Written[]): void {
    if (done.has(info) || book.open?.info === info) return
    stopBlock(book, out, undefined)
    const isCall = info.type === 'tool-call'
    book.open = { info, call: isCall ? book.nextCall++ : -1, text: createFragments(), seals: [] }
    if (book.hasText && info.type !== 'text') book.needsGap = true
    if (isCall) writeHead(book, book.open, out)
    else if (source !== NAME) noteLoss(info)
  }

  function noteLoss(info: BlockInfo): void {
    if (info.type === 'server-tool' || info.type === 'tool-result') losses.add('dropped', `${info.type} ${info.name}`)
    else if (info.type === 'opaque') losses.add('dropped', `block ${info.vendorType}`)
  }

  function writeHead(book: ChoiceBook, block: OpenBlock, out: Written[]): void {
    const { info, call } = block
    if (info.type !== 'tool-call') return
    book.hasToolCall = true
    const head = { index: call, id: toolIds.take(info.id) }
    const extra = source === NAME ? restOfCall(info.vendor) : {}
    emitDelta(
      book,
      {
        tool_calls: [
          isCustom(info)
            ? { ...head, type: 'custom', custom: { name: info.name, input: '' } }
            : { ...extra, ...head, type: 'function', function: { name: info.name, arguments: '' } },
        ],
      },
      out,
    )
  }

  const isCustom = (info: BlockInfo): boolean =>
    info.type === 'tool-call' && info.dialect === 'custom' && (keepsCustom || source === NAME)

  /** Free text towards a client that knows only functions: the one string of an object. */
  const isWrapped = (info: BlockInfo): boolean =>
    info.type === 'tool-call' && info.dialect === 'custom' && !isCustom(info)

  function growBlock(book: ChoiceBook, info: BlockInfo, delta: Delta, out: Written[]): void {
    if (done.has(info)) return
    if (book.open?.info !== info) startBlock(book, info, out)
    const block = book.open
    if (block === undefined) return
    switch (delta.type) {
      case 'text':
        return writeText(book, block, delta.text, out)
      case 'thinking':
        if (delta.text === '') return
        block.text.add(delta.text)
        return emitRaw(book, `{"reasoning_content":${JSON.stringify(delta.text)}}`, out)
      case 'signature':
        block.seals.push(delta.signature)
        return
      case 'arguments':
        if (info.type === 'tool-call') writeArguments(book, block, delta.text, out)
        return
      case 'citation':
        return writeCitation(book, block, delta.citation, out)
      case 'other':
    }
  }

  function writeText(book: ChoiceBook, block: OpenBlock, text: string, out: Written[]): void {
    if (text === '') return
    if (block.info.type === 'refusal') return emitDelta(book, { refusal: text }, out)
    if (block.info.type !== 'text') return
    // Text that a call or a thought stood between is another paragraph.
    if (book.needsGap && source !== NAME) emitDelta(book, { content: '\n\n' }, out)
    book.needsGap = false
    book.hasText = true
    block.text.add(text)
    emitRaw(book, `{"content":${JSON.stringify(text)}}`, out)
  }

  function writeArguments(book: ChoiceBook, block: OpenBlock, text: string, out: Written[]): void {
    if (text === '') return
    const opening = isWrapped(block.info) && block.text.length === 0 ? '{"input":"' : ''
    block.text.add(text)
    const piece = isWrapped(block.info) ? opening + JSON.stringify(text).slice(1, -1) : text
    emitArguments(book, block, piece, out)
  }

  function emitArguments(book: ChoiceBook, block: OpenBlock, piece: string, out: Written[]): void {
    const body = isCustom(block.info) ? '"custom":{"input":' : '"function":{"arguments":'
    emitRaw(book, `{"tool_calls":[{"index":${block.call},${body}${JSON.stringify(piece)}}}]}`, out)
  }

  function writeCitation(book: ChoiceBook, block: OpenBlock, citation: JsonObject, out: Written[]): void {
    const annotation = source === NAME ? citation : toUrlCitation(citation, source, block.text.length)
    if (annotation === undefined) losses.add('dropped', `citation ${toText(citation['type']) ?? ''}`.trim())
    // An entry without an index makes the vendor's Python client throw.
    else emitDelta(book, { annotations: [{ index: 0, ...annotation }] }, out)
  }

  function stopBlock(book: ChoiceBook, out: Written[], vendor: JsonObject | undefined): void {
    const block = book.open
    if (block === undefined) return
    book.open = undefined
    done.add(block.info)
    const { info } = block
    if (info.type === 'tool-call') closeArguments(book, block, out)
    if (info.type === 'thinking' && block.seals.length > 0) {
      const details = toReasoningDetails({ seals: block.seals, text: block.text.toString(), source, redacted: info.redacted, item: vendor })
      emitDelta(book, { reasoning_details: details }, out)
    }
    if (source === NAME && info.type === 'server-tool' && info.vendor !== undefined)
      emitDelta(book, { executed_tools: [info.vendor] }, out)
  }

  function closeArguments(book: ChoiceBook, block: OpenBlock, out: Written[]): void {
    if (isWrapped(block.info)) emitArguments(book, block, block.text.length === 0 ? '{"input":""}' : '"}', out)
    else if (!isCustom(block.info) && block.text.length === 0) emitArguments(book, block, '{}', out)
  }

  function finishChoice(book: ChoiceBook, out: Written[]): void {
    stopBlock(book, out, undefined)
    if (!book.hasRole) giveRole(book, out)
    const reason = book.reason ?? 'stop'
    if (source !== NAME) noteFinishLoss(reason, book.finish)
    const own = source === NAME && reason === 'other' ? book.finish?.vendorReason : undefined
    const word = own ?? writeFinish(reason, book.hasToolCall)
    emit(out, [{ index: book.number, delta: {}, logprobs: null, finish_reason: word }])
  }

  function noteFinishLoss(reason: FinishReason, finish: EventOf<'finish'> | undefined): void {
    if (reason === 'stop-sequence') losses.add('dropped', 'stop-sequence')
    if (reason === 'pause' || reason === 'compaction' || reason === 'other' || reason === 'context-full')
      losses.add('approximated', `finish ${finish?.vendorReason ?? reason}`)
  }

  function stop(out: Written[]): void {
    isOver = true
    if (books.size === 0) bookOf(0)
    for (const book of books.values()) finishChoice(book, out)
    if (withUsage && usage !== undefined) emit(out, [], { usage: usageVendor ?? writeUsage(usage) })
    out.push(writeData('[DONE]'))
  }

  function fail(error: StreamFault, out: Written[]): void {
    if (isOver) return
    isOver = true
    const body = source === NAME && error.vendor !== undefined ? { error: error.vendor } : writeError(error)
    out.push(writeData(JSON.stringify(body)))
  }

  function note(event: StreamEvent): void {
    if (event.type === 'message-start') {
      source = event.wire
      usage = mergeUsage(usage, event.usage)
      envelopeOf(event)
    } else if (event.type === 'usage') {
      usage = mergeUsage(usage, event.usage)
      const vendor = source === NAME ? event.vendor?.['usage'] : undefined
      usageVendor = typeof vendor === 'object' && vendor !== null ? { ...vendor } : undefined
    } else if (event.type === 'finish') {
      const book = bookOf(event.choice)
      book.reason = laterReason(book.reason, event.reason)
      book.finish = event
    }
  }

  /** Some servers never give a role; if it is not there yet, it is ours to give. */
  function trackRole(event: StreamEvent): void {
    const book = bookOf(event.choice)
    book.hasRole ||= event.step?.frame.data?.includes('"role":"assistant"') === true
  }

  return {
    track(event) {
      note(event)
      if (event.type === 'message-stop' || event.type === 'error') isOver = true
      if (event.type === 'message-start' || event.type === 'block-start') trackRole(event)
      if (event.type !== 'block-start' && event.type !== 'block-delta' && event.type !== 'block-stop') return
      const book = bookOf(event.choice)
      if (event.type === 'block-start') {
        const isCall = event.block.type === 'tool-call'
        book.open = { info: event.block, call: isCall ? book.nextCall : -1, text: createFragments(), seals: [] }
        if (isCall) {
          // The index that the upstream gave, right or wrong, is the one that the client knows.
          book.nextCall = Math.max(book.nextCall + 1, indexOf(event.block) + 1)
          book.hasToolCall = true
          toolIds.take(event.block.id)
        }
      } else if (event.type === 'block-delta') {
        if (book.open?.info === event.block && 'text' in event.delta) book.open.text.add(event.delta.text)
      } else {
        done.add(event.block)
        if (book.open?.info === event.block) book.open = undefined
      }
    },
    write(event, out) {
      if (isOver) return
      if (source !== undefined && source !== NAME && (event.choice ?? 0) !== 0) return
      note(event)
      const book = bookOf(event.choice)
      switch (event.type) {
        case 'message-start':
          if (!book.hasRole) giveRole(book, out)
          return
        case 'block-start':
          return startBlock(book, event.block, out)
        case 'block-delta':
          return growBlock(book, event.block, event.delta, out)
        case 'block-stop':
          if (book.open?.info === event.block) stopBlock(book, out, event.vendor)
          return
        case 'message-stop':
          return stop(out)
        case 'error':
          return fail(event.error, out)
        case 'finish':
        case 'usage':
        case 'ping':
        case 'other':
      }
    },
    close(out) {
      fail({ kind: 'cut', message: 'The upstream ended before it gave a finish_reason' }, out)
    },
    keepalive: () => writeComment('keepalive'),
    losses: () => losses.list(),
  }
}

const indexOf = (info: BlockInfo): number => {
  const index = info.vendor?.['index']
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < 1000 ? index : -1
}

/** Fields of a call that we do not know, such as Gemini's `extra_content` with its signature. */
function restOfCall(vendor: JsonObject | undefined): JsonObject {
  if (vendor === undefined) return {}
  const { index: _index, id: _id, type: _type, function: _function, custom: _custom, ...rest } = vendor
  return rest
}
