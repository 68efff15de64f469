/**
 * What one gateway writes into its books → the others' books: what keys have spent, which upstream keeps which answer,
 * what was said before. Neighbours: `circle.ts` carries it. The books know nothing of others.
 */
import { createOrigins, type Origins } from '../exchange/origins.ts'
import type { Journal } from '../session/journal.ts'
import { createSessions, type Sessions } from '../session/sessions.ts'
import type { Circle, News } from './circle.ts'
import { createLedger, UNDER_WAY_MS, type Ledger } from './ledger.ts'

export interface SharedBooks {
  readonly ledger: Ledger
  readonly origins: Origins
  readonly sessions: Sessions
  close(): void
}

/** Exchanges begin and end often: how many are under way is told in steps. */
const UNDER_WAY_STEP_MS = 50

export function createSharedBooks(circle: Circle): SharedBooks {
  let step: NodeJS.Timeout | undefined
  const tellUnderWay = (): void => {
    step = undefined
    circle.tell({ type: 'under-way', underWay: ledger.underWay() })
  }
  const ledger = createLedger(
    (spent) => circle.tell({ type: 'spent', spent: [spent] }),
    Date.now,
    () => void (step ??= setTimeout(tellUnderWay, UNDER_WAY_STEP_MS).unref()),
  )
  const origins = createOrigins({
    onNote: (origin) => circle.tell({ type: 'origins', origins: [origin] }),
  })
  const sessions = createSessions({
    now: () => performance.now(),
    onKeep: (entry) => circle.tell({ type: 'sessions', entries: [entry] }),
  })
  // Whoever starts later has not heard it, and whoever has not heard it for long takes it for over.
  const again = setInterval(() => {
    if (Object.keys(ledger.underWay()).length > 0) tellUnderWay()
  }, UNDER_WAY_MS / 2).unref()
  const stop = followBooks({ ledger, origins, sessions }, circle)
  return {
    ledger,
    origins,
    sessions,
    close() {
      clearInterval(again)
      clearTimeout(step)
      stop()
    },
  }
}

export interface Books {
  readonly ledger: Ledger
  readonly origins: Origins
  /** The sessions of a gateway, or what a first process writes down of them. */
  readonly sessions: Pick<Journal, 'add'>
}

/** Writes down what others tell. Gives back how to stop. */
export function followBooks(books: Books, circle: Pick<Circle, 'onLetter' | 'onGone'>): () => void {
  const stops = [
    circle.onLetter(({ from, news }) => {
      if (news.type === 'under-way') books.ledger.setUnderWay(from, news.underWay)
      else learn(books, news)
    }),
    circle.onGone(books.ledger.forget),
  ]
  return () => stops.forEach((stop) => stop())
}

function learn({ ledger, origins, sessions }: Books, news: News): void {
  if (news.type === 'spent') for (const spent of news.spent) ledger.add(spent)
  else if (news.type === 'origins') for (const origin of news.origins) origins.add(origin)
  else if (news.type === 'sessions') for (const entry of news.entries) sessions.add(entry)
}

/** All that one who starts now must know. */
export const standingOf = ({
  ledger,
  origins,
  sessions,
}: Pick<Books, 'ledger' | 'origins'> & { readonly sessions: Journal }): readonly News[] => [
  { type: 'spent', spent: ledger.standing() },
  { type: 'origins', origins: origins.all() },
  { type: 'sessions', entries: sessions.all() },
]
