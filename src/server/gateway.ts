/**
 * The gateway: a listener whose requests are let in, served and reported. Neighbours: `paths.ts`,
 * `access.ts` and `ledger.ts` decide who is served what, `exchange/` serves it, `telemetry/` says so.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createBag } from '../base/bag.ts'
import type { KeySettings, Settings } from '../config/settings.ts'
import { createModelCaller } from '../exchange/call-model.ts'
import { runExchange, type Client, type ExchangeInput } from '../exchange/exchange.ts'
import type { Endpoint } from '../exchange/endpoint.ts'
import { createSampler } from '../exchange/check.ts'
import { createCounts } from '../exchange/count.ts'
import { createOrigins } from '../exchange/origins.ts'
import { toStatus } from '../exchange/fault-status.ts'
import { refuse } from '../exchange/refuse.ts'
import type { ExchangeReport } from '../exchange/report.ts'
import { createRequestId } from '../exchange/trace-context.ts'
import { createTicker } from '../exchange/ticker.ts'
import { totalInput } from '../event/usage.ts'
import { createMemories } from '../policy/memories.ts'
import { createSessions } from '../session/sessions.ts'
import { createCounter } from '../tokens/counter.ts'
import { createLog } from '../telemetry/log.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { WIRES } from '../wire/wires.ts'
import { checkSource } from './access.ts'
import { toUpstreamViews } from './api-health.ts'
import { toConfigView } from './config-view.ts'
import { createDoorman } from './doorman.ts'
import type { Gateway, GatewayOptions } from './gateway-options.ts'
import { createOffice } from './office.ts'
import { createLedger } from '../shared/ledger.ts'
import { createLate } from './late.ts'
import { createDenials, RETRY, TOO_MANY, toMissing, UNREAD } from './denials.ts'
import { closeListener, createListener, keepListener, listen, refuseOpen } from './listener.ts'
import { createModelList } from './models.ts'
import { answerPreflight, allowOrigin } from './origin.ts'
import { answerMetrics, answerModels, answerOpen, isOpenPath } from './own.ts'
import { shareModes, withKeptBooks, withOthers } from './others.ts'
import { withOwnRecords } from './own-records.ts'
import { createPage } from './page.ts'
import type { Found } from './paths.ts'
import { createBacktests } from './backtests.ts'
import { createPolicyDesk } from './policy-desk.ts'
import { createPolicyModes } from './policy-modes.ts'
import { createRandomHex } from './random.ts'
import { createReplays } from './replays.ts'
import { createState, retire, untilReady } from './state.ts'
import { VERSION } from './version.ts'
import { toInput, toVisit, wireOf, type Visit } from './visit.ts'

export type { Gateway, GatewayOptions } from './gateway-options.ts'

/** Records are opened and closed here where the settings want some and none are given. */
export async function startGateway(
  settings: Settings,
  options: GatewayOptions = {},
): Promise<Gateway> {
  refuseOpen(settings)
  return await withOthers(settings, options, (of, shared) =>
    withOwnRecords(of, shared, (its, recorded) => withKeptBooks(its, recorded, runGateway)),
  )
}

async function runGateway(settings: Settings, options: GatewayOptions): Promise<Gateway> {
  const log = options.log ?? createLog(settings.log)
  const metrics = options.metrics ?? createMetrics({ version: VERSION })
  const ledger = options.ledger ?? createLedger()
  const random = createRandomHex()
  const ticker = createTicker()
  const { origins = createOrigins() } = options
  let url = ''
  const modes = shareModes(
    createPolicyModes({ store: () => options.records?.store, log, now: Date.now }),
    options.circle,
  )
  const doorman = createDoorman({ options, settings: () => state.settings, ledger, log })
  const desk = createPolicyDesk(
    modes,
    () => ({ ...state.settings, keys: doorman.keys() }),
    options.policies ?? [],
  )
  const office = createOffice(
    {
      settings: () => state.settings,
      url: () => url,
      log,
      ticker,
      own: options.policies ?? [],
      halt: options.halt,
      about: {
        records: () => options.records,
        gateway: () => ({
          open,
          isClosing,
          upstreams: toUpstreamViews(state),
          url: state.settings.admin.url ?? url,
          needsKey: doorman.needsKey(),
        }),
        keys: doorman.desk,
        config: () => toConfigView(state.settings, options.origin?.()),
        setPolicyMode: modes.set,
        policyDesk: desk,
        backtests: () => backtests,
      },
    },
    options.office,
  )
  const parts = {
    ticker,
    random,
    origins,
    policies: {
      approvals: office.approvals,
      halt: office.halt,
      memories: createMemories(),
      log,
      metrics,
      own: options.policies ?? [],
      modes,
    },
    sessions: options.sessions ?? createSessions({ now: () => ticker.now() }),
    counter: createCounter(),
    counts: createCounts(),
    isChecked: createSampler(),
    recorder: options.records?.recorder,
    catchUp: options.circle?.catchUp,
    onNotRecorded: metrics.notRecorded,
    createReplay: createReplays(options.replay, () => options.records?.store),
  }
  let state = createState(settings, parts)
  const backtests =
    options.records &&
    createBacktests({
      store: options.records.store,
      settings: desk.settings,
      policies: desk.policies,
      callModel: () => createModelCaller(state.room),
      createId: () => createRequestId(random).replace('req_', 'backtest_'),
    })
  let models = createModelList(state.targets, settings.routes, ticker)
  let open = 0
  let isClosing = false
  const running = createBag<Promise<unknown>>()
  const late = createLate(running, tell)
  const { deny, denyLimit } = createDenials(tell)
  const page = createPage(options.page)
  let onIdle = (): void => {}

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const visit = toVisit(request, response, state)
    const { id, found } = visit
    response.on('error', () => {}) // a client that resets its connection is a client that left
    serve(visit).catch((error: unknown) => {
      log.error('A request failed in the gateway itself', { id, error: toError(error) })
      refuse(visit, WIRES[wireOf(found)], {
        status: 500,
        fault: { kind: 'internal', message: 'The gateway could not serve this request' },
      })
    })
  }

  async function serve(visit: Visit): Promise<void> {
    const { request, response, found } = visit
    const { settings: now } = visit.state
    const source = checkSource(request, now, found.type === 'own' && found.path === '/')
    if (source !== undefined) return deny(visit, toStatus(source.kind, wireOf(found)), source)
    if (answerPreflight(request, response, now)) return
    allowOrigin(request, response, now)
    if (found.type === 'api') return await office.api.serve(visit, found.path)
    if (found.type === 'unknown')
      return deny(visit, 404, { kind: toMissing(found.wire), message: found.message })
    if (found.type === 'method') {
      const message = `${request.method} is not possible here: use ${found.allow.join(' or ')}`
      return deny(
        visit,
        405,
        { kind: 'invalid-request', message },
        { allow: found.allow.join(', ') },
      )
    }
    const served = page.serve(visit)
    if (served !== undefined || found.type === 'page') return await served
    if (found.type === 'own' && isOpenPath(found.path))
      return answerOpen(visit, found.path, { isClosing, open })
    const access = doorman.check(request.headers, now.keys)
    if (!access.ok) return deny(visit, access.status, access.fault, access.headers)
    const client: Client = {
      key: access.key?.name,
      models: access.key?.models,
      hasOwnCredential: access.hasOwnCredential,
    }
    if (found.type === 'own') return await answerOwn(visit, client, found)
    if (isClosing)
      return deny(
        visit,
        503,
        { kind: 'overloaded', message: 'The gateway is shutting down' },
        RETRY,
      )
    if (modes.isUnread()) return deny(visit, 503, UNREAD, RETRY)
    if (open >= now.limits.concurrent)
      return deny(visit, wireOf(found) === 'anthropic-messages' ? 529 : 503, TOO_MANY, RETRY)
    const limit =
      access.key === undefined ? undefined : ledger.begin(access.key, isFree(found.endpoint))
    if (limit !== undefined) return denyLimit(visit, client, limit)
    // Not awaited: whoever waits has a dozen small things for as long as the answer takes.
    return exchange(toInput(visit, client), access.key)
  }

  async function exchange(input: ExchangeInput, key: KeySettings | undefined): Promise<void> {
    open += 1
    metrics.opened()
    let tokens = 0
    let later: Promise<void> | undefined
    const run = runExchange(input, (work) => void (later = work))
    const place = running.add(run)
    try {
      const report = await run
      if (later === undefined) tell(report)
      else late.add(report, later)
      if (report.usage !== undefined)
        tokens = totalInput(report.usage) + (report.usage.outputTokens ?? 0)
    } finally {
      if (key !== undefined) ledger.end(key, tokens)
      running.remove(place)
      open -= 1
      metrics.closed()
      if (open === 0) onIdle()
    }
  }

  function tell(report: ExchangeReport): void {
    log.exchange(report)
    metrics.exchange(report)
    options.tracer?.exchange(report)
    options.onReport?.(report)
  }

  function readCircuits(): void {
    for (const [name, { breaker }] of state.targets) metrics.circuit(name, breaker.state)
    if (options.records !== undefined) metrics.records(options.records.health())
  }

  async function answerOwn(visit: Visit, client: Client, found: OwnFound): Promise<void> {
    if (found.path === '/metrics') {
      readCircuits()
      const { contentType, text } = metrics
      return await answerMetrics(visit, { contentType, text: options.metricsText ?? text })
    }
    if (await answerModels(visit, client, { models, model: found.id })) return
    deny(visit, 404, { kind: 'not-found', message: `There is no model "${found.id}" here` })
  }

  await untilReady(state)
  await options.ready
  modes.use(settings.policies, settings)
  await Promise.all([modes.refresh(), doorman.refresh()])
  const server = createListener(settings, handle)
  const address = await listen(server, settings).catch((error: unknown) => {
    modes.close()
    doorman.close()
    throw error
  })
  const { host } = settings.listen
  const shown = host.includes(':') ? `[${host}]` : host
  url = `${settings.tls === undefined ? 'http' : 'https'}://${shown}:${address.port}`
  return {
    url,
    port: address.port,
    adminToken: office.token,
    needsKey: doorman.needsKey,
    readCircuits,
    reload(given) {
      const next = keepListener(given, settings)
      refuseOpen(next)
      const before = state
      state = createState(next, parts, before)
      modes.use(next.policies, next)
      models = createModelList(state.targets, next.routes, ticker)
      for (const name of before.targets.keys())
        if (!state.targets.has(name)) metrics.circuit(name, 'gone')
      // Those under way may still ask an upstream that is not there any more: again, or after another.
      const after = state
      const begun: Promise<unknown>[] = []
      running.forEach((run) => begun.push(run))
      void Promise.allSettled(begun).then(() => retire(before, after).catch(() => {}))
      metrics.reload(true)
    },
    async close(graceMs = state.settings.grace) {
      isClosing = true
      modes.close()
      doorman.close()
      office.api.close()
      await backtests?.close()
      await closeListener(server, graceMs, () =>
        open === 0 ? Promise.resolve() : new Promise((resolve) => (onIdle = resolve)),
      )
      await late.close(graceMs)
      office.close()
      await retire(state).catch(() => {})
      await options.tracer?.close()
      if (options.log === undefined) await log.close()
    },
  }
}

type OwnFound = Extract<Found, { type: 'own' }>

/** What costs nothing at an upstream uses up no request of a key. */
const isFree = ({ kind, method, pattern }: Endpoint): boolean =>
  (kind === 'stored' && method === 'GET') || /\/(?:count_tokens|input_tokens)$/.test(pattern)
const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))
