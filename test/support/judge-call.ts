/**
 * One policy asked about made-up blocks, without an engine: the blocks, and the context of one exchange.
 */
import type { BlockOf } from '../../src/event/block.ts'
import type { Policy, PolicyContext } from '../../src/policy/policy.ts'
import type { Verdict } from '../../src/policy/verdict.ts'

export function makeCall(
  name: string,
  args: unknown,
  more: Partial<BlockOf<'tool-call'>> = {},
): BlockOf<'tool-call'> {
  const isText = typeof args === 'string'
  const text = isText ? args : JSON.stringify(args)
  const parsed = isText ? undefined : (JSON.parse(text) as Record<string, unknown>)
  return {
    type: 'tool-call',
    id: 'call-1',
    index: 0,
    name,
    dialect: 'function',
    arguments: text,
    args: () => parsed,
    isComplete: true,
    isCut: false,
    ...more,
  } as BlockOf<'tool-call'>
}

export const makeText = (text: string): BlockOf<'text'> =>
  ({
    type: 'text',
    id: 'text-1',
    index: 0,
    text,
    citations: [],
    isComplete: true,
    isCut: false,
  }) as unknown as BlockOf<'text'>

/** As Claude Code says where it works. */
const WORKSPACE = '/home/me/project'

/** One exchange with that policy: state and memory are shared by all blocks. */
export function openExchange(policy: Policy): (block: BlockOf<'text' | 'tool-call'>) => Verdict {
  const ctx: PolicyContext = {
    exchangeId: 'exchange-1',
    client: { key: 'team', agent: undefined },
    request: {
      model: 'claude-sonnet',
      route: 'claude-*',
      upstream: undefined,
      upstreamModel: undefined,
      isStream: true,
      conversationId: 'conversation',
      system: () => [
        {
          type: 'text',
          text: `<env>\nWorking directory: ${WORKSPACE}\nIs directory a git repo: Yes\n</env>`,
        },
      ],
      turns: () => [],
      tools: () => [{ type: 'function', name: 'Bash', schema: undefined, isStrict: undefined }],
      tool: () => undefined,
    },
    state: policy.state?.(),
    memory: policy.memory?.(),
    signal: new AbortController().signal,
    log: { info: () => {}, warn: () => {} },
    now: () => 0,
    callModel: () => Promise.reject(new Error('There is no model')),
  }
  return (block) => policy.judge?.(block, ctx) as Verdict
}
