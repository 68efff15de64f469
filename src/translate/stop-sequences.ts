/**
 * Stop sequences for upstreams that know none: the text is looked over as it passes, and ends where one of
 * them is complete. Neighbours: `translate.ts` puts it behind the others. Knows no wire. Looks at text only,
 * one block at a time: thinking and arguments are the model's own business.
 *
 * Behind the sequence only what the answer cost is still heard, from an answer that has come whole; whoever reads a
 * stream need not wait for it and may call `end` at once. Then the output is counted by what was said.
 */
import type { BlockInfo } from '../event/block.ts'
import type { EventOf, StreamEvent } from '../event/event.ts'
import { mergeUsage, type Usage } from '../event/usage.ts'
import type { AnswerStage } from './answer-stage.ts'
import { prepareMatcher, type Matcher } from './matcher.ts'

export interface StopSequences extends AnswerStage {
  /** Whether one was met: no more will be said but what it cost, and that the answer is over. */
  readonly hasStopped: boolean
}

/** Of most texts in most languages that are paid for by the token. */
const CHARS_PER_TOKEN = 4

/** A text block that is being looked over. */
interface Open {
  readonly block: BlockInfo
  readonly matcher: Matcher
  /** Waits for its first text: a block that would be empty is not opened. */
  start: EventOf<'block-start'> | undefined
  /** May be the beginning of a sequence. */
  held: string
}

export function createStopSequences(stop: readonly string[]): StopSequences {
  const createMatcher = prepareMatcher(stop.filter((sequence) => sequence !== ''))
  const open = new Map<BlockInfo, Open>()
  let usage: Usage | undefined
  /** Whether the upstream said how much came out; what stands in the start of an answer is not that. */
  let isOutputSaid = false
  /** All that the model wrote, the sequence included. */
  let chars = 0
  let isEnded = false

  function read(event: EventOf<'block-delta'>, text: string, state: Open): readonly StreamEvent[] {
    const found = state.matcher.push(text)
    const whole = state.held + text
    if (found.sequence !== undefined) {
      const said = whole.slice(0, state.held.length + found.end - found.sequence.length)
      return finish(event, said, found.sequence, state)
    }
    const said = whole.slice(0, whole.length - found.held)
    const isUntouched = state.held === '' && found.held === 0
    state.held = whole.slice(said.length)
    if (said === '') return []
    return [...startOf(state), isUntouched ? event : toDelta(state.block, said)]
  }

  function startOf(state: Open): readonly StreamEvent[] {
    const { start } = state
    state.start = undefined
    return start === undefined ? [] : [start]
  }

  /** What turned out to be no sequence. */
  function release(state: Open): readonly StreamEvent[] {
    const { held } = state
    state.held = ''
    return [...startOf(state), ...(held === '' ? [] : [toDelta(state.block, held)])]
  }

  function finish(
    event: EventOf<'block-delta'>,
    said: string,
    stopSequence: string,
    state: Open,
  ): readonly StreamEvent[] {
    stage.hasStopped = true
    const choice = event.choice === undefined ? {} : { choice: event.choice }
    const isThere = state.start === undefined || said !== ''
    return [
      ...(isThere ? startOf(state) : []),
      ...(said === '' ? [] : [toDelta(state.block, said)]),
      ...(isThere ? [{ type: 'block-stop', block: state.block, ...choice } as const] : []),
      { type: 'finish', reason: 'stop-sequence', stopSequence, ...choice },
    ]
  }

  function say(): readonly StreamEvent[] {
    if (isEnded) return []
    isEnded = true
    const outputTokens = isOutputSaid
      ? usage?.outputTokens
      : Math.max(usage?.outputTokens ?? 0, Math.ceil(chars / CHARS_PER_TOKEN))
    const known = { ...usage, ...(outputTokens === undefined ? {} : { outputTokens }) }
    return [{ type: 'usage', usage: known }, { type: 'message-stop' }]
  }

  function note(event: StreamEvent): void {
    if (event.type === 'block-delta' && 'text' in event.delta) chars += event.delta.text.length
    if (event.type !== 'message-start' && event.type !== 'usage') return
    usage = mergeUsage(usage, event.usage)
    if (event.type === 'usage') isOutputSaid ||= event.usage.outputTokens !== undefined
  }

  function releaseAll(): StreamEvent[] {
    const out = [...open.values()].flatMap(release)
    open.clear()
    return out
  }

  // A field and not a getter: what a getter in a literal costs stands in `base/bag.ts`.
  const stage: { -readonly [Key in keyof StopSequences]: StopSequences[Key] } = {
    hasStopped: false,
    passes: ({ block }) => !stage.hasStopped && !open.has(block),
    push(event) {
      if (stage.hasStopped) {
        if (event.type === 'usage') note(event)
        return event.type === 'message-stop' ? say() : []
      }
      note(event)
      switch (event.type) {
        case 'block-start': {
          const { block } = event
          if (block.type !== 'text') return [event]
          open.set(block, { block, matcher: createMatcher(), start: event, held: '' })
          return []
        }
        case 'block-delta': {
          const state = open.get(event.block)
          if (state === undefined) return [event]
          if (event.delta.type === 'text') return read(event, event.delta.text, state)
          return [...startOf(state), event]
        }
        case 'block-stop': {
          const state = open.get(event.block)
          if (state === undefined) return [event]
          open.delete(event.block)
          return [...release(state), event]
        }
        case 'error':
        case 'finish':
        case 'message-stop':
          return [...releaseAll(), event]
        case 'other': {
          const state = event.block === undefined ? undefined : open.get(event.block)
          return state === undefined ? [event] : [...startOf(state), event]
        }
        case 'message-start':
        case 'usage':
        case 'ping':
          return [event]
      }
    },
    end: () => (stage.hasStopped ? say() : releaseAll()),
  }
  return stage
}

const toDelta = (block: BlockInfo, text: string): StreamEvent => ({
  type: 'block-delta',
  block,
  delta: { type: 'text', text },
  ...(block.choice === undefined ? {} : { choice: block.choice }),
})
