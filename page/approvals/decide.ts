/**
 * One decision on one ticket: asked for once, however often a button is hit or a key repeats. Neighbours: the forms call
 * it; `tickets.ts` takes what the gateway answers. Nothing is shown as decided before the gateway has said so.
 */
import { useRef, useState } from 'react'
import type { DecisionOrder } from '../../src/api/types.ts'
import type { Ticket } from '../../src/approvals/ticket.ts'
import { api, ApiError, leaveIfRefused, toSentence } from '../core/api.ts'
import { personName } from '../core/preferences.ts'
import { askAgain, noteAnswer } from './tickets.ts'

export type Order = Omit<DecisionOrder, 'by'>

export interface Deciding {
  readonly isSending: boolean
  /** `field`: what was written is not right. `second`: somebody else was first. */
  readonly fault: { readonly at: 'field' | 'second' | 'gateway'; readonly says: string } | undefined
  /** What waits for the person's name. */
  readonly unnamed: Order | undefined
  decide(order: Order): void
  /** Their name is known now, or they do not want to say it. */
  giveName(name: string | undefined): void
  clearFault(): void
}

export function useDecide({ ticket }: Pick<Ticket, 'ticket'>): Deciding {
  const isBusy = useRef(false)
  const [isSending, setSending] = useState(false)
  const [fault, setFault] = useState<Deciding['fault']>()
  const [unnamed, setUnnamed] = useState<Order>()

  async function send(order: Order): Promise<void> {
    if (isBusy.current) return
    isBusy.current = true
    setSending(true)
    setFault(undefined)
    try {
      noteAnswer(await api.decide(ticket, { ...order, by: personName.get() }))
    } catch (error) {
      leaveIfRefused(error)
      setFault(toFault(error))
      await askAgain(ticket)
    } finally {
      isBusy.current = false
      setSending(false)
    }
  }

  return {
    isSending,
    fault,
    unnamed,
    decide(order) {
      if (personName.get().trim() === '') setUnnamed(order)
      else void send(order)
    },
    giveName(name) {
      const order = unnamed
      setUnnamed(undefined)
      if (name === undefined) return
      personName.set(name)
      if (order !== undefined) void send(order)
    },
    clearFault: () => setFault(undefined),
  }
}

function toFault(error: unknown): NonNullable<Deciding['fault']> {
  const status = error instanceof ApiError ? error.status : 0
  const says = toSentence(error)
  if (status === 400) return { at: 'field', says }
  if (status === 409) return { at: 'second', says: `You came second. ${says}.` }
  return { at: 'gateway', says }
}
