/**
 * Which upstream keeps which answer, for clients that come back to one by its id. Kept per client key, so
 * that none can ask for another's. Bounded: the oldest is forgotten. Neighbours: `exchange.ts`.
 */
export interface Origins {
  note(key: string | undefined, answerId: string, upstream: string): void
  find(key: string | undefined, answerId: string): string | undefined
}

const MAX_ANSWERS = 20_000

export function createOrigins(max: number = MAX_ANSWERS): Origins {
  const upstreams = new Map<string, string>()
  const toName = (key: string | undefined, id: string): string => JSON.stringify([key ?? null, id])
  return {
    note(key, answerId, upstream) {
      if (answerId === '' || answerId.length > 256) return
      const name = toName(key, answerId)
      upstreams.delete(name)
      upstreams.set(name, upstream)
      if (upstreams.size <= max) return
      const [oldest] = upstreams.keys()
      if (oldest !== undefined) upstreams.delete(oldest)
    },
    find: (key, answerId) => upstreams.get(toName(key, answerId)),
  }
}
