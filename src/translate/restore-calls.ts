/**
 * Calls of an upstream's answer → calls as its client knows them: name, namespace and kind. Neighbours:
 * `request/call-names.ts` knows what each tool was called there, `input-text.ts` unwraps free text. Knows no
 * wire. What needs nothing passes as the same event, so that it may leave as it came.
 */
import { FewMap, FewSet } from '../base/few.ts'
import type { BlockInfo } from '../event/block.ts'
import type { Delta, EventOf, StreamEvent } from '../event/event.ts'
import { cutReason } from '../event/finish.ts'
import type { CallNames } from '../request/call-names.ts'
import type { AnswerStage } from './answer-stage.ts'
import { createInputText, type InputText } from './input-text.ts'

/** Whether there is anything to restore, for answers to a request with those tools. */
export const needsRestoring = (names: CallNames): boolean => !names.isPlain

type CallInfo = Extract<BlockInfo, { type: 'tool-call' }> & { readonly namespace?: string }

/** A block that goes on under another info. */
interface Restored {
  readonly info: BlockInfo
  /** Where its arguments are text that was wrapped in JSON. */
  readonly input: InputText | undefined
}

export function createCallRestorer(names: CallNames): AnswerStage {
  const open = new FewMap<BlockInfo, Restored>()
  /** The choices in which a text broke off: nobody sees that on a free text, and half a patch is not to be run. */
  const cut = new FewSet<number>()

  function start(event: EventOf<'block-start'>): StreamEvent {
    const { block } = event
    if (block.type !== 'tool-call') return event
    const restored = restore(block, names)
    if (restored === undefined) return event
    open.set(block, restored)
    return renew(event, restored)
  }

  function stop(event: EventOf<'block-stop'>, restored: Restored): readonly StreamEvent[] {
    open.delete(event.block)
    const { info, input } = restored
    const last = input?.end() ?? ''
    const isCut = input?.isCut === true
    if (isCut) cut.add(info.choice ?? 0)
    const stopped = renew(isCut ? { ...event, isCut } : event, restored)
    return last === '' ? [stopped] : [toDelta(info, { type: 'arguments', text: last }), stopped]
  }

  function grow(event: EventOf<'block-delta'>, restored: Restored): readonly StreamEvent[] {
    const { delta } = event
    if (restored.input === undefined || delta.type !== 'arguments') return [renew(event, restored)]
    const text = restored.input.push(delta.text)
    return text === '' ? [] : [toDelta(restored.info, { type: 'arguments', text })]
  }

  function finish(event: EventOf<'finish'>): StreamEvent {
    const reason = cutReason(event.reason, cut.has(event.choice ?? 0))
    if (reason === event.reason) return event
    const { step: _step, vendor: _vendor, vendorReason: _reason, ...rest } = event
    return { ...rest, reason }
  }

  return {
    passes: ({ block }) => !open.has(block),
    push(event) {
      if (event.type === 'block-start') return [start(event)]
      if (event.type === 'finish') return [finish(event)]
      const block = 'block' in event ? event.block : undefined
      const restored = block === undefined ? undefined : open.get(block)
      if (restored === undefined) return [event]
      if (event.type === 'block-delta') return grow(event, restored)
      if (event.type === 'block-stop') return stop(event, restored)
      // A frame of the vendor's about a block that has become another one says nothing any more.
      return []
    },
    end: () => [],
  }
}

/** `undefined` where the call is already what its client knows. */
function restore(block: CallInfo, names: CallNames): Restored | undefined {
  const source = names.toSource(block.name, block.namespace)
  if (source === undefined) return undefined
  // A call that came as free text is none of JSON, whatever it was declared as.
  const dialect = block.dialect === 'function' ? source.dialect : block.dialect
  if (
    source.name === block.name &&
    source.namespace === block.namespace &&
    dialect === block.dialect
  )
    return undefined
  const { vendor, namespace: _namespace, ...rest } = block
  const info: CallInfo = {
    ...rest,
    name: source.name,
    dialect,
    ...(source.namespace === undefined ? {} : { namespace: source.namespace }),
    // The vendor's object is of another kind of call than this one.
    ...(vendor === undefined || dialect !== block.dialect ? {} : { vendor }),
  }
  const isUnwrapped = dialect === 'custom' && block.dialect !== 'custom'
  return { info, input: isUnwrapped ? createInputText() : undefined }
}

/** The event for the new block. It was read nowhere, so it has no step. */
function renew(
  event: EventOf<'block-start' | 'block-delta' | 'block-stop'>,
  { info }: Restored,
): StreamEvent {
  const { step: _step, vendor, ...rest } = event
  const isKept = vendor !== undefined && info.vendor !== undefined
  return { ...rest, block: info, ...(isKept ? { vendor } : {}) }
}

const toDelta = (block: BlockInfo, delta: Delta): StreamEvent => ({
  type: 'block-delta',
  block,
  delta,
  ...(block.choice === undefined ? {} : { choice: block.choice }),
})
