/**
 * Everything that one configuration makes: upstreams, routes, keys. A reload makes a new one and keeps
 * what did not change; exchanges under way keep the one they began with. Neighbours: `gateway.ts`.
 */
import type { Settings } from '../config/settings.ts'
import type { ExchangeRoom } from '../exchange/exchange.ts'
import type { Origins } from '../exchange/origins.ts'
import { createTarget, type CreateReplay, type Target } from '../exchange/target.ts'
import type { Ticker } from '../exchange/ticker.ts'
import { createPolicyRoom, type PolicyParts } from './policy-room.ts'

export interface GatewayState {
  readonly settings: Settings
  readonly room: ExchangeRoom
  readonly targets: ReadonlyMap<string, Target>
}

export interface StateParts {
  readonly ticker: Ticker
  readonly origins: Origins
  readonly random: ExchangeRoom['random']
  readonly policies: PolicyParts
  readonly sessions: ExchangeRoom['sessions']
  readonly counter: ExchangeRoom['counter']
  readonly counts: ExchangeRoom['counts']
  readonly isChecked: ExchangeRoom['isChecked']
  readonly recorder: ExchangeRoom['recorder']
  readonly catchUp: ExchangeRoom['catchUp']
  onNotRecorded(): void
  readonly createReplay: CreateReplay
}

export function createState(
  settings: Settings,
  parts: StateParts,
  before?: GatewayState,
): GatewayState {
  const targets = new Map<string, Target>()
  for (const upstream of settings.upstreams) {
    const old = before?.targets.get(upstream.name)
    const isSame = old !== undefined && JSON.stringify(old.settings) === JSON.stringify(upstream)
    targets.set(upstream.name, isSame ? old : createTarget(upstream, parts.createReplay))
  }
  return {
    settings,
    targets,
    room: {
      ticker: parts.ticker,
      random: parts.random,
      origins: parts.origins,
      sessions: parts.sessions,
      counter: parts.counter,
      counts: parts.counts,
      isChecked: parts.isChecked,
      recorder: parts.recorder,
      catchUp: parts.catchUp,
      onNotRecorded: parts.onNotRecorded,
      policies: createPolicyRoom(settings, parts.policies, {
        routes: settings.routes,
        targets,
        ticker: parts.ticker,
        random: parts.random,
      }),
      routes: settings.routes,
      targets,
      limits: settings.limits,
      keepaliveMs: settings.keepalive,
      commit: settings.commit,
      isStrict: settings.isStrict,
    },
  }
}

/** Some upstreams have something to read before they can answer; one that cannot is a mistake of the settings. */
export async function untilReady({ targets }: GatewayState): Promise<void> {
  for (const { upstream } of targets.values()) await upstream.ready?.()
}

/** Closes what the new state does not use any more, once its exchanges are over. */
export async function retire(before: GatewayState, after?: GatewayState): Promise<void> {
  const kept = new Set(after?.targets.values())
  const gone = [...before.targets.values()].filter((target) => !kept.has(target))
  await Promise.all(gone.map(({ upstream }) => upstream.close()))
}
