/**
 * A message item and its parts, each from `added` to `done`. Neighbours: `item-writer.ts` opens and
 * closes the item around them.
 */
import { createFragments } from '../../base/fragments.ts'
import { toText, type JsonObject } from '../../base/json.ts'
import type { WireName } from '../../event/event.ts'
import type { LossList } from '../../event/loss.ts'
import { readUrlCitation } from '../citation.ts'
import type { PartJson } from './json.ts'
import { placeOf, rawPlaceOf, type OpenItem } from './open-item.ts'

type PartType = PartJson['type']

export interface MessageParts {
  /** Makes sure that a part of that type is open; `isNew` for one of its own. */
  open(item: OpenItem, type: PartType, isNew: boolean): void
  grow(item: OpenItem, type: PartType, text: string): void
  /** A source of the open part; `isOwn` when it is in this wire's shape. */
  annotate(item: OpenItem, citation: JsonObject, isOwn: boolean): void
  close(item: OpenItem): void
}

export interface MessagePartsOptions {
  readonly emit: (type: string, payload: object) => void
  readonly emitRaw: (type: string, payload: string) => void
  readonly losses: LossList
  readonly source: () => WireName | undefined
}

export const createMessageParts = (options: MessagePartsOptions): MessageParts => new Parts(options)

/** A class, and not functions around what they share: every answer that is written has one, for as long as it takes. */
class Parts implements MessageParts {
  private readonly options: MessagePartsOptions

  constructor(options: MessagePartsOptions) {
    this.options = options
  }

  open(item: OpenItem, type: PartType, isNew: boolean): void {
    if (item.part !== type || isNew) this.close(item)
    if (item.part !== undefined) return
    item.part = type
    item.text = createFragments()
    item.annotations = []
    this.options.emitRaw(
      'response.content_part.added',
      `${rawPlaceOf(item)},"content_index":${item.parts.length},"part":${type === 'refusal' ? '{"type":"refusal","refusal":""}' : rawPart(item, '""')}`,
    )
  }

  grow(item: OpenItem, type: PartType, text: string): void {
    const { emitRaw } = this.options
    item.text.add(text)
    const payload = `${rawPlaceOf(item)},"content_index":${item.parts.length},"delta":${JSON.stringify(text)}`
    if (type === 'refusal') emitRaw('response.refusal.delta', payload)
    else emitRaw('response.output_text.delta', `${payload},"logprobs":[]`)
  }

  annotate(item: OpenItem, citation: JsonObject, isOwn: boolean): void {
    const { emit, losses, source } = this.options
    const page = isOwn
      ? undefined
      : readUrlCitation(citation, source(), { start: item.blockAt, end: item.text.length })
    if (!isOwn && page === undefined) {
      losses.add('dropped', `citation ${toText(citation['type']) ?? ''}`.trim())
      return
    }
    const annotation: JsonObject = page === undefined ? citation : { type: 'url_citation', ...page }
    const annotation_index = item.annotations.length
    item.annotations.push(annotation)
    const place = { ...placeOf(item), content_index: item.parts.length }
    emit('response.output_text.annotation.added', { ...place, annotation_index, annotation })
  }

  close(item: OpenItem): void {
    const { emitRaw } = this.options
    const type = item.part
    if (type === undefined) return
    item.part = undefined
    const text = item.text.toString()
    const part = wholePart(item, type, text)
    const where = `${rawPlaceOf(item)},"content_index":${item.parts.length}`
    // A text is said four times until its answer is over: it is written as JSON once.
    const said = JSON.stringify(text)
    const isOurs = 'annotations' in part && part.annotations === item.annotations
    const raw = isOurs ? rawPart(item, said) : JSON.stringify(part)
    if (type === 'refusal') emitRaw('response.refusal.done', `${where},"refusal":${said}`)
    else emitRaw('response.output_text.done', `${where},"text":${said},"logprobs":[]`)
    emitRaw('response.content_part.done', `${where},"part":${raw}`)
    item.parts.push(part)
    item.rawParts.push(raw)
  }
}

const partOf = (item: OpenItem, type: PartType, text: string): PartJson =>
  type === 'refusal'
    ? { type, refusal: text }
    : { type, text, annotations: item.annotations, logprobs: [] }

/** What the upstream had is kept, log probabilities and all, if it is what was written. */
function wholePart(item: OpenItem, type: PartType, text: string): PartJson | JsonObject {
  const own =
    item.final?.[type === 'refusal' ? 'refusal' : 'text'] === text ? item.final : undefined
  item.final = undefined
  return own ?? partOf(item, type, text)
}

/** `partOf` a text that is JSON already. */
const rawPart = (item: OpenItem, text: string): string =>
  `{"type":"output_text","text":${text},"annotations":${JSON.stringify(item.annotations)},"logprobs":[]}`

/** The item around them. */
export const messageOf = (item: OpenItem, vendor: JsonObject | undefined): JsonObject => ({
  ...vendor,
  id: item.id,
  type: 'message',
  role: 'assistant',
})

/** The same as JSON, of one that has no vendor; `parts`: what it has, as JSON. */
export const rawMessage = (
  item: OpenItem,
  status: 'in_progress' | 'completed',
  parts: string,
): string =>
  `{"id":${JSON.stringify(item.id)},"type":"message","role":"assistant","status":"${status}","content":[${parts}]}`
