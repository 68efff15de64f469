/**
 * A stock policy on its own, without an engine: its context, its requests, its blocks.
 */
import { createAssembler } from '../../src/block/assemble.ts'
import { belongsToBlock } from '../../src/block/processor.ts'
import type { BlockOf } from '../../src/event/block.ts'
import type { StreamEvent } from '../../src/event/event.ts'
import { toolCallBlock } from '../../src/event/make.ts'
import type { FilterContext, Policy } from '../../src/policy/policy.ts'
import type { Verdict } from '../../src/policy/verdict.ts'
import type { Part, ToolResultPart } from '../../src/request/part.ts'
import type { ModelRequest, Turn } from '../../src/request/request.ts'

export interface PolicyRun {
  readonly ctx: FilterContext
  readonly sent: StreamEvent[]
  /** What the policy ended the answer with. */
  readonly terminated: string[]
  readonly logged: unknown[]
}

export interface RunOptions {
  readonly turns?: readonly Turn[]
  readonly memory?: unknown
  readonly now?: () => number
  readonly exchangeId?: string
}

/** One exchange of a policy. */
export function runPolicy(policy: Policy, options: RunOptions = {}): PolicyRun {
  const sent: StreamEvent[] = []
  const terminated: string[] = []
  const logged: unknown[] = []
  const ctx: FilterContext = {
    exchangeId: options.exchangeId ?? 'exchange-1',
    client: { key: undefined, agent: undefined },
    request: {
      model: 'model',
      route: undefined,
      upstream: undefined,
      upstreamModel: undefined,
      isStream: true,
      conversationId: 'conversation-1',
      system: () => [],
      turns: () => options.turns ?? [],
      tools: () => [],
      tool: () => undefined,
    },
    state: policy.state?.(),
    memory: options.memory ?? policy.memory?.(),
    signal: new AbortController().signal,
    log: {
      info: (...args) => void logged.push(args),
      warn: (...args) => void logged.push(args),
    },
    now: options.now ?? (() => 0),
    callModel: () => Promise.reject(new Error('No model')),
    send: (event) => void sent.push(event),
    terminate: (reason = '') => void terminated.push(reason),
  }
  return { ctx, sent, terminated, logged }
}

/** What a filter lets through, as the engine would. */
export async function filterEvents(
  policy: Policy,
  events: Iterable<StreamEvent>,
  run: PolicyRun = runPolicy(policy),
): Promise<readonly StreamEvent[]> {
  const assembler = createAssembler()
  for (const event of events) {
    const answer = await policy.onChunk?.(event, assembler.apply(event), run.ctx)
    if (run.terminated.length > 0) break
    if (answer !== 'hold' && !belongsToBlock(event)) run.sent.push(event)
  }
  return run.sent
}

/** A whole call. */
export function callBlock(
  name: string,
  args: Readonly<Record<string, unknown>> | string,
  id = `call-${name}`,
): BlockOf<'tool-call'> {
  const assembler = createAssembler()
  for (const event of toolCallBlock({ id, name, args })) assembler.apply(event)
  const [block] = assembler.state.blocks
  if (block?.type !== 'tool-call') throw new Error('No call')
  return block
}

export async function judge(
  policy: Policy,
  block: BlockOf<'tool-call'>,
  run: PolicyRun = runPolicy(policy),
): Promise<Verdict> {
  const verdict = await policy.judge?.(block, run.ctx)
  if (verdict === undefined) throw new Error('No verdict')
  return verdict
}

export const human = (text: string): Turn => ({ role: 'user', parts: [{ type: 'text', text }] })

export const callPart = (name: string, args: unknown, id: string): Part => ({
  type: 'tool-call',
  id,
  name,
  dialect: 'function',
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
})

export const resultPart = (callId: string, text: string, isError = false): ToolResultPart => ({
  type: 'tool-result',
  callId,
  dialect: 'function',
  parts: [{ type: 'text', text }],
  isError,
})

/** A call and its result, as two turns. */
export const done = (
  name: string,
  args: unknown,
  result: { readonly text: string; readonly isError?: boolean; readonly id?: string },
): readonly Turn[] => {
  const id = result.id ?? `id-${name}-${JSON.stringify(args)}`
  return [
    { role: 'assistant', parts: [callPart(name, args, id)] },
    { role: 'user', parts: [resultPart(id, result.text, result.isError)] },
  ]
}

export const requestOf = (turns: readonly Turn[]): ModelRequest => ({
  source: { wire: 'anthropic-messages', body: {} },
  model: 'model',
  isStream: true,
  system: [],
  turns,
  tools: [],
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
})
