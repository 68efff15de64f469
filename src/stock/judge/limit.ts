/**
 * Time that runs out: a signal for a deadline, a wait that ends with a signal. Neighbours: `judge.ts` sets the
 * deadline, `ask.ts` waits. Whoever is asked and does not listen to the signal is left alone.
 */

export interface Limit {
  readonly signal: AbortSignal
  /** Milliseconds that are left. */
  leftMs(): number
  /** It is over: whoever still works under it is told to stop. */
  end(): void
}

/** Ends with that signal, or after so long, with that reason. */
export function createLimit(outer: AbortSignal, ms: number, toReason: () => Error): Limit {
  const controller = new AbortController()
  const endsAt = performance.now() + ms
  const onAbort = (): void => controller.abort(outer.reason)
  const timer = setTimeout(() => controller.abort(toReason()), ms)
  outer.addEventListener('abort', onAbort, { once: true })
  if (outer.aborted) onAbort()
  return {
    signal: controller.signal,
    leftMs: () => endsAt - performance.now(),
    end() {
      clearTimeout(timer)
      outer.removeEventListener('abort', onAbort)
      controller.abort()
    },
  }
}

/** What comes of the promise, or the signal's reason when that is first. */
export async function untilAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  let onAbort = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(toError(signal.reason))
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

export const pause = (ms: number, signal: AbortSignal): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return untilAborted(passed, signal).finally(() => clearTimeout(timer))
}

export const toError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error(String(reason))
