/**
 * Stop sequences for upstreams that know none: the text is looked over as it passes, and ends where one of
 * them is complete. Neighbours: `translate.ts` puts it behind the others. Knows no wire. Looks at text only,
 * one block at a time: thinking and arguments are the model's own business.
 */
import type { Stage } from '../base/stage.ts'
import type { BlockInfo } from '../event/block.ts'
import type { EventOf, StreamEvent } from '../event/event.ts'
import { mergeUsage, type Usage } from '../event/usage.ts'
import { createMatcher } from './matcher.ts'

export interface StopSequences extends Stage<StreamEvent, StreamEvent> {
  /** Whether one was met: the answer is over, and what the upstream still says is for nobody. */
  readonly hasStopped: boolean
}

/** A text block that is being looked over. */
interface Open {
  readonly block: BlockInfo
  readonly matcher: ReturnType<typeof createMatcher>
  /** Waits for its first text: a block that would be empty is not opened. */
  start: EventOf<'block-start'> | undefined
  /** May be the beginning of a sequence. */
  held: string
}

export function createStopSequences(stop: readonly string[]): StopSequences {
  const sequences = stop.filter((sequence) => sequence !== '')
  const open = new Map<BlockInfo, Open>()
  let usage: Usage | undefined
  let hasStopped = false

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
    hasStopped = true
    const choice = event.choice === undefined ? {} : { choice: event.choice }
    const isThere = state.start === undefined || said !== ''
    return [
      ...(isThere ? startOf(state) : []),
      ...(said === '' ? [] : [toDelta(state.block, said)]),
      ...(isThere ? [{ type: 'block-stop', block: state.block, ...choice } as const] : []),
      { type: 'finish', reason: 'stop-sequence', stopSequence, ...choice },
      ...(usage === undefined ? [] : [{ type: 'usage', usage } as const]),
      { type: 'message-stop' },
    ]
  }

  function releaseAll(): StreamEvent[] {
    const out = [...open.values()].flatMap(release)
    open.clear()
    return out
  }

  return {
    push(event) {
      if (hasStopped) return []
      switch (event.type) {
        case 'block-start': {
          const { block } = event
          if (block.type !== 'text') return [event]
          open.set(block, { block, matcher: createMatcher(sequences), start: event, held: '' })
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
        case 'message-start':
        case 'usage':
          usage = mergeUsage(usage, event.usage)
          return [event]
        case 'error':
        case 'finish':
        case 'message-stop':
          return [...releaseAll(), event]
        case 'other': {
          const state = event.block === undefined ? undefined : open.get(event.block)
          return state === undefined ? [event] : [...startOf(state), event]
        }
        case 'ping':
          return [event]
      }
    },
    end: () => (hasStopped ? [] : releaseAll()),
    get hasStopped() {
      return hasStopped
    },
  }
}

const toDelta = (block: BlockInfo, text: string): StreamEvent => ({
  type: 'block-delta',
  block,
  delta: { type: 'text', text },
  ...(block.choice === undefined ? {} : { choice: block.choice }),
})
