/**
 * What happens at a gateway, until its reader has enough; waits when the gateway is gone, and says so once. Neighbours:
 * `approvals-watch.ts` and `tail.ts`; `api/listen.ts` comes back by itself.
 */
import { ApiError } from '../api/call.ts'
import type { ApiClient } from '../api/client.ts'
import type { ApiEvent } from '../api/types.ts'
import { toSluiceError } from './api-client.ts'
import type { Output } from './output.ts'

export interface FollowOptions {
  readonly out: Output
  readonly err: Output
  readonly stop: AbortController
  /** Also the raw bytes of all exchanges. */
  readonly frames?: 'all'
  readonly onGone?: () => void
}

const AGAIN_MS = 1000
const LOOK_MS = 500

/** `take` gives back whether it goes on. */
export async function follow(
  api: ApiClient,
  { out, err, stop, frames, onGone }: FollowOptions,
  take: (event: ApiEvent) => Promise<boolean>,
): Promise<void> {
  let isTold = false
  const gone = (): void => {
    onGone?.()
    if (isTold) return
    isTold = true
    void err.line(err.style('dim', 'The gateway is gone: waiting for it'))
  }
  // That a reader has left is known a moment after the last line, and the next one may be far.
  const look = setInterval(() => (out.isGone ? stop.abort() : undefined), LOOK_MS)
  const events = api.events({ frames, signal: stop.signal, againMs: AGAIN_MS, onGone: gone })
  try {
    for await (const event of events) {
      isTold = false
      if (!(await take(event))) return
    }
  } catch (error) {
    throw error instanceof ApiError ? toSluiceError(error) : error
  } finally {
    clearInterval(look)
  }
}
