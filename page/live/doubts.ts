/**
 * Exchanges that are over and of which only the API can say whether they fit: texts, policies. They are asked for together
 * when their rows are committed. Neighbours: `live-model.ts`. What it needs of the world is handed in.
 */
export interface Doubts {
  add(id: string, startedAt: number): void
  recorded(id: string): void
}

interface DoubtsWorld {
  /** The ids of those since then that fit. */
  ask(since: number): Promise<ReadonlySet<string>>
  later(callback: () => void, ms: number): void
  /** The search learns of a text some time after its row is committed. */
  readonly isTextAsked: boolean
}

const SOON_MS = 120
const AGAIN_MS = 1000
const MAX_TRIES = 10
/** In a burst the newest are worth asking for, and scrolling finds the others. */
const MAX_DOUBTS = 500

export function createDoubts({ ask, later, isTextAsked }: DoubtsWorld): Doubts {
  const waiting = new Map<string, { readonly startedAt: number; tries: number }>()
  let ready = new Set<string>()
  let isPlanned = false

  function plan(ms: number): void {
    if (isPlanned) return
    isPlanned = true
    later(() => void look(), ms)
  }

  async function look(): Promise<void> {
    isPlanned = false
    const ids = [...ready]
    ready = new Set()
    const since = Math.min(...ids.map((id) => waiting.get(id)?.startedAt ?? Infinity))
    if (!Number.isFinite(since)) return
    // Not reached is not answered: they are asked for again.
    const found = await ask(since).catch(() => new Set<string>())
    for (const id of ids) settle(id, found.has(id))
    if (ready.size > 0) plan(AGAIN_MS)
  }

  function settle(id: string, isFound: boolean): void {
    const doubt = waiting.get(id)
    if (doubt === undefined) return
    doubt.tries += 1
    if (isFound || !isTextAsked || doubt.tries >= MAX_TRIES) waiting.delete(id)
    else ready.add(id)
  }

  return {
    add(id, startedAt) {
      waiting.set(id, { startedAt, tries: 0 })
      if (waiting.size > MAX_DOUBTS) waiting.delete(waiting.keys().next().value ?? '')
    },
    recorded(id) {
      if (!waiting.has(id)) return
      ready.add(id)
      plan(SOON_MS)
    },
  }
}
