/**
 * Exchanges that follow each other, as an agent makes them: what the client got comes back as history, its calls with
 * results. Neighbours: `test-policy.ts` makes one, `exchanges.ts` has the ways to ask.
 */
import type { StreamBlock } from '../event/block.ts'
import type { Part, ToolResultPart } from '../request/part.ts'
import type { Turn } from '../request/request.ts'
import { createExchanges, type Exchanges, type Talk } from './exchanges.ts'
import type { ExchangeRunner } from './exchange.ts'
import { toRequest, type TestSetting } from './setting.ts'

export interface TestConversation extends Exchanges {
  /** What has been said so far. */
  readonly turns: readonly Turn[]
  /** The user says something before the next exchange. */
  user(text: string): void
  /** What the tools gave back, for the calls of the last answer. Without a word, each gives back "ok". */
  result(text: string, more?: { readonly isError?: boolean }): void
}

export function createConversation(
  runner: ExchangeRunner,
  { turns: given = [], ...setting }: TestSetting,
  id: string,
): TestConversation {
  const turns: Turn[] = [...toRequest({ turns: given }).turns]
  /** Calls that nothing came back for yet. */
  let open: readonly OpenCall[] = []

  function answerCalls(text: string, isError: boolean): void {
    if (open.length > 0)
      turns.push({ role: 'user', parts: open.map((call) => toResultPart(call, text, isError)) })
    open = []
  }

  const talk: Talk = {
    id,
    turns,
    heard({ state }, asked) {
      turns.splice(0, turns.length, ...asked)
      const parts = state.blocks.flatMap(toPart)
      if (parts.length > 0) turns.push({ role: 'assistant', parts })
      open = parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
    },
  }
  return {
    ...createExchanges(runner, setting, () => {
      answerCalls('ok', false)
      return talk
    }),
    turns,
    user(text) {
      answerCalls('ok', false)
      turns.push({ role: 'user', parts: [{ type: 'text', text }] })
    },
    result: (text, { isError = false } = {}) => answerCalls(text, isError),
  }
}

type OpenCall = Extract<Part, { type: 'tool-call' }>

const toResultPart = (
  { id, dialect }: OpenCall,
  text: string,
  isError: boolean,
): ToolResultPart => ({
  type: 'tool-result',
  callId: id,
  dialect,
  parts: [{ type: 'text', text }],
  isError,
})

/** A block as the client sends it back. */
function toPart(block: StreamBlock): readonly Part[] {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return [{ type: block.type, text: block.text }]
    case 'thinking':
      return [{ type: 'thinking', text: block.text, seal: undefined }]
    case 'tool-call': {
      const { id, name, dialect, namespace, arguments: text } = block
      const set = namespace === undefined ? {} : { namespace }
      return [{ type: 'tool-call', id, name, dialect, arguments: text, ...set }]
    }
    case 'server-tool':
    case 'tool-result':
    case 'opaque':
      return []
  }
}
