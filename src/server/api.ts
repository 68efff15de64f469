/**
 * The admin API under `/api`: records, approvals, policies, the kill switch. One table (`api/routes.ts`) says which paths
 * there are and what they take; here each has its handler. Neighbours: `gateway.ts` has checked host and origin;
 * `api-*.ts` are its parts; the page and the command line ask by it. Every path needs the admin token; a ticket may be
 * decided with its own.
 */
import { toOpenApi } from '../api/openapi.ts'
import { readParams } from '../api/params.ts'
import { toRoute, type RouteName } from '../api/routes.ts'
import { bearerOf, isSameSecret } from './admin.ts'
import { fail, say, send, type Reply } from './api-answer.ts'
import { answerApprovals, decideApproval, showApproval } from './api-approvals.ts'
import { createBacktestHandlers } from './api-backtests.ts'
import { answerBlocks } from './api-blocks.ts'
import { readJson } from './api-body.ts'
import { serveEvents } from './api-events.ts'
import { createExchangeHandlers, idOf } from './api-exchanges.ts'
import { turnHalt } from './api-halt.ts'
import type { ApiOptions, Ask, Handler } from './api-handler.ts'
import { answerHealth } from './api-health.ts'
import { createHistoryHandlers } from './api-history.ts'
import { createKeyHandlers } from './api-keys.ts'
import { serveLive } from './api-live.ts'
import { answerPolicies, turnPolicy } from './api-policies.ts'
import { createPolicyHandlers } from './api-policy-edits.ts'
import {
  findRoute,
  PATHS,
  ticketOf,
  toUnknownPath,
  toWrongMethod,
  type FoundPath,
} from './api-route.ts'
import { createAskStore, RECORDS_OFF } from './api-store.ts'
import { createStreams, type Streams } from './api-stream.ts'
import { VERSION } from './version.ts'
import type { Visit } from './visit.ts'

export interface Api {
  serve(visit: Visit, path: string): Promise<void>
  /** Ends what stays open by itself. */
  close(): void
}

export function createApi(options: ApiOptions): Api {
  const { approvals } = options
  const streams = createStreams()
  const handlers = createHandlers(options, streams)

  async function serve(visit: Visit, path: string): Promise<void> {
    const method = visit.request.method ?? ''
    const found = findRoute(path)
    // Who has no token learns nothing, not even which paths there are.
    const who = await findOut(visit, found, method)
    if (who === undefined) return send(visit, toUnauthorized(visit))
    if (found === undefined) return send(visit, toUnknownPath(path))
    const name = found.routes.get(method)
    if (name === undefined) return send(visit, toWrongMethod(method, found))
    const reply = await answer(visit, name, { who, params: found.params })
    if (reply !== undefined) send(visit, reply)
  }

  /** The admin, or whoever has the token of that ticket. */
  async function findOut(
    { request, query }: Visit,
    found: FoundPath | undefined,
    method: string,
  ): Promise<Ask['who'] | undefined> {
    const bearer = bearerOf(request.headers)
    if (bearer !== undefined && isSameSecret(bearer, options.token())) return 'admin'
    const ticket = found === undefined ? undefined : ticketOf(found, method)
    const own = bearer ?? new URLSearchParams(query).get('token')
    if (ticket === undefined || own === null) return undefined
    return (await approvals.isToken(ticket, own)) ? 'link' : undefined
  }

  async function answer(
    visit: Visit,
    name: RouteName,
    given: Pick<Ask, 'who' | 'params'>,
  ): Promise<Reply | undefined> {
    const { query = {}, body: takes } = toRoute(name)
    const values = readParams(query, visit.query, Date.now())
    if (values instanceof Error) return fail(400, values.message)
    const body = takes === undefined ? {} : await readJson(visit.request, options.ticker)
    if (body instanceof Error) return fail(400, body.message)
    return (await handlers[name]({ visit, values, body, ...given })) ?? undefined
  }

  return { serve, close: streams.close }
}

/** One for each row of the table: a row without one does not compile. */
function createHandlers(
  options: ApiOptions,
  streams: Streams,
): Readonly<Record<RouteName, Handler>> {
  const { approvals, halt, log } = options
  const askStore = createAskStore(options)
  const exchanges = createExchangeHandlers(askStore)
  const history = createHistoryHandlers(askStore, Date.now)
  const backtests = createBacktestHandlers(options)
  const written = createPolicyHandlers(options, askStore)
  const keys = createKeyHandlers(options, askStore)
  const document = toOpenApi(VERSION)
  return {
    'GET /api': () => say({ name: 'sluice', version: VERSION, paths: PATHS }),
    'GET /api/openapi.json': () => say(document),
    'GET /api/health': () => answerHealth(options),
    'GET /api/config': () => say(options.config?.() ?? NO_CONFIG),
    'GET /api/keys': keys.list,
    'POST /api/keys': keys.create,
    'DELETE /api/keys/{name}': keys.revoke,
    'GET /api/events': ({ visit, values }) =>
      serveEvents(visit, options, { streams, hasFrames: values['frames'] === 'all' }),
    'GET /api/exchanges': exchanges.list,
    'DELETE /api/exchanges': exchanges.removeMany,
    'GET /api/exchanges/{id}': exchanges.show,
    'DELETE /api/exchanges/{id}': exchanges.remove,
    'GET /api/exchanges/{id}/bodies/{kind}': exchanges.body,
    'GET /api/exchanges/{id}/bodies/{kind}/times': exchanges.times,
    'GET /api/exchanges/{id}/blocks': ({ params }) =>
      askStore(({ store }) => answerBlocks(store, idOf(params))),
    'GET /api/exchanges/{id}/live': async ({ visit, params }) => {
      const records = options.records?.()
      if (records === undefined) return fail(503, RECORDS_OFF)
      return await serveLive(visit, records, { streams, id: idOf(params) })
    },
    'GET /api/conversations': history.conversations,
    'GET /api/conversations/{id}': history.conversation,
    'GET /api/verdicts': history.verdicts,
    'GET /api/verdicts/verify': history.verify,
    'GET /api/stats': history.stats,
    'GET /api/policies': () => answerPolicies(options),
    'POST /api/policies': written.add,
    'POST /api/policies/check': written.check,
    'GET /api/policies/{name}/source': written.source,
    'GET /api/policies/{name}/versions': written.versions,
    'POST /api/policies/{name}/versions': written.edit,
    'POST /api/policies/{name}/rollback': written.rollBack,
    'GET /api/policies/summary': history.policies,
    'POST /api/policies/{name}/mode': ({ params, body }) =>
      turnPolicy(options, askStore, { name: params['name'] ?? '', order: body }),
    'GET /api/policies/halt': () => say(halt.state()),
    'POST /api/policies/halt': ({ body }) => turnHalt(options, body),
    'GET /api/backtests': backtests.list,
    'POST /api/backtests': backtests.start,
    'GET /api/backtests/{id}': backtests.show,
    'DELETE /api/backtests/{id}': backtests.cancel,
    'GET /api/approvals': ({ values }) => answerApprovals(approvals, values['status']),
    'GET /api/approvals/{ticket}': ({ params }) => showApproval(approvals, params['ticket'] ?? ''),
    'POST /api/approvals/{ticket}': ({ params, body, who }) =>
      decideApproval({ approvals, log }, params['ticket'] ?? '', { by: who, ...body }),
  }
}

/** An API without a gateway behind it. */
const NO_CONFIG = { values: [], routes: [], warnings: [], notes: [] }

function toUnauthorized({ request }: Visit): Reply {
  const message =
    bearerOf(request.headers) === undefined
      ? 'Send the admin token as "authorization: Bearer …": it is under "admin" in the config, or was printed at the start'
      : 'This is not the admin token: it is under "admin" in the config, or was printed at the start'
  return fail(401, message, { 'www-authenticate': 'Bearer' })
}
