/**
 * Rulings that are kept for a while, and questions that are asked once for all who ask the same at once. Neighbours:
 * `judge.ts`; `subject.ts` makes the keys. Bounded: what was not asked for the longest goes first.
 */

export interface Kept<Value> {
  find(key: string, now: number): Value | undefined
  keep(key: string, value: Value, now: number): void
}

export function createKept<Value>({
  entries,
  ttl,
}: {
  readonly entries: number
  readonly ttl: number
}): Kept<Value> {
  const kept = new Map<string, { readonly value: Value; readonly until: number }>()
  return {
    find(key, now) {
      const found = kept.get(key)
      if (found === undefined) return undefined
      kept.delete(key)
      if (now >= found.until) return undefined
      // Last again: maps remember the order in which they were filled.
      kept.set(key, found)
      return found.value
    },
    keep(key, value, now) {
      if (entries === 0) return
      kept.delete(key)
      kept.set(key, { value, until: now + ttl })
      const [oldest] = kept.keys()
      if (kept.size > entries && oldest !== undefined) kept.delete(oldest)
    },
  }
}

export interface Together<Value> {
  /** `isShared`: somebody else asked. If that one leaves before the answer, the question is asked anew. */
  run(
    key: string,
    signal: AbortSignal,
    ask: () => Promise<Value>,
  ): Promise<{ readonly value: Value; readonly isShared: boolean }>
}

export function createTogether<Value>(): Together<Value> {
  interface Asked {
    readonly value: Value
    /** Whoever asked was gone by then: what came of it is worth nothing to others. */
    readonly hasLeft: boolean
  }
  const underWay = new Map<string, Promise<Asked>>()

  async function lead(key: string, signal: AbortSignal, ask: () => Promise<Value>): Promise<Value> {
    const asked = ask().then((value) => ({ value, hasLeft: signal.aborted }))
    underWay.set(key, asked)
    try {
      return (await asked).value
    } finally {
      underWay.delete(key)
    }
  }

  return {
    async run(key, signal, ask) {
      for (;;) {
        const other = underWay.get(key)
        if (other === undefined) return { value: await lead(key, signal, ask), isShared: false }
        const { value, hasLeft } = await other
        if (!hasLeft || signal.aborted) return { value, isShared: true }
      }
    },
  }
}
