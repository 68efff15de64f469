/**
 * Who makes an upstream wait: a client that does not read, a policy that is behind. It goes on when nobody does any more.
 * Neighbours: `live.ts`; `heartbeat.ts` is told, because the silence that follows is not the upstream's own.
 */
import type { UpstreamCall } from '../upstream/upstream.ts'
import type { Heartbeat } from './heartbeat.ts'

export class Brake {
  private readonly call: UpstreamCall
  private readonly beat: Heartbeat
  private readonly isHeld = { client: false, policy: false }

  constructor(call: UpstreamCall, beat: Heartbeat) {
    this.call = call
    this.beat = beat
  }

  hold(who: 'client' | 'policy'): void {
    if (!this.isHeld.client && !this.isHeld.policy) {
      this.call.pause()
      this.beat.paused()
    }
    this.isHeld[who] = true
  }

  letGo(who: 'client' | 'policy'): void {
    this.isHeld[who] = false
    if (this.isHeld.client || this.isHeld.policy) return
    this.beat.resumed()
    this.call.resume()
  }
}
