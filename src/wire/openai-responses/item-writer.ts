/**
 * Blocks to output items: one item open at a time, each with its whole lifecycle. Neighbours:
 * `encode.ts` decides what is written and wraps it into a response. Keeps the finished items, since
 * the terminal event repeats them all and an SDK believes that one.
 */
import { createFragments } from '../../base/fragments.ts'
import { toText, type JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import { takesDelta, type Delta, type WireName } from '../../event/event.ts'
import { noteBlockLoss, type LossList } from '../../event/loss.ts'
import { citesBlocks } from '../citation.ts'
import { seal, unseal } from '../envelope.ts'
import { NAME } from './json.ts'
import { createCallWriter, type CallInfo } from './call-writer.ts'
import { createMessageParts } from './message-parts.ts'
import { placeOf, rawPlaceOf, type OpenItem } from './open-item.ts'
import type { Passed } from './tracking.ts'

export interface ItemWriterOptions {
  readonly emit: (type: string, payload: object) => void
  /** As `emit`, for what there are thousands of: the payload is JSON already, without its braces. */
  readonly emitRaw: (type: string, payload: string) => void
  readonly losses: LossList
  readonly source: () => WireName | undefined
  /** The upstream that answers. */
  readonly issuer: string | undefined
  /** Whether the client reads what a model of another wire thought. */
  readonly showsThinking: boolean
  readonly takeToolId: (id: string) => string
  /** A name for this response that item ids are made of. */
  readonly responseKey: () => string
}

export interface ItemWriter {
  start(info: BlockInfo): void
  grow(info: BlockInfo, delta: Delta): void
  /** `isCut`: it ends in the middle. */
  stop(info: BlockInfo, final: JsonObject | undefined, isCut?: boolean): void
  /** Ends the item that is open, if any. */
  close(): void
  /** The place of an item that is passed on as the upstream wrote it. */
  takeIndex(): number
  /** That id, or one like it that no item has yet. */
  takeId(id: string): string
  /** An item left as it came: its place and id are taken. */
  keep(index: number, id: string): void
  /** Goes on with an item that left as it came. */
  resume(item: NonNullable<Passed['open']>): void
  /** Finished items by their place. */
  readonly output: Map<number, JsonObject>
  /** The same, in order, as JSON. */
  rawOutput(): string
  /** The arguments of a call end in the middle. */
  hasCutCall(): boolean
}

export function createItemWriter(options: ItemWriterOptions): ItemWriter {
  const { emit, emitRaw, losses } = options
  const output = new Map<number, JsonObject>()
  /** Finished items as JSON: the terminal event says them again. */
  const raws = new Map<JsonObject, string>()
  let open: OpenItem | undefined
  let nextIndex = 0
  const ids = new Set<string>()
  const idCounts = new Map<string, number>()
  const parts = createMessageParts(options)
  /** The block whose part is open. */
  let current: BlockInfo | undefined
  /** Citations of the growing text whose place is known when it is over. */
  let citations: JsonObject[] = []

  const isOwn = (info: BlockInfo): boolean => options.source() === NAME && info.vendor !== undefined

  function openItem(info: BlockInfo, prefix: string): OpenItem {
    const index = nextIndex++
    const own = isOwn(info) ? toText(info.vendor?.['id']) : undefined
    const id = own === undefined ? createId(prefix, index) : takeId(own)
    return {
      info,
      index,
      id,
      parts: [],
      rawParts: [],
      text: createFragments(),
      part: undefined,
      annotations: [],
      blockAt: 0,
      final: undefined,
      signature: undefined,
      callId: '',
      place: undefined,
    }
  }

  const createId = (prefix: string, index: number): string =>
    takeId(`${prefix}_${options.responseKey()}_${index}`)

  function takeId(id: string): string {
    let unique = id
    while (ids.has(unique)) {
      const count = (idCounts.get(id) ?? 0) + 1
      idCounts.set(id, count)
      unique = `${id}_${count}`
    }
    ids.add(unique)
    return unique
  }

  function add(item: OpenItem, json: JsonObject): void {
    emit('response.output_item.added', { output_index: item.index, item: json })
  }

  function finish(item: OpenItem, json: JsonObject, raw = JSON.stringify(json)): void {
    output.set(item.index, json)
    raws.set(json, raw)
    emitRaw('response.output_item.done', `"output_index":${item.index},"item":${raw}`)
  }

  // Messages: text and refusal blocks are parts.

  function openMessage(info: BlockInfo): OpenItem {
    if (open !== undefined && isSameMessage(open, info)) return open
    close()
    open = openItem(info, 'msg')
    add(open, { ...messageOf(open), status: 'in_progress', content: [] })
    return open
  }

  function closeMessage(item: OpenItem): void {
    parts.close(item)
    const message = { ...messageOf(item), status: 'completed' }
    const json = { ...message, content: item.parts }
    // What its upstream had may have a content of its own.
    if ('content' in message) return finish(item, json)
    const raw = JSON.stringify(message).slice(0, -1)
    finish(item, json, `${raw},"content":[${item.rawParts.join(',')}]}`)
  }

  const isSameMessage = (item: OpenItem, info: BlockInfo): boolean =>
    (item.info.type === 'text' || item.info.type === 'refusal') &&
    item.info.vendor === info.vendor &&
    !isNotice(item.info) &&
    !isNotice(info)

  function messageOf(item: OpenItem): JsonObject {
    const vendor = isOwn(item.info) ? item.info.vendor : undefined
    return { ...vendor, id: item.id, type: 'message', role: 'assistant' }
  }

  function growPart(info: BlockInfo, text: string): void {
    if (text === '') return
    const type = info.type === 'refusal' ? 'refusal' : 'output_text'
    const isGrowing = open?.part === type && current === info
    const item = isGrowing && open !== undefined ? open : openMessage(info)
    // Adjacent text from elsewhere is one text that was cut up: it goes on in the same part.
    if (!isGrowing) {
      parts.open(item, type, isOwn(info))
      item.blockAt = item.text.length
    }
    current = info
    parts.grow(item, type, text)
  }

  // Reasoning.

  function openReasoning(info: BlockInfo): OpenItem {
    if (open?.info === info) return open
    close()
    open = openItem(info, 'rs')
    add(open, { id: open.id, type: 'reasoning', summary: [] })
    return open
  }

  const isShown = (): boolean => options.showsThinking || options.source() === NAME

  function growReasoning(info: BlockInfo, text: string): void {
    if (text === '') return
    const item = openReasoning(info)
    if (!isShown()) return item.text.add(text)
    const place = { ...placeOf(item), summary_index: 0 }
    if (item.text.length === 0)
      emit('response.reasoning_summary_part.added', {
        ...place,
        part: { type: 'summary_text', text: '' },
      })
    item.text.add(text)
    emitRaw(
      'response.reasoning_summary_text.delta',
      `${rawPlaceOf(item)},"summary_index":0,"delta":${JSON.stringify(text)}`,
    )
  }

  function closeReasoning(item: OpenItem, final: JsonObject | undefined): void {
    const text = item.text.toString()
    const place = { ...placeOf(item), summary_index: 0 }
    const part = { type: 'summary_text', text }
    const isTold = text !== '' && isShown()
    if (isTold) {
      emit('response.reasoning_summary_text.done', { ...place, text })
      emit('response.reasoning_summary_part.done', { ...place, part })
    }
    const json = { id: item.id, type: 'reasoning', summary: isTold ? [part] : [] }
    const native = unseal(item.signature)
    if (options.source() === NAME) finish(item, { ...json, ...final, id: item.id })
    else if (native?.wire === NAME)
      finish(item, { ...json, encrypted_content: native.signature ?? null })
    else finish(item, { ...json, encrypted_content: sealed(item, text) })
  }

  const sealed = (item: OpenItem, text: string): string =>
    seal({
      wire: options.source() ?? NAME,
      issuer: options.issuer,
      text,
      ...(item.signature === undefined ? {} : { signature: item.signature }),
      ...(item.info.type === 'thinking' && item.info.redacted ? { redacted: true } : {}),
    })

  // Calls.

  const ownOf = (info: BlockInfo): JsonObject | undefined => (isOwn(info) ? info.vendor : undefined)

  const calls = createCallWriter({ emit, emitRaw, add, finish, ownOf, createId })

  function openCall(info: CallInfo): void {
    close()
    const item = openItem(info, calls.prefixOf(info))
    item.callId = options.takeToolId(info.id)
    open = item
    calls.open(item, info)
  }

  function close(final?: JsonObject, isCut = false): void {
    const item = open
    if (item === undefined) return
    open = undefined
    switch (item.info.type) {
      case 'text':
      case 'refusal':
        return closeMessage(item)
      case 'thinking':
        return closeReasoning(item, final)
      case 'tool-call':
        return calls.close(item, final, isCut)
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

  return {
    start(info) {
      if (info.type === 'tool-call') openCall(info)
    },
    grow(info, delta) {
      if (!takesDelta(info, delta)) return
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
          if (open?.info === info && info.type === 'tool-call') calls.grow(open, delta.text)
          return
        case 'citation':
          if (citesBlocks(options.source())) citations.push(delta.citation)
          else if (open?.part === 'output_text') parts.annotate(open, delta.citation, isOwn(info))
          return
        case 'other':
      }
    },
    stop(info, final, isCut) {
      if (info.type === 'text' || info.type === 'refusal') {
        if (current === info && open !== undefined) {
          for (const citation of citations) parts.annotate(open, citation, isOwn(info))
          if (isOwn(info)) open.final = final
        }
        citations = []
        return
      }
      if (open?.info === info) return close(final, isCut)
      if (info.type === 'thinking' || info.type === 'tool-call') return
      if (isOwn(info)) passItem(info, final)
      else noteBlockLoss(losses, info)
    },
    close: () => close(),
    takeIndex() {
      close()
      return nextIndex++
    },
    takeId,
    keep(index, id) {
      nextIndex = Math.max(nextIndex, index + 1)
      ids.add(id)
    },
    resume(item) {
      const { info } = item
      const isPart = (info.type === 'text' || info.type === 'refusal') && item.text !== undefined
      current = isPart ? info : undefined
      open = {
        info,
        index: item.index,
        id: item.id,
        parts: [...item.parts],
        rawParts: item.parts.map((part) => JSON.stringify(part)),
        text: createFragments(item.text),
        part: isPart ? (info.type === 'refusal' ? 'refusal' : 'output_text') : undefined,
        annotations: [],
        blockAt: 0,
        final: undefined,
        signature: undefined,
        callId: info.id,
        place: undefined,
      }
    },
    output,
    rawOutput: () =>
      `[${outputOf(output)
        .map((item) => raws.get(item) ?? JSON.stringify(item))
        .join(',')}]`,
    hasCutCall: () => calls.hasCutCall,
  }
}

/** Words of ours are a message of their own. */
const isNotice = (info: BlockInfo): boolean => info.type === 'text' && info.isNotice === true

/** The items in their order. By place, and not as a list: an upstream may number them as it likes. */
export const outputOf = (output: ReadonlyMap<number, JsonObject>): readonly JsonObject[] =>
  [...output].toSorted(([a], [b]) => a - b).map(([, item]) => item)
