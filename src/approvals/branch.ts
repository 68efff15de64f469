/**
 * The desk of another process: a worker asks by messages, and the first process answers, so that all of them have
 * one list and every ticket one decision. Neighbours: `server/workers.ts` carries the messages; `approvals.ts` is
 * the same in one process. Messages are plain JSON.
 */
import type { Decision } from '../policy/policy.ts'
import { createAsk, type Approvals, type FrontDesk } from './approvals.ts'
import type { Asked } from './asked.ts'
import type { HaltState, HaltSwitch } from './halt.ts'
import { createListeners } from './listeners.ts'
import type { Answer, ApprovalNews } from './ticket.ts'

/** What can be asked for, beside decisions. */
type Wish =
  | { readonly type: 'list' }
  | { readonly type: 'show'; readonly ticket: string }
  | { readonly type: 'decide'; readonly ticket: string; readonly answer: Answer }
  | { readonly type: 'token'; readonly ticket: string; readonly token: string }
  | { readonly type: 'halt'; readonly state: HaltState }

export type ToDesk =
  | { readonly type: 'ask'; readonly id: number; readonly asked: Asked }
  | { readonly type: 'leave'; readonly id: number }
  | { readonly type: 'wish'; readonly id: number; readonly wish: Wish }

export type FromDesk =
  | { readonly type: 'decision'; readonly id: number; readonly decision: Decision }
  | { readonly type: 'granted'; readonly id: number; readonly value: unknown }
  | { readonly type: 'approval'; readonly news: ApprovalNews }
  | { readonly type: 'halt'; readonly state: HaltState }

/** A worker's side. */
export interface Branch extends Approvals {
  take(message: FromDesk): void
  /** Turns the switch of all processes. */
  setHalt(halted: boolean, by?: string, reason?: string): Promise<HaltState>
}

/** The first process is busy with little: one that does not answer is gone. */
const WISH_MS = 5000

export function createBranch(send: (message: ToDesk) => void, halt: HaltSwitch): Branch {
  const asking = new Map<number, (decision: Decision) => void>()
  const wishing = new Map<number, (value: unknown) => void>()
  const listeners = createListeners<ApprovalNews>()
  let ids = 0

  function put(asked: Asked, tell: (decision: Decision) => void): () => void {
    const id = ids++
    asking.set(id, tell)
    send({ type: 'ask', id, asked })
    return () => {
      if (asking.delete(id)) send({ type: 'leave', id })
    }
  }

  /** The two sides are of one version, so that an answer is what it was asked for. */
  function wish<T>(one: Wish): Promise<T> {
    return new Promise((resolve, reject) => {
      const id = ids++
      const late = setTimeout(() => {
        wishing.delete(id)
        reject(new Error('The first process does not answer'))
      }, WISH_MS).unref()
      wishing.set(id, (value) => {
        clearTimeout(late)
        resolve(value as T)
      })
      send({ type: 'wish', id, wish: one })
    })
  }

  return {
    ask: createAsk(put),
    list: () => wish({ type: 'list' }),
    show: (ticket) => wish({ type: 'show', ticket }),
    decide: (ticket, answer) => wish({ type: 'decide', ticket, answer }),
    isToken: (ticket, token) => wish({ type: 'token', ticket, token }),
    setHalt: (halted, by, reason) => wish({ type: 'halt', state: { halted, by, reason } }),
    onNews: listeners.add,
    close() {
      asking.clear()
      wishing.clear()
    },
    take(message) {
      switch (message.type) {
        case 'decision':
          asking.get(message.id)?.(message.decision)
          asking.delete(message.id)
          return
        case 'granted':
          wishing.get(message.id)?.(message.value)
          wishing.delete(message.id)
          return
        case 'approval':
          return listeners.tell(message.news)
        case 'halt':
          return halt.follow(message.state)
      }
    },
  }
}

/** The first process's side of one worker. */
export interface Counter {
  take(message: ToDesk): void
  /** The worker is gone: its questions wait for nobody. */
  close(): void
}

export interface CounterParts {
  readonly desk: FrontDesk
  /** Turns the switch for all. */
  setHalt(halted: boolean, by?: string, reason?: string): Promise<HaltState>
}

export function createCounter(
  { desk, setHalt }: CounterParts,
  send: (message: FromDesk) => void,
): Counter {
  const leaving = new Map<number, () => void>()

  function grant(wish: Wish): Promise<unknown> {
    switch (wish.type) {
      case 'list':
        return desk.list()
      case 'show':
        return desk.show(wish.ticket)
      case 'decide':
        return desk.decide(wish.ticket, wish.answer)
      case 'token':
        return desk.isToken(wish.ticket, wish.token)
      case 'halt':
        return setHalt(wish.state.halted, wish.state.by, wish.state.reason)
    }
  }

  return {
    take(message) {
      switch (message.type) {
        case 'ask': {
          const { id } = message
          let isOver = false
          const leave = desk.put(message.asked, (decision) => {
            isOver = true
            leaving.delete(id)
            send({ type: 'decision', id, decision })
          })
          if (!isOver) leaving.set(id, leave)
          return
        }
        case 'leave':
          leaving.get(message.id)?.()
          leaving.delete(message.id)
          return
        case 'wish':
          // One that fails is not answered, and who waits for it gives up.
          void grant(message.wish).then(
            (value) => send({ type: 'granted', id: message.id, value }),
            () => {},
          )
      }
    },
    close() {
      for (const leave of leaving.values()) leave()
      leaving.clear()
    },
  }
}
