/** One value out of arguments, by its path. Neighbours: `approve.ts` and the words of its question. */
export function readArgument(args: unknown, path: readonly string[]): unknown {
  let at = args
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = (at as Readonly<Record<string, unknown>>)[name]
  }
  return at
}
