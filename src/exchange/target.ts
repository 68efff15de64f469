/**
 * An upstream with all that is known of it while the gateway runs. Neighbours: `server/` makes one per
 * upstream of the config and keeps it over a reload; `attempts.ts` asks it.
 */
import { SluiceError } from '../base/sluice-error.ts'
import { createBreaker, type Breaker } from '../upstream/breaker.ts'
import { createDemoUpstream } from '../upstream/demo/demo.ts'
import { createHttpUpstream } from '../upstream/http.ts'
import type { ReplayUpstreamSettings, UpstreamSettings } from '../upstream/settings.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { createTargetHealth, type TargetHealth } from './target-health.ts'
import { Trust } from './trust.ts'

export interface Target {
  readonly settings: UpstreamSettings
  readonly upstream: Upstream
  readonly breaker: Breaker
  readonly health: TargetHealth
  readonly trust: Trust
}

/** Makes the upstream that plays recordings: that room stands above this one. */
export type CreateReplay = (settings: ReplayUpstreamSettings) => Upstream

export function createTarget(
  settings: UpstreamSettings,
  createReplay: CreateReplay = noReplay,
): Target {
  const health = createTargetHealth()
  return {
    settings,
    upstream: health.count(createUpstream(settings, createReplay)),
    breaker: createBreaker(settings.breaker),
    health,
    trust: new Trust(),
  }
}

const noReplay: CreateReplay = ({ name }) => {
  throw new SluiceError('wrong-use', `There are no recordings for upstream "${name}" here`)
}

function createUpstream(settings: UpstreamSettings, createReplay: CreateReplay): Upstream {
  switch (settings.kind) {
    case 'demo':
      return createDemoUpstream(settings)
    case 'replay':
      return createReplay(settings)
    case 'http':
      return createHttpUpstream(settings)
  }
}
