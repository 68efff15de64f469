/**
 * Reasoning items, each from `added` to `done`: a summary where the client is to read it, and sealed what it is to bring back.
 * Neighbours: `item-writer.ts` gives an item its place and opens it.
 */
import type { JsonObject } from '../../base/json.ts'
import type { WireName } from '../../event/event.ts'
import { seal, unseal } from '../envelope.ts'
import { NAME } from './json.ts'
import { placeOf, rawPlaceOf, type OpenItem } from './open-item.ts'

export interface ReasoningWriterOptions {
  readonly emit: (type: string, payload: object) => void
  readonly emitRaw: (type: string, payload: string) => void
  readonly source: () => WireName | undefined
  /** The upstream that answers. */
  readonly issuer: string | undefined
  /** Whether the client reads what a model of another wire thought. */
  readonly showsThinking: boolean
}

export class ReasoningWriter {
  private readonly options: ReasoningWriterOptions

  constructor(options: ReasoningWriterOptions) {
    this.options = options
  }

  grow(item: OpenItem, text: string): void {
    const isFirst = item.text.length === 0
    item.text.add(text)
    if (!this.isShown()) return
    const { emit, emitRaw } = this.options
    if (isFirst)
      emit('response.reasoning_summary_part.added', {
        ...placeOf(item),
        summary_index: 0,
        part: { type: 'summary_text', text: '' },
      })
    emitRaw(
      'response.reasoning_summary_text.delta',
      `${rawPlaceOf(item)},"summary_index":0,"delta":${JSON.stringify(text)}`,
    )
  }

  /** Ends the summary, and gives back the whole item. */
  close(item: OpenItem, final: JsonObject | undefined): JsonObject {
    const { emit, source } = this.options
    const text = item.text.toString()
    const place = { ...placeOf(item), summary_index: 0 }
    const part = { type: 'summary_text', text }
    const isTold = text !== '' && this.isShown()
    if (isTold) {
      emit('response.reasoning_summary_text.done', { ...place, text })
      emit('response.reasoning_summary_part.done', { ...place, part })
    }
    const json = { id: item.id, type: 'reasoning', summary: isTold ? [part] : [] }
    if (source() === NAME) return { ...json, ...final, id: item.id }
    const native = unseal(item.signature)
    const sealed = native?.wire === NAME ? (native.signature ?? null) : this.sealed(item, text)
    return { ...json, encrypted_content: sealed }
  }

  private isShown(): boolean {
    return this.options.showsThinking || this.options.source() === NAME
  }

  private sealed(item: OpenItem, text: string): string {
    return seal({
      wire: this.options.source() ?? NAME,
      issuer: this.options.issuer,
      text,
      ...(item.signature === undefined ? {} : { signature: item.signature }),
      ...(item.info.type === 'thinking' && item.info.redacted ? { redacted: true } : {}),
    })
  }
}
