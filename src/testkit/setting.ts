/**
 * What a test says of an exchange → the request that its policies see. Neighbours: `test-policy.ts` takes settings,
 * `world.ts` hands the request to the engine. Everything may be left out: a test says what it is about, and no more.
 */
import { isObject, type JsonObject } from '../base/json.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { WireName } from '../event/event.ts'
import type { PolicyRequest } from '../policy/policy.ts'
import type { TextPart } from '../request/part.ts'
import type { ModelRequest, Turn } from '../request/request.ts'
import type { Tool } from '../request/tool.ts'
import { WIRES } from '../wire/wires.ts'

/** What an exchange is about. */
export interface TestSetting {
  /** The wire that the client speaks. Default: `anthropic-messages`. */
  readonly wire?: WireName
  /** As the client says it. */
  readonly model?: string
  /** The pattern of the route that took it. */
  readonly route?: string
  /** Who answers, and what the model is called there. */
  readonly upstream?: string
  readonly upstreamModel?: string
  readonly isStream?: boolean
  /** The name of its key, and what it says of itself. */
  readonly client?: { readonly key?: string; readonly agent?: string }
  readonly system?: string
  /** The conversation so far. A text is a turn of the user's. */
  readonly turns?: readonly (Turn | string)[]
  /** What the model may call. A name alone is a tool that takes any object. */
  readonly tools?: readonly TestTool[]
}

/** A tool, by its name, by name and schema, or in full. */
export type TestTool =
  | string
  | Tool
  | { readonly name: string; readonly description?: string; readonly schema?: JsonObject }

const DEFAULT_WIRE: WireName = 'anthropic-messages'

export function toRequest(setting: TestSetting): ModelRequest {
  return {
    source: { wire: setting.wire ?? DEFAULT_WIRE, body: {} },
    model: setting.model ?? 'test-model',
    isStream: setting.isStream ?? true,
    system: setting.system === undefined ? [] : [{ type: 'text', text: setting.system }],
    turns: (setting.turns ?? []).map(toTurn),
    tools: (setting.tools ?? []).map(toTool),
    toolChoice: undefined,
    isParallel: undefined,
    maxTokens: undefined,
    stop: [],
    sampling: {},
    reasoning: {},
    format: undefined,
    verbosity: undefined,
    user: undefined,
    metadata: undefined,
    cache: { key: undefined, mark: undefined },
    serviceTier: undefined,
    isStored: undefined,
    logprobs: undefined,
    lost: [],
    needed: [],
  }
}

const toTurn = (turn: Turn | string): Turn =>
  typeof turn === 'string' ? { role: 'user', parts: [{ type: 'text', text: turn }] } : turn

function toTool(tool: TestTool): Tool {
  if (typeof tool === 'string')
    return { type: 'function', name: tool, schema: undefined, isStrict: undefined }
  if ('type' in tool) return tool
  return { schema: undefined, ...tool, type: 'function', isStrict: undefined }
}

/** What a client sends, or the same in our own tongue. */
export type RequestBody = ModelRequest | JsonObject

/** A body as its wire reads it. */
export function readBody(body: RequestBody, wire: WireName | undefined): ModelRequest {
  if (isCanonical(body)) return body
  const name = wire ?? guessWire(body)
  const read = WIRES[name].readRequest(body)
  if (read.ok) return read.request
  const { path, message } = read.problem
  throw new SluiceError('wrong-use', `This is no request of ${name}: ${path}: ${message}`)
}

const isCanonical = (body: RequestBody): body is ModelRequest =>
  Array.isArray(body['turns']) && isObject(body['source'])

/** A request does not say which wire it is of; these fields are of one only. */
function guessWire(body: JsonObject): WireName {
  if ('input' in body || 'instructions' in body) return 'openai-responses'
  const isAnthropic = 'system' in body || 'max_tokens' in body
  return isAnthropic && !isChat(body) ? 'anthropic-messages' : 'openai-chat'
}

const isChat = ({ messages }: JsonObject): boolean =>
  Array.isArray(messages) &&
  messages.some(
    (one) =>
      isObject(one) && (one['role'] === 'tool' || one['role'] === 'system' || 'tool_calls' in one),
  )

/** A request as policies see it. */
export class TestRequest implements PolicyRequest {
  readonly route: string | undefined
  readonly upstream: string | undefined
  readonly upstreamModel: string | undefined
  readonly conversationId: string
  private given: ModelRequest

  constructor(given: ModelRequest, setting: TestSetting, conversationId: string) {
    this.given = given
    this.route = setting.route
    this.upstream = setting.upstream
    this.upstreamModel = setting.upstreamModel
    this.conversationId = conversationId
  }

  /** A policy changed it: those behind it see that. */
  change(request: ModelRequest): void {
    this.given = request
  }

  get model(): string {
    return this.given.model
  }

  get isStream(): boolean {
    return this.given.isStream
  }

  system(): readonly TextPart[] {
    return this.given.system
  }

  turns(): readonly Turn[] {
    return this.given.turns
  }

  tools(): readonly Tool[] {
    return this.given.tools
  }

  tool(name: string, namespace?: string): Tool | undefined {
    const { tools } = this.given
    return (
      tools.find((tool) => tool.name === name && tool.namespace === namespace) ??
      tools.find((tool) => tool.name === name)
    )
  }
}
