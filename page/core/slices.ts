/**
 * Long work in short steps, so that the page answers meanwhile. Neighbours: whoever reads bodies of megabytes. Knows
 * nothing of what is done.
 */
const BUDGET_MS = 12

/** Asked between two steps: waits a moment when the last one was long ago. Throws where nobody wants it any more. */
export type Breathe = () => Promise<void> | undefined

export function createSlices(signal?: AbortSignal, budgetMs = BUDGET_MS): Breathe {
  let since = performance.now()
  return () => {
    if (performance.now() - since < budgetMs) return undefined
    return pause().then(() => {
      signal?.throwIfAborted()
      since = performance.now()
    })
  }
}

/** Until everything that waits was done: keys, clicks, a frame. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(undefined)
  })
}
