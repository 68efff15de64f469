/**
 * The bytes of a request on any wire → its turns and tools as views show them. Neighbours: the wires read them into the
 * canonical request (`src/request`); `turns.tsx` draws them. What cannot be read is said, and its JSON is shown.
 */
import { isObject, toText, type JsonObject } from '../../src/base/json.ts'
import { fullName } from '../../src/event/block.ts'
import type { WireName } from '../../src/event/event.ts'
import type { ModelRequest, Turn } from '../../src/request/request.ts'
import type { Tool } from '../../src/request/tool.ts'
import { WIRES } from '../core/wires.ts'
import { toPartView } from './request-parts.ts'

export interface RequestView {
  readonly model: string | undefined
  readonly isStream: boolean
  readonly system: readonly PartView[]
  readonly turns: readonly TurnView[]
  readonly tools: readonly ToolView[]
  /** Everything else, by its name: limits, temperature, reasoning and the like. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Why it could not be read. */
  readonly fault?: string | undefined
}

export interface TurnView {
  readonly role: 'user' | 'assistant' | 'system' | 'tool'
  readonly parts: readonly PartView[]
}

export type PartView =
  | { readonly type: 'text' | 'thinking' | 'refusal'; readonly text: string }
  | {
      readonly type: 'tool-call'
      readonly id: string
      readonly name: string
      readonly content: string
    }
  | {
      readonly type: 'tool-result'
      readonly id: string
      readonly name?: string | undefined
      readonly text: string
      readonly isError: boolean
    }
  /** Pictures, documents: what it is and how large. */
  | { readonly type: 'attachment'; readonly says: string }
  | { readonly type: 'other'; readonly says: string; readonly value: unknown }

export interface ToolView {
  readonly name: string
  readonly description?: string | undefined
  /** A JSON schema, where it has one. */
  readonly schema?: unknown
}

/** What it was: never throws, whatever the bytes are. */
export function readRequestView(wire: WireName, text: string): RequestView {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return toUnread(text === '' ? 'There is no request body' : 'This is no JSON', {})
  }
  return isObject(body) ? readRequestBody(wire, body) : toUnread('This is no JSON object', { body })
}

/** The same of JSON that was parsed already, or of a part of it. */
export function readRequestBody(wire: WireName, body: JsonObject): RequestView {
  try {
    const read = WIRES[wire].readRequest(body)
    return read.ok
      ? toView(read.request)
      : toUnread(`${read.problem.message} (${read.problem.path})`, body)
  } catch (error) {
    return toUnread(error instanceof Error ? error.message : 'Cannot read this request', body)
  }
}

/** Its fields are shown as they are. */
const toUnread = (fault: string, body: JsonObject): RequestView => ({
  model: toText(body['model']),
  isStream: body['stream'] === true,
  system: [],
  turns: [],
  tools: [],
  settings: body,
  fault,
})

function toView(request: ModelRequest): RequestView {
  const names = new Map<string, string>()
  const { body } = request.source
  return {
    model: request.model === '' ? undefined : request.model,
    isStream: request.isStream,
    system: request.system.map((part) => toPartView(part, names)),
    turns: request.turns.map((turn) => toTurnView(turn, names)),
    tools: request.tools.map(toToolView),
    settings: Object.fromEntries(Object.entries(body).filter(([name]) => !SHOWN.has(name))),
  }
}

function toTurnView({ role, parts }: Turn, names: Map<string, string>): TurnView {
  const views = parts.map((part) => toPartView(part, names))
  const isOfTools = views.length > 0 && views.every(({ type }) => type === 'tool-result')
  return { role: isOfTools ? 'tool' : role, parts: views }
}

function toToolView(tool: Tool): ToolView {
  return {
    name: fullName(tool),
    description: tool.description,
    ...(tool.type === 'function' || tool.type === 'vendor' ? { schema: tool.schema } : {}),
    ...(tool.type === 'custom' && tool.grammar !== undefined
      ? { schema: { grammar: tool.grammar } }
      : {}),
  }
}

/** Fields that stand elsewhere in the view. */
const SHOWN: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'system',
  'messages',
  'instructions',
  'input',
  'tools',
  'functions',
])
