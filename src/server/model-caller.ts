/**
 * Models for policies that run outside of a gateway: a backtest on the command line asks the upstreams of a config.
 * Neighbours: `exchange/call-model.ts` asks; `state.ts` does the same for a gateway.
 */
import type { Settings } from '../config/settings.ts'
import { createModelCaller, type CallModel } from '../exchange/call-model.ts'
import { createTarget, type Target } from '../exchange/target.ts'
import { createTicker } from '../exchange/ticker.ts'
import { createRandomHex } from './random.ts'

export interface ModelCaller {
  readonly callModel: CallModel
  close(): Promise<void>
}

export function openModelCaller({
  upstreams,
  routes,
}: Pick<Settings, 'upstreams' | 'routes'>): ModelCaller {
  const targets = new Map<string, Target>()
  for (const upstream of upstreams)
    if (upstream.kind !== 'replay') targets.set(upstream.name, createTarget(upstream))
  return {
    callModel: createModelCaller({
      routes,
      targets,
      ticker: createTicker(),
      random: createRandomHex(),
    }),
    async close() {
      await Promise.all([...targets.values()].map(({ upstream }) => upstream.close()))
    },
  }
}
