/**
 * An exchange that goes on → its blocks, what is delivered, and what is decided, as they come. Neighbours: the gateway's
 * `/api/exchanges/{id}/live` says the bytes, `answer-guess.ts` reads them; `answer-source.ts` hands it to the views. Told
 * some twenty times a second at most, however many pieces come. A tab that nobody looks at lets go of its connection.
 */
import type { BlockView, LiveEvent } from '../../src/api/types.ts'
import type { WireName } from '../../src/index.ts'
import { isWireName } from '../core/wires.ts'
import type { OpenExchange } from '../../src/store/feed.ts'
import type { ExchangeSummary } from '../../src/store/query.ts'
import { api, ApiError, leaveIfRefused } from '../core/api.ts'
import { liveVerdicts, onFeed } from '../core/feed.ts'
import type { AnyVerdict } from './answer-model.ts'
import { createGuessingReader, type GuessingReader } from './answer-guess.ts'
import type { AnswerEnding } from './answer-reader.ts'

export interface LiveAnswer {
  readonly exchange: OpenExchange
  readonly upstream: readonly BlockView[]
  readonly delivered: readonly BlockView[]
  /** Whether anything has left. Where nobody judges, bytes are passed on unseen and this stays false. */
  readonly hasLeft: boolean
  readonly verdicts: readonly AnyVerdict[]
  readonly ending: AnswerEnding
  /** Its beginning had passed before anybody looked. */
  readonly isPartial: boolean
  /** `over`: nothing more comes of it. */
  readonly state: 'connecting' | 'open' | 'lost' | 'over'
  /** How it went, as soon as that is known. */
  readonly summary: ExchangeSummary | undefined
}

export interface LiveSource {
  get(): LiveAnswer
  /** Listens as long as anybody follows. */
  onChange(callback: () => void): () => void
}

const AGAIN_MS = 1500
const HIDDEN_MS = 10_000
/** Nobody reads faster, and a long text is laid out anew each time. */
const PAUSE_MS = 45

interface Readers {
  readonly upstream: GuessingReader
  readonly delivered: GuessingReader
}

export function createLiveSource(exchange: OpenExchange): LiveSource {
  const wire: WireName = isWireName(exchange.wire) ? exchange.wire : 'openai-chat'
  const listeners = new Set<() => void>()
  let readers = createReaders(wire)
  let facts: Pick<LiveAnswer, 'state' | 'summary' | 'verdicts' | 'hasLeft'> = {
    state: 'connecting',
    summary: undefined,
    verdicts: liveVerdicts.get().get(exchange.id) ?? [],
    hasLeft: false,
  }
  let shown = toShown()
  let isTelling = false
  let toldAt = 0
  let leave: AbortController | undefined
  let stopFeed: (() => void) | undefined
  let hiding: ReturnType<typeof setTimeout> | undefined

  function toShown(): LiveAnswer {
    return {
      exchange,
      ...facts,
      upstream: readers.upstream.blocks(),
      delivered: readers.delivered.blocks(),
      ending: readers.upstream.ending(),
      isPartial: readers.upstream.isPartial(),
    }
  }

  function change(next: Partial<typeof facts> = {}): void {
    facts = { ...facts, ...next }
    if (isTelling) return
    isTelling = true
    if (document.hidden) setTimeout(tell, 250)
    else setTimeout(() => requestAnimationFrame(tell), toldAt + PAUSE_MS - performance.now())
  }

  function tell(): void {
    isTelling = false
    toldAt = performance.now()
    shown = toShown()
    for (const callback of listeners) callback()
  }

  function take(event: LiveEvent): void {
    switch (event.type) {
      case 'exchange':
        // What has passed is said again.
        readers = createReaders(wire)
        return change({ state: 'open', hasLeft: false })
      case 'piece':
        if (event.kind !== 'upstream' && event.kind !== 'delivered') return
        readers[event.kind].push(event.bytes, event.at)
        return change(event.kind === 'delivered' ? { hasLeft: true } : {})
      case 'finished':
        return change({ summary: event.exchange })
      case 'end':
        readers.upstream.end()
        readers.delivered.end()
        return change({ state: 'over' })
      // The feed says them, too, and has said those before.
      case 'verdict':
    }
  }

  const isOver = (): boolean => facts.state === 'over'

  async function listen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !isOver()) {
      try {
        for await (const event of api.live(exchange.id, signal)) take(event)
        if (!isOver()) change({ state: 'lost' })
      } catch (error) {
        if (signal.aborted) return
        leaveIfRefused(error)
        const isGone = error instanceof ApiError && (error.status === 404 || error.status === 409)
        change({ state: isGone ? 'over' : 'lost' })
      }
      if (!isOver()) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }

  function begin(): void {
    if (leave !== undefined || isOver()) return
    leave = new AbortController()
    void listen(leave.signal)
  }

  function end(): void {
    leave?.abort()
    leave = undefined
  }

  function follow(): void {
    clearTimeout(hiding)
    if (document.hidden) hiding = setTimeout(end, HIDDEN_MS)
    else begin()
  }

  function start(): void {
    stopFeed = onFeed((event) => {
      if (event.type === 'verdict' && event.id === exchange.id)
        change({ verdicts: [...facts.verdicts, event.verdict] })
      if (event.type === 'gone' && event.id === exchange.id) change({ state: 'over' })
    })
    document.addEventListener('visibilitychange', follow)
    follow()
    if (document.hidden) begin()
  }

  function stop(): void {
    stopFeed?.()
    document.removeEventListener('visibilitychange', follow)
    clearTimeout(hiding)
    end()
  }

  return {
    get: () => shown,
    onChange(callback) {
      listeners.add(callback)
      if (listeners.size === 1) start()
      return () => {
        listeners.delete(callback)
        if (listeners.size === 0) stop()
      }
    },
  }
}

const createReaders = (wire: WireName): Readers => ({
  upstream: createGuessingReader(wire),
  delivered: createGuessingReader(wire),
})
