/**
 * Steps → what happens on a socket. Neighbours: `faulty-upstream-faults.ts` says the steps, `faulty-upstream.ts` has a
 * request to answer. No faster than the other side reads, and over as soon as it leaves.
 */
import type { ServerResponse } from 'node:http'
import type { Step } from './faulty-upstream-faults.ts'

/** How an answer ended: `left` where the other side went away before it was over. */
export type Played = 'over' | 'left'

export function play(steps: Iterable<Step>, response: ServerResponse): Promise<Played> {
  const coming = steps[Symbol.iterator]()
  return new Promise((resolve) => {
    let isOver = false
    let cancel = (): void => {}
    const finish = (how: Played): void => {
      if (isOver) return
      isOver = true
      cancel()
      resolve(how)
    }
    if (response.destroyed) return finish('left')
    response.on('close', () => finish(response.writableFinished ? 'over' : 'left'))
    response.on('drain', goOn)

    function goOn(): void {
      while (!isOver) {
        const next = coming.next()
        if (next.done === true || !take(next.value)) return
      }
    }

    /** False where the next step has to wait. */
    function take(step: Step): boolean {
      const { socket } = response
      switch (step.type) {
        case 'head':
          response.writeHead(step.status, { ...step.headers })
          response.flushHeaders()
          return true
        case 'write':
          return response.write(step.bytes)
        case 'raw':
          socket?.write(step.text)
          return true
        case 'wait':
          cancel = later(step.ms, goOn)
          return false
        case 'end':
          response.end()
          if (step.thenClose !== undefined) later(step.thenClose, () => socket?.destroy())
          return false
        case 'hang':
          return false
        case 'close':
          finish('over')
          // What was written goes out before it.
          socket?.destroySoon()
          return false
        case 'reset':
          finish('over')
          socket?.resetAndDestroy()
          return false
      }
    }

    goOn()
  })
}

/** Gives back what calls it off. */
function later(ms: number, run: () => void): () => void {
  if (ms === 0) {
    const turn = setImmediate(run)
    return () => clearImmediate(turn)
  }
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
