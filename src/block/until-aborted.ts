/**
 * A source, read until a signal says stop: also while it is silent, and without waiting for it then.
 * Neighbours: `processor.ts`. Imports nothing.
 */
export async function* untilAborted<Item>(
  source: AsyncIterable<Item> | Iterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item> {
  const iterator: AsyncIterator<Item> | Iterator<Item> =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  // One listener for all items: racing each against one promise would keep them all alive.
  let stop: (() => void) | undefined
  const onAbort = (): void => stop?.()
  signal.addEventListener('abort', onAbort)
  let isOver = false
  try {
    while (!signal.aborted) {
      const next = await new Promise<IteratorResult<Item> | undefined>((resolve, reject) => {
        stop = () => resolve(undefined)
        Promise.resolve(iterator.next()).then(resolve, reject)
      })
      if (next === undefined) return
      if (next.done === true) {
        isOver = true
        return
      }
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    if (!isOver) await leave(iterator, signal)
  }
}

/** Tells the source that nobody reads on. One that hangs is told, but not waited for. */
async function leave<Item>(
  iterator: AsyncIterator<Item> | Iterator<Item>,
  signal: AbortSignal,
): Promise<void> {
  const left = Promise.resolve(iterator.return?.())
  if (signal.aborted) left.catch(() => undefined)
  else await left
}
