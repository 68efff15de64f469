/**
 * Questions as the engine puts them to a person, without an engine. Knows no wire.
 */
import type { BlockOf } from '../../src/event/block.ts'
import type { PolicyRequest, Question } from '../../src/policy/policy.ts'
import type { Tool } from '../../src/request/tool.ts'

export interface Asking {
  readonly exchangeId?: string
  readonly conversationId?: string
  readonly key?: string
  readonly policy?: string
  readonly tool?: string
  readonly args?: string
  readonly isStream?: boolean
  readonly isFreeText?: boolean
  readonly tools?: readonly Tool[]
  readonly signal?: AbortSignal
}

let calls = 0

export function toolCall(name: string, args: string, isFreeText = false): BlockOf<'tool-call'> {
  const id = `call_${calls++}`
  const dialect = isFreeText ? 'custom' : 'function'
  const parsed = (): Readonly<Record<string, unknown>> | undefined => {
    try {
      return JSON.parse(args) as Readonly<Record<string, unknown>>
    } catch {
      return undefined
    }
  }
  return {
    type: 'tool-call',
    id,
    index: 0,
    name,
    dialect,
    info: { type: 'tool-call', id, index: 0, name, dialect },
    isComplete: true,
    isCut: false,
    arguments: args,
    args: parsed,
    parseArguments() {
      const value = parsed()
      return value === undefined
        ? { ok: false, reason: 'broken', message: 'no JSON' }
        : { ok: true, value }
    },
  }
}

export function policyRequest(asking: Asking = {}): PolicyRequest {
  const { tools = [] } = asking
  return {
    model: 'a-model',
    route: undefined,
    upstream: 'up',
    upstreamModel: undefined,
    isStream: asking.isStream ?? true,
    conversationId: asking.conversationId ?? 'conversation-1',
    system: () => [],
    turns: () => [],
    tools: () => tools,
    tool: (name) => tools.find((one) => one.name === name),
  }
}

export const question = (asking: Asking = {}): Question => ({
  exchangeId: asking.exchangeId ?? 'exchange-1',
  policy: asking.policy ?? 'approve',
  question: 'May it be called?',
  reason: undefined,
  client: { key: asking.key, agent: 'claude-cli/2.1' },
  request: policyRequest(asking),
  block: toolCall(asking.tool ?? 'Bash', asking.args ?? '{"command":"ls"}', asking.isFreeText),
  signal: asking.signal ?? new AbortController().signal,
})
