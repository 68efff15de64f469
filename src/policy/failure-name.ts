/**
 * What a log may say of an error that a policy threw. Neighbours: everybody who calls policies.
 */
const MAX_STACK_CHARS = 2000

/** Where it was thrown, and no words of it: they may have content in them. */
export function toFailureName(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  // The message stands first and may be the model's: a long one is not searched.
  const stack = (error.stack ?? '').slice(0, MAX_STACK_CHARS)
  const [, place] = /\n\s+at .*?\(?([^\s()]+:\d+:\d+)\)?/.exec(stack) ?? []
  return place === undefined ? error.name : `${error.name} at ${place}`
}
