/**
 * Which upstream keeps which answer, for clients that come back to one by its id. Kept per client key, so
 * that none can ask for another's. Bounded: the oldest is forgotten. Several workers tell each other
 * (`server/workers.ts`). Neighbours: `exchange.ts`, `previous-answer.ts`.
 */
export interface Origin {
  /** Of the client; none where there are no keys. */
  readonly key?: string | undefined
  readonly answerId: string
  readonly upstream: string
  /** It was delivered otherwise than its upstream keeps it: nobody may go on from it there. */
  readonly isChanged?: boolean
  /** Which conversation it is of, where policies have asked. */
  readonly conversation?: string
}

type Remarks = Pick<Origin, 'isChanged' | 'conversation'>

export interface Origins {
  note(key: string | undefined, answerId: string, upstream: string, remarks?: Remarks): void
  find(key: string | undefined, answerId: string): Origin | undefined
  /** What another worker noted. */
  add(origin: Origin): void
  /** All of them, the oldest first. */
  all(): readonly Origin[]
}

interface OriginsOptions {
  readonly max?: number
  /** Told of what was not known before. */
  onNote?(origin: Origin): void
}

const MAX_ANSWERS = 20_000

export function createOrigins({ max = MAX_ANSWERS, onNote }: OriginsOptions = {}): Origins {
  const origins = new Map<string, Origin>()
  const toName = (key: string | undefined, id: string): string => JSON.stringify([key ?? null, id])

  /** Whether that is news. */
  function keep(origin: Origin): boolean {
    const { key, answerId, upstream } = origin
    if (answerId === '' || answerId.length > 256) return false
    const name = toName(key, answerId)
    const before = origins.get(name)
    origins.delete(name)
    origins.set(name, origin)
    if (origins.size > max) {
      const [oldest] = origins.keys()
      if (oldest !== undefined) origins.delete(oldest)
    }
    return before?.upstream !== upstream || before.isChanged !== origin.isChanged
  }

  return {
    note(key, answerId, upstream, remarks) {
      const origin = { key, answerId, upstream, ...remarks }
      if (keep(origin)) onNote?.(origin)
    },
    find: (key, answerId) => origins.get(toName(key, answerId)),
    add(origin) {
      keep(origin)
    },
    all: () => [...origins.values()],
  }
}
