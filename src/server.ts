/**
 * The gateway's public face, `sluice/server`: named exports, each one a promise. Neighbours: the rooms on
 * Node; `index.ts` is the face of the stream core, which needs none.
 */
export {
  demoSettings,
  loadConfig,
  loadConfigAsync,
  type Config,
  type LoadOptions,
} from './config/load.ts'
export type {
  KeySettings,
  LogSettings,
  PolicySettings,
  ServerLimits,
  Settings,
} from './config/settings.ts'
export type { Endpoint } from './exchange/endpoint.ts'
export type { Attempt, ExchangeReport, Trace } from './exchange/report.ts'
export type { RequestFacts } from './exchange/request.ts'
export type { Route } from './exchange/route.ts'
export { startGateway, type Gateway, type GatewayOptions } from './server/gateway.ts'
export { createLog, type Log } from './telemetry/log.ts'
