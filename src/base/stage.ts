/**
 * The one shape of everything that streams. Neighbours: `sse/`, `wire/` and `block/`
 * are made of stages. Knows no frame and no wire; imports nothing.
 */
export interface Stage<In, Out> {
  /** Takes the next item and gives back what that completes, often nothing. */
  push(item: In): readonly Out[]
  /** The input is over: gives back what was still held. */
  end(): readonly Out[]
}

/** Two stages as one. Nothing is awaited between them: the way in is one loop per buffer read. */
export function chain<A, B, C>(first: Stage<A, B>, second: Stage<B, C>): Stage<A, C> {
  const onward = (items: readonly B[], out: C[]): C[] => {
    for (const item of items) for (const made of second.push(item)) out.push(made)
    return out
  }
  return {
    push: (item) => onward(first.push(item), []),
    end() {
      const out = onward(first.end(), [])
      for (const made of second.end()) out.push(made)
      return out
    },
  }
}
