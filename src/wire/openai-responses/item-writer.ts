/**
 * Blocks to output items: one item open at a time, each with its whole lifecycle. Neighbours:
 * `encode.ts` decides what is written and wraps it into a response. Keeps the finished items, since
 * the terminal event repeats them all and an SDK believes that one.
 */
import { createFragments, type Fragments } from '../../base/fragments.ts'
import { jsonShape } from '../../base/json-shape.ts'
import { parseObject, toText, type JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import type { Delta, WireName } from '../../event/event.ts'
import type { LossList } from '../../event/loss.ts'
import { readUrlCitation } from '../citation.ts'
import { seal, unseal } from '../envelope.ts'
import { NAME, type PartJson } from './json.ts'

export interface ItemWriterOptions {
  readonly emit: (type: string, payload: object) => void
  /** As `emit`, for what there are thousands of: the payload is JSON already, without its braces. */
  readonly emitRaw: (type: string, payload: string) => void
  readonly losses: LossList
  readonly source: () => WireName | undefined
  readonly takeToolId: (id: string) => string
  /** A name for this response that item ids are made of. */
  readonly responseKey: () => string
}

export interface ItemWriter {
  start(info: BlockInfo): void
  grow(info: BlockInfo, delta: Delta): void
  stop(info: BlockInfo, final: JsonObject | undefined): void
  /** Ends the item that is open, if any. */
  close(): void
  /** The place of an item that is passed on as the upstream wrote it. */
  takeIndex(): number
  /** That id, or one like it that no item has yet. */
  takeId(id: string): string
  /** Goes on with an item that left as it came. */
  resume(item: ResumedItem): void
  /** Finished items by their place. */
  readonly output: (JsonObject | undefined)[]
  readonly hasToolCall: boolean
}

export interface ResumedItem {
  readonly info: BlockInfo
  readonly index: number
  readonly itemId: string
  /** What has come of the part or call that is open; `undefined` when the message has none open. */
  readonly text: string | undefined
  readonly parts: readonly PartJson[]
}

interface OpenItem {
  readonly info: BlockInfo
  readonly index: number
  readonly id: string
  /** The finished parts of a message. */
  readonly parts: PartJson[]
  /** The growing text: of the open part, of the summary, of the arguments. */
  text: Fragments
  part: 'output_text' | 'refusal' | undefined
  annotations: JsonObject[]
  signature: string | undefined
  callId: string
  /** Its id and index as JSON, once somebody asked. */
  place: string | undefined
}

export function createItemWriter(options: ItemWriterOptions): ItemWriter {
  const { emit, emitRaw, losses } = options
  const output: (JsonObject | undefined)[] = []
  let open: OpenItem | undefined
  let nextIndex = 0
  let hasToolCall = false
  const ids = new Set<string>()

  const isOwn = (info: BlockInfo): boolean => options.source() === NAME && info.vendor !== undefined

  function openItem(info: BlockInfo, prefix: string): OpenItem {
    const index = nextIndex++
    const own = isOwn(info) ? toText(info.vendor?.['id']) : undefined
    const id = takeId(own ?? `${prefix}_${options.responseKey()}_${index}`)
    return { info, index, id, parts: [], text: createFragments(), part: undefined, annotations: [], signature: undefined, callId: '', place: undefined }
  }

  function takeId(id: string): string {
    let unique = id
    for (let n = 1; ids.has(unique); n++) unique = `${id}_${n}`
    ids.add(unique)
    return unique
  }

  const loc = (item: OpenItem): object => ({ item_id: item.id, output_index: item.index })

  const rawLoc = (item: OpenItem): string =>
    (item.place ??= `"item_id":${JSON.stringify(item.id)},"output_index":${item.index}`)

  function add(item: OpenItem, json: JsonObject): void {
    emit('response.output_item.added', { output_index: item.index, item: json })
  }

  function finish(item: OpenItem, json: JsonObject): void {
    output[item.index] = json
    emit('response.output_item.done', { output_index: item.index, item: json })
  }

  // Messages: text and refusal blocks are parts.

  function openPart(info: BlockInfo, type: 'output_text' | 'refusal'): OpenItem {
    let item = open
    if (item !== undefined && !isSameMessage(item, info)) {
      close()
      item = undefined
    }
    if (item === undefined) {
      item = openItem(info, 'msg')
      add(item, { ...messageOf(item), status: 'in_progress', content: [] })
      open = item
    }
    // Adjacent text from elsewhere is one text that was cut up: it goes on in the same part.
    if (item.part !== type || isOwn(info)) closePart(item)
    if (item.part === undefined) {
      item.part = type
      item.text = createFragments()
      item.annotations = []
      const part = partOf(item, type, '')
      emit('response.content_part.added', { ...loc(item), content_index: item.parts.length, part })
    }
    return item
  }

  const isSameMessage = (item: OpenItem, info: BlockInfo): boolean =>
    (item.info.type === 'text' || item.info.type === 'refusal') && item.info.vendor === info.vendor

  function messageOf(item: OpenItem): JsonObject {
    const vendor = isOwn(item.info) ? item.info.vendor : undefined
    return { ...vendor, id: item.id, type: 'message', role: 'assistant' }
  }

  const partOf = (item: OpenItem, type: 'output_text' | 'refusal', text: string): PartJson =>
    type === 'refusal'
      ? { type, refusal: text }
      : { type, text, annotations: item.annotations, logprobs: [] }

  function growPart(info: BlockInfo, text: string): void {
    if (text === '') return
    const type = info.type === 'refusal' ? 'refusal' : 'output_text'
    const item = open?.info === info && open.part !== undefined ? open : openPartOf(info, type)
    item.text.add(text)
    const payload = `${rawLoc(item)},"content_index":${item.parts.length},"delta":${JSON.stringify(text)}`
    if (type === 'refusal') emitRaw('response.refusal.delta', payload)
    else emitRaw('response.output_text.delta', `${payload},"logprobs":[]`)
  }

  /** The part that the block writes into; a new one when the block is not the one that is open. */
  function openPartOf(info: BlockInfo, type: 'output_text' | 'refusal'): OpenItem {
    if (open !== undefined && open.part === type && current === info) return open
    current = info
    return openPart(info, type)
  }
  let current: BlockInfo | undefined

  function annotate(info: BlockInfo, citation: JsonObject): void {
    const item = open
    if (item?.part !== 'output_text') return
    const own = isOwn(info) ? citation : readUrlCitation(citation, options.source(), item.text.length)
    if (own === undefined) {
      losses.add('dropped', `citation ${toText(citation['type']) ?? ''}`.trim())
      return
    }
    const annotation: JsonObject = isOwn(info) ? citation : { type: 'url_citation', ...own }
    const annotation_index = item.annotations.length
    item.annotations = [...item.annotations, annotation]
    const place = { ...loc(item), content_index: item.parts.length }
    emit('response.output_text.annotation.added', { ...place, annotation_index, annotation })
  }

  function closePart(item: OpenItem): void {
    const type = item.part
    if (type === undefined) return
    item.part = undefined
    current = undefined
    const text = item.text.toString()
    const part = partOf(item, type, text)
    const place = { ...loc(item), content_index: item.parts.length }
    if (type === 'refusal') emit('response.refusal.done', { ...place, refusal: text })
    else emit('response.output_text.done', { ...place, text, logprobs: [] })
    emit('response.content_part.done', { ...place, part })
    item.parts.push(part)
  }

  // Reasoning.

  function openReasoning(info: BlockInfo): OpenItem {
    if (open?.info === info) return open
    close()
    open = openItem(info, 'rs')
    add(open, { id: open.id, type: 'reasoning', summary: [] })
    return open
  }

  function growReasoning(info: BlockInfo, text: string): void {
    if (text === '') return
    const item = openReasoning(info)
    const place = { ...loc(item), summary_index: 0 }
    if (item.text.length === 0)
      emit('response.reasoning_summary_part.added', { ...place, part: { type: 'summary_text', text: '' } })
    item.text.add(text)
    emitRaw('response.reasoning_summary_text.delta', `${rawLoc(item)},"summary_index":0,"delta":${JSON.stringify(text)}`)
  }

  function closeReasoning(item: OpenItem, final: JsonObject | undefined): void {
    const text = item.text.toString()
    const place = { ...loc(item), summary_index: 0 }
    const part = { type: 'summary_text', text }
    if (text !== '') {
      emit('response.reasoning_summary_text.done', { ...place, text })
      emit('response.reasoning_summary_part.done', { ...place, part })
    }
    const json = { id: item.id, type: 'reasoning', summary: text === '' ? [] : [part] }
    const native = unseal(item.signature)
    if (options.source() === NAME) finish(item, { ...json, ...final, id: item.id })
    else if (native?.wire === NAME) finish(item, { ...json, encrypted_content: native.signature ?? null })
    else finish(item, { ...json, encrypted_content: sealed(item, text) })
  }

  const sealed = (item: OpenItem, text: string): string =>
    seal({
      wire: options.source() ?? NAME,
      text,
      ...(item.signature === undefined ? {} : { signature: item.signature }),
      ...(item.info.type === 'thinking' && item.info.redacted ? { redacted: true } : {}),
    })

  // Calls.

  function openCall(info: Extract<BlockInfo, { type: 'tool-call' }>): void {
    close()
    const item = openItem(info, info.dialect === 'custom' ? 'ctc' : 'fc')
    item.callId = options.takeToolId(info.id)
    hasToolCall = true
    open = item
    add(item, { ...callOf(item, info, ''), status: 'in_progress' })
  }

  function callOf(item: OpenItem, info: Extract<BlockInfo, { type: 'tool-call' }>, text: string): JsonObject {
    const vendor = isOwn(info) ? info.vendor : undefined
    const base = { ...vendor, id: item.id, call_id: item.callId }
    if (info.dialect === 'custom') return { ...base, type: 'custom_tool_call', name: info.name, input: text }
    const field = vendor === undefined ? undefined : actionField(vendor)
    if (field !== undefined) return text === '' ? base : { ...base, [field]: parseObject(text) ?? vendor?.[field] }
    return { ...base, type: 'function_call', name: info.name, arguments: text }
  }

  function growCall(item: OpenItem, text: string): void {
    item.text.add(text)
    if (text === '' || isActionCall(item.info)) return
    const type = isCustom(item.info) ? 'response.custom_tool_call_input.delta' : 'response.function_call_arguments.delta'
    emitRaw(type, `${rawLoc(item)},"delta":${JSON.stringify(text)}`)
  }

  const isActionCall = (info: BlockInfo): boolean =>
    isOwn(info) && info.vendor !== undefined && actionField(info.vendor) !== undefined

  function closeCall(item: OpenItem, final: JsonObject | undefined): void {
    const { info } = item
    if (info.type !== 'tool-call') return
    const said = item.text.toString()
    const text = said === '' && info.dialect !== 'custom' ? '{}' : said
    if (info.dialect === 'custom') emit('response.custom_tool_call_input.done', { ...loc(item), input: text })
    else if (!isActionCall(info)) {
      if (said === '') emit('response.function_call_arguments.delta', { ...loc(item), delta: text })
      emit('response.function_call_arguments.done', { ...loc(item), arguments: text })
    }
    const isCut = info.dialect !== 'custom' && jsonShape(text) === 'cut'
    const call = callOf(item, info, isActionCall(info) ? said : text)
    const status = isCut ? 'incomplete' : (toText(final?.['status']) ?? 'completed')
    finish(item, { ...call, status })
  }

  function close(final?: JsonObject): void {
    const item = open
    if (item === undefined) return
    open = undefined
    switch (item.info.type) {
      case 'text':
      case 'refusal':
        closePart(item)
        finish(item, { ...messageOf(item), status: 'completed', content: item.parts })
        return
      case 'thinking':
        return closeReasoning(item, final)
      case 'tool-call':
        return closeCall(item, final)
      case 'server-tool':
      case 'tool-result':
      case 'opaque':
    }
  }

  /** An item of this wire that we have nothing to say about: whole, as it was. */
  function passItem(info: BlockInfo, final: JsonObject | undefined): void {
    close()
    const item = openItem(info, 'item')
    const json = { ...info.vendor, ...final, id: item.id }
    add(item, json)
    finish(item, json)
  }

  function noteLoss(info: BlockInfo): void {
    if (info.type === 'server-tool' || info.type === 'tool-result') losses.add('dropped', `${info.type} ${info.name}`)
    else if (info.type === 'opaque') losses.add('dropped', `block ${info.vendorType}`)
  }

  return {
    start(info) {
      if (info.type === 'tool-call') openCall(info)
    },
    grow(info, delta) {
      switch (delta.type) {
        case 'text':
          if (info.type === 'text' || info.type === 'refusal') growPart(info, delta.text)
          return
        case 'thinking':
          return growReasoning(info, delta.text)
        case 'signature':
          if (info.type === 'thinking') openReasoning(info).signature = delta.signature
          return
        case 'arguments':
          if (open?.info === info && info.type === 'tool-call') growCall(open, delta.text)
          return
        case 'citation':
          return annotate(info, delta.citation)
        case 'other':
      }
    },
    stop(info, final) {
      if (info.type === 'text' || info.type === 'refusal') return
      if (open?.info === info) return close(final)
      if (info.type === 'thinking' || info.type === 'tool-call') return
      if (isOwn(info)) passItem(info, final)
      else noteLoss(info)
    },
    close: () => close(),
    takeIndex() {
      close()
      return nextIndex++
    },
    takeId,
    resume(item) {
      const { info } = item
      const isPart = (info.type === 'text' || info.type === 'refusal') && item.text !== undefined
      nextIndex = Math.max(nextIndex, item.index + 1)
      ids.add(item.itemId)
      current = isPart ? info : undefined
      open = {
        info,
        index: item.index,
        id: item.itemId,
        parts: [...item.parts],
        text: createFragments(item.text),
        part: isPart ? (info.type === 'refusal' ? 'refusal' : 'output_text') : undefined,
        annotations: [],
        signature: undefined,
        callId: info.id,
        place: undefined,
      }
    },
    output,
    get hasToolCall() {
      return hasToolCall
    },
  }
}

const isCustom = (info: BlockInfo): boolean => info.type === 'tool-call' && info.dialect === 'custom'

/** Where a built-in call keeps what is to be done. */
const actionField = (vendor: JsonObject): string | undefined =>
  ['action', 'operation'].find((field) => vendor[field] !== undefined)
