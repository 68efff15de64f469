/**
 * A few blocks with each frame, over all turns that are in sight: whoever jumps to the other end of a long conversation
 * brings a hundred blocks into sight at once, and to draw them all would stop the page. Neighbours: `turn.tsx`.
 */
import { useEffect, useState } from 'react'

/** At first, and with each frame that follows. */
const FIRST = 2
const STEP = 3

const waiting = new Set<() => void>()
let isRunning = false

/** How many of `total` may be drawn now. */
export function useReveal(total: number): number {
  const [count, setCount] = useState(FIRST)
  const isDone = count >= total
  useEffect(() => {
    if (isDone) return undefined
    const more = (): void => setCount((before) => before + STEP)
    waiting.add(more)
    run()
    return () => void waiting.delete(more)
  }, [isDone, count])
  return Math.min(count, total)
}

/** One turn per frame, in the order in which they came. */
function run(): void {
  if (isRunning) return
  isRunning = true
  requestAnimationFrame(() => {
    isRunning = false
    const [next] = waiting
    if (next === undefined) return
    waiting.delete(next)
    next()
    if (waiting.size > 0) run()
  })
}
