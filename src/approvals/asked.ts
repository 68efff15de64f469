/**
 * A question of the engine → plain values that can be kept, compared and sent to another process. Neighbours:
 * `approvals.ts` makes them, `desk.ts` keeps them. Knows no wire and no HTTP.
 */
import { createHash } from 'node:crypto'
import type { ToolDialect } from '../event/block.ts'
import type { HeldType, Question } from '../policy/policy.ts'
import type { Tool } from '../request/tool.ts'

export interface Asked {
  /** The same for the same call of the same conversation. */
  readonly key: string
  /** The same for the same call of the same client, in any conversation. */
  readonly callKey: string
  readonly exchangeId: string
  readonly conversationId: string
  readonly policy: string
  readonly rule?: string | undefined
  readonly question: string
  readonly reason?: string | undefined
  readonly client: { readonly key?: string | undefined; readonly agent?: string | undefined }
  readonly model: string
  /** A client that waits for JSON gets no sign of life meanwhile. */
  readonly isStream: boolean
  readonly block: {
    readonly type: HeldType
    readonly id: string
    readonly name?: string | undefined
    readonly namespace?: string | undefined
    readonly dialect?: ToolDialect | undefined
    /** Arguments as they came, or a text. */
    readonly content: string
  }
  /** The tool as the client declared it, to check an edit by. */
  readonly tool?: Tool | undefined
}

export function toAsked({ block, request, client, owner, ...rest }: Question): Asked {
  const isCall = block.type === 'tool-call'
  const content = isCall ? block.arguments : block.text
  const isJson = isCall && block.dialect !== 'custom' && block.args() !== undefined
  const what = [
    // Without keys people are told apart by what they show their vendor.
    owner ?? client.key ?? null,
    rest.policy,
    block.type,
    ...(isCall ? [block.namespace ?? null, block.name] : []),
    isJson ? squeeze(content) : content,
  ]
  return {
    key: digest([request.conversationId, ...what]),
    callKey: digest(what),
    exchangeId: rest.exchangeId,
    conversationId: request.conversationId,
    policy: rest.policy,
    rule: rest.rule,
    question: rest.question,
    reason: rest.reason,
    client: { key: client.key, agent: client.agent },
    model: request.model,
    isStream: request.isStream,
    block: {
      type: block.type,
      id: block.id,
      content,
      ...(isCall
        ? { name: block.name, namespace: block.namespace, dialect: block.dialect }
        : undefined),
    },
    tool: isCall ? withoutVendor(request.tool(block.name, block.namespace)) : undefined,
  }
}

const digest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

/** The client's own object says the schema a second time. */
function withoutVendor(tool: Tool | undefined): Tool | undefined {
  if (tool === undefined) return undefined
  const { vendor: _, ...rest } = tool
  return rest
}

/**
 * JSON without the white space between its tokens. A client that asks again without a stream gets the same
 * arguments written another way. Not parsed and written anew: a key that stands twice or a number with too many
 * digits would become another call, which nobody has looked at.
 */
export function squeeze(json: string): string {
  const pieces: string[] = []
  let from = 0
  let isInString = false
  for (let at = 0; at < json.length; at++) {
    const char = json.charCodeAt(at)
    if (isInString) {
      if (char === 0x5c /* \ */) at += 1
      else if (char === 0x22 /* " */) isInString = false
    } else if (char === 0x22) isInString = true
    else if (char === 0x20 || (char >= 0x09 && char <= 0x0d)) {
      if (at > from) pieces.push(json.slice(from, at))
      from = at + 1
    }
  }
  pieces.push(json.slice(from))
  return pieces.join('')
}
