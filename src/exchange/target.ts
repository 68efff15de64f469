/**
 * An upstream with all that is known of it while the gateway runs. Neighbours: `server/` makes one per
 * upstream of the config and keeps it over a reload; `attempts.ts` asks it.
 */
import { createBreaker, type Breaker } from '../upstream/breaker.ts'
import { createDemoUpstream } from '../upstream/demo/demo.ts'
import { createHttpUpstream } from '../upstream/http.ts'
import type { UpstreamSettings } from '../upstream/settings.ts'
import type { Upstream } from '../upstream/upstream.ts'

export interface Target {
  readonly settings: UpstreamSettings
  readonly upstream: Upstream
  readonly breaker: Breaker
}

export function createTarget(settings: UpstreamSettings): Target {
  return {
    settings,
    upstream:
      settings.kind === 'demo' ? createDemoUpstream(settings) : createHttpUpstream(settings),
    breaker: createBreaker(settings.breaker),
  }
}
