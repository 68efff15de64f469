/**
 * What happens at the gateway right now, held for all views by one connection. Neighbours: `src/api/client.ts` listens,
 * views follow the stores or hear each event by `onFeed`. After a lost connection everything begins anew by `state`; views
 * ask for what they missed when `connection` says `open` again.
 */
import type { ApiEvent, StateEvent } from '../../src/api/types.ts'
import type { OpenExchange } from '../../src/store/feed.ts'
import { api, ApiError, leaveIfRefused, queries, toSentence } from './api.ts'
import { createStore } from './store.ts'

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'open'; readonly times: number }
  | { readonly state: 'lost'; readonly why: string; readonly since: number }

type LiveVerdict = Extract<ApiEvent, { type: 'verdict' }>['verdict']

const AGAIN_MS = 1500
/** Browsers allow six connections to one place: tabs that nobody looks at give theirs back. */
const HIDDEN_MS = 60_000
const MAX_VERDICTS = 200

export const connection = createStore<Connection>({ state: 'connecting' })
export const openExchanges = createStore<ReadonlyMap<string, OpenExchange>>(new Map())
/** Of open exchanges, by their ids. */
export const liveVerdicts = createStore<ReadonlyMap<string, readonly LiveVerdict[]>>(new Map())
/** Calls that wait for a person, the oldest first. */
export const pendingTickets = createStore<StateEvent['pending']>([])
export const haltState = createStore<StateEvent['halt']>({ halted: false })

/** Whether somebody is about to turn it: the dialog is the same in every view. */
export const isKillSwitchShown = createStore(false)

const listeners = new Set<(event: ApiEvent) => void>()
let leave: AbortController | undefined
let hiding: ReturnType<typeof setTimeout> | undefined
let times = 0
/** Views that need the feed also while nobody looks (notifications). */
let isNeededHidden = false

/** Every event as it comes. Gives back how to stop. */
export function onFeed(callback: (event: ApiEvent) => void): () => void {
  listeners.add(callback)
  return () => listeners.delete(callback)
}

export function keepFeedWhileHidden(isNeeded: boolean): void {
  isNeededHidden = isNeeded
}

export function startFeed(): void {
  if (leave !== undefined) return
  leave = new AbortController()
  connection.set({ state: 'connecting' })
  void follow(leave.signal)
}

export function stopFeed(): void {
  leave?.abort()
  leave = undefined
}

document.addEventListener('visibilitychange', () => {
  clearTimeout(hiding)
  if (!document.hidden) {
    if (wasStopped) startFeed()
    wasStopped = false
    return
  }
  hiding = setTimeout(() => {
    if (isNeededHidden || leave === undefined) return
    stopFeed()
    wasStopped = true
  }, HIDDEN_MS)
})
let wasStopped = false

async function follow(signal: AbortSignal): Promise<void> {
  const onGone = (error?: Error): void =>
    connection.set({
      state: 'lost',
      why: error === undefined ? 'The gateway has closed the connection' : toSentence(error),
      since: Date.now(),
    })
  while (!signal.aborted) {
    try {
      for await (const event of api.events({ signal, againMs: AGAIN_MS, onGone })) take(event)
    } catch (error) {
      if (signal.aborted) return
      leaveIfRefused(error)
      if (error instanceof ApiError && error.status === 401) return stopFeed()
      onGone(error instanceof Error ? error : undefined)
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }
}

function take(event: ApiEvent): void {
  switch (event.type) {
    case 'state':
      begin(event)
      break
    case 'begun':
      openExchanges.set(new Map(openExchanges.get()).set(event.exchange.id, event.exchange))
      break
    case 'verdict':
      noteVerdict(event.id, event.verdict)
      break
    case 'finished':
      forget(event.exchange.id)
      break
    case 'gone':
      forget(event.id)
      break
    case 'halt':
      haltState.set(event.halt)
      break
    case 'asked':
    case 'waiting':
    case 'decided':
    case 'expired':
      noteTicket(event.ticket)
      break
    case 'recorded':
    case 'piece':
      break
  }
  for (const callback of listeners) callback(event)
}

function begin(state: StateEvent): void {
  openExchanges.set(new Map(state.open.map((one) => [one.id, one])))
  liveVerdicts.set(new Map())
  pendingTickets.set(state.pending)
  haltState.set(state.halt)
  times += 1
  connection.set({ state: 'open', times })
  // What was missed meanwhile.
  if (times > 1) void queries.invalidateQueries()
}

function noteVerdict(id: string, verdict: LiveVerdict): void {
  const before = liveVerdicts.get().get(id) ?? []
  if (before.length >= MAX_VERDICTS) return
  liveVerdicts.set(new Map(liveVerdicts.get()).set(id, [...before, verdict]))
}

function forget(id: string): void {
  if (openExchanges.get().has(id)) {
    const next = new Map(openExchanges.get())
    next.delete(id)
    openExchanges.set(next)
  }
  if (!liveVerdicts.get().has(id)) return
  const verdicts = new Map(liveVerdicts.get())
  verdicts.delete(id)
  liveVerdicts.set(verdicts)
}

function noteTicket(ticket: StateEvent['pending'][number]): void {
  const others = pendingTickets.get().filter((one) => one.ticket !== ticket.ticket)
  pendingTickets.set(ticket.status === 'pending' ? [...others, ticket] : others)
}
