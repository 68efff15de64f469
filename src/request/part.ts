/**
 * The smallest pieces of a conversation. Neighbours: `request.ts` has the turns that are made of them. Knows
 * no wire: what a wire had beside these fields is in `vendor`, and is written again on that wire only.
 */
import type { JsonObject } from '../base/json.ts'
import type { ToolDialect } from '../event/block.ts'
import type { WireName } from '../event/event.ts'
import type { CacheMark } from './request.ts'

interface PartBase {
  /** The client's own object: its unknown fields are kept on its own wire. */
  readonly vendor?: JsonObject
  readonly cache?: CacheMark
}

export type TextPart = PartBase & {
  readonly type: 'text'
  readonly text: string
  /** Sources, in their vendor's shape: kept on its own wire. */
  readonly citations?: readonly JsonObject[]
}

/** Where bytes are: in the request, at an address, or in a provider's file store. */
export type Source =
  /** `data`: base64. */
  | { readonly type: 'inline'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'file'; readonly id: string }

export type ImagePart = PartBase & {
  readonly type: 'image'
  readonly source: Source
  readonly detail?: string
}

export type DocumentPart = PartBase & {
  readonly type: 'document'
  /** Plain text is a source of its own: it can be shown to every model. */
  readonly source: Source | { readonly type: 'text'; readonly text: string }
  readonly filename?: string
  readonly title?: string
  readonly context?: string
}

export type AudioPart = PartBase & {
  readonly type: 'audio'
  readonly data: string
  readonly format: string
}

/** What the model thought, and the seal that its vendor checks. */
export type ThinkingPart = PartBase & {
  readonly type: 'thinking'
  readonly text: string
  readonly seal: Seal | undefined
}

/** Only whoever sealed it can use it: to others it is a 400. */
export interface Seal {
  readonly wire: WireName
  /** The name of the upstream that sealed it; `undefined` where the client had it from the vendor itself. */
  readonly issuer?: string
  readonly signature?: string
  /** The vendor shows nothing of it but a sealed payload, which is then the `signature`. */
  readonly isRedacted?: boolean
  /** The vendor's whole block or item, as it was. */
  readonly item?: JsonObject
}

export type ToolCallPart = PartBase & {
  readonly type: 'tool-call'
  readonly id: string
  readonly name: string
  /** Responses: the namespace that the tool stands in. */
  readonly namespace?: string
  readonly dialect: ToolDialect
  /** Raw JSON text; free text where the dialect is `custom`. Empty means no arguments. */
  readonly arguments: string
}

export type ToolResultPart = PartBase & {
  readonly type: 'tool-result'
  readonly callId: string
  /** Of the call that it answers, where that is in the conversation. */
  readonly dialect: ToolDialect
  readonly parts: readonly (TextPart | ImagePart | DocumentPart | OpaquePart)[]
  readonly isError: boolean
}

export type RefusalPart = PartBase & { readonly type: 'refusal'; readonly text: string }

/** Something of a vendor's that only its own wire can say. */
export type OpaquePart = PartBase & {
  readonly type: 'opaque'
  /** What it is, for the list of losses: `server_tool_use web_search`. */
  readonly what: string
  readonly vendor: JsonObject
  /** What it comes to in words, where it can be put into words. */
  readonly text?: string
}

export type Part =
  | TextPart
  | ImagePart
  | DocumentPart
  | AudioPart
  | ThinkingPart
  | ToolCallPart
  | ToolResultPart
  | RefusalPart
  | OpaquePart
