/**
 * The way out of a processor: what was sent is written down, so that an answer that is ended early
 * still ends well-formed. Neighbours: `processor.ts` hands it to callbacks; what it sends to is an
 * encoder, or anything else that takes events. Knows no wire.
 */
import type { BlockInfo } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'
import type { FinishReason } from '../event/finish.ts'

export interface StreamContext {
  /** Sends events on. An event that was sent before is not sent again. */
  send(...events: readonly StreamEvent[]): Promise<void>
  /** Ends the answer here: nothing more is read, and the client gets a well-formed end. */
  terminate(reason?: FinishReason): void
  /** A sign of life for a client that waits. */
  keepalive(): Promise<void>
  /** What belongs to this exchange, made on first use: one value per key. */
  state<Value>(key: string | symbol, init: () => Value): Value
  readonly signal: AbortSignal
  readonly isTerminated: boolean
  /** Says the end of a terminated answer. The processor calls it; calling it again does nothing. */
  close(): Promise<void>
}

export interface StreamContextOptions {
  send(event: StreamEvent): void | Promise<void>
  keepalive?(): void | Promise<void>
  readonly signal?: AbortSignal
}

export function createStreamContext(options: StreamContextOptions): StreamContext {
  const values = new Map<string | symbol, unknown>()
  const sent = new WeakSet<StreamEvent>()
  const open = new Map<BlockInfo, number | undefined>()
  let hasFinish = false
  let isStopped = false
  let endReason: FinishReason | undefined

  async function sendOne(event: StreamEvent): Promise<void> {
    if (sent.has(event)) return
    sent.add(event)
    if (event.type === 'block-start') open.set(event.block, event.choice)
    else if (event.type === 'block-stop') open.delete(event.block)
    else if (event.type === 'finish') hasFinish ||= (event.choice ?? 0) === 0
    else if (event.type === 'message-stop' || event.type === 'error') isStopped = true
    await options.send(event)
  }

  // A field and not a getter: what a getter in a literal costs stands in `base/bag.ts`.
  const context: { -readonly [Key in keyof StreamContext]: StreamContext[Key] } = {
    isTerminated: false,
    async send(...events) {
      for (const event of events) await sendOne(event)
    },
    terminate(reason = 'stop') {
      endReason ??= reason
      context.isTerminated = true
    },
    async keepalive() {
      await options.keepalive?.()
    },
    state<Value>(key: string | symbol, init: () => Value): Value {
      if (!values.has(key)) values.set(key, init())
      return values.get(key) as Value
    },
    signal: options.signal ?? new AbortController().signal,
    async close() {
      if (endReason === undefined || isStopped) return
      for (const [block, choice] of open) {
        // Of JSON everybody sees that it breaks off, of a free text nobody does.
        const isCut = block.type === 'tool-call' && block.dialect === 'custom'
        const of = choice === undefined ? {} : { choice }
        await sendOne({ type: 'block-stop', block, ...(isCut ? { isCut } : {}), ...of })
      }
      // A reason that the client was told stays: a second one could make a refusal a normal end.
      if (!hasFinish) await sendOne({ type: 'finish', reason: endReason })
      await sendOne({ type: 'message-stop' })
    },
  }
  return context
}
