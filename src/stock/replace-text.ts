/**
 * Other words in the place of words, while the answer streams. Neighbours: `replace/replaced-block.ts` follows one block,
 * `replace/stream-matcher.ts` finds the words; `config/policy-replace-text.ts` reads the options. Knows no wire. Thinking
 * is never touched.
 */
import type { BlockInfo } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'
import { definePolicy, type FilterContext, type Policy } from '../policy/policy.ts'
import { pass, rewrite, type Verdict } from '../policy/verdict.ts'
import { createReplacedBlock, type ReplacedBlock } from './replace/replaced-block.ts'
import { toSearch, type Replacement, type Search } from './replace/search.ts'
import { replaceStrings } from './replace/strings.ts'

export type { Replacement } from './replace/search.ts'

export interface ReplaceTextOptions {
  /** Where two match at the same place, the first wins. */
  readonly replace: readonly Replacement[]
  /** `text`: what the model says. `arguments`: the texts in the arguments of tool calls. Default text. */
  readonly in?: readonly ('text' | 'arguments')[]
  readonly ignoreCase?: boolean
  /** The longest match, in characters; so much may be held back. Default 256. */
  readonly maxMatch?: number
  readonly name?: string
}

export function replaceText(options: ReplaceTextOptions): Policy {
  const search = toSearch(options)
  const places = options.in ?? ['text']
  const name = options.name ?? 'replace-text'
  const filter = places.includes('text') ? filterOf(search) : {}
  if (!places.includes('arguments'))
    return definePolicy<never, Open, undefined>({ name, holds: [], ...filter })
  return definePolicy<'tool-call', Open, undefined>({
    name,
    holds: ['tool-call'],
    ...filter,
    judge: (block) => judgeCall(block, search),
  })
}

type Open = Map<BlockInfo, ReplacedBlock>

function filterOf(search: Search) {
  return {
    state: (): Open => new Map<BlockInfo, ReplacedBlock>(),
    onChunk(chunk: StreamEvent, _state: unknown, ctx: FilterContext<Open, undefined>): void {
      const open = ctx.state
      if (!('block' in chunk) || chunk.block === undefined) {
        if (isEnd(chunk)) closeAll(open, ctx)
        return
      }
      const { block } = chunk
      if (chunk.type === 'block-start' && (block.type === 'text' || block.type === 'refusal'))
        open.set(block, createReplacedBlock(block, search))
      const one = open.get(block)
      if (one === undefined) ctx.send(chunk)
      else for (const event of one.push(chunk)) ctx.send(event)
      if (chunk.type === 'block-stop') open.delete(block)
    },
  }
}

const isEnd = ({ type }: StreamEvent): boolean =>
  type === 'finish' || type === 'error' || type === 'message-stop'

/** The answer ends in the middle of a block: what was held is no match any more. */
function closeAll(open: Open, ctx: FilterContext<Open, undefined>): void {
  for (const one of open.values()) for (const event of one.end()) ctx.send(event)
  open.clear()
}

function judgeCall(
  block: { args(): Readonly<Record<string, unknown>> | undefined; readonly dialect: string },
  search: Search,
): Verdict {
  const args = block.args()
  if (args === undefined) return pass()
  const { value, count } = replaceStrings(args, search)
  if (count === 0) return pass()
  const input = block.dialect === 'custom' ? value['input'] : undefined
  return rewrite(typeof input === 'string' ? input : value, {
    reason: `${count} ${count === 1 ? 'passage was' : 'passages were'} replaced`,
    details: { replaced: count },
  })
}
