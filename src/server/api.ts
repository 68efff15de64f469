/**
 * The admin API under `/api`: approvals, the kill switch, what is installed. Few paths, so that a table and
 * `node:http` do. Neighbours: `gateway.ts` has checked host and origin; `api-*.ts` are its parts; the page and the
 * command line ask by it. Every path needs the admin token; a ticket may be decided with its own.
 */
import type { Approvals } from '../approvals/approvals.ts'
import type { HaltState, HaltSwitch } from '../approvals/halt.ts'
import { nearest } from '../base/nearest.ts'
import type { Ticker } from '../exchange/ticker.ts'
import type { Log } from '../telemetry/log.ts'
import { bearerOf, isSameSecret } from './admin.ts'
import { fail, say, send, type Reply } from './api-answer.ts'
import { answerApprovals, decideApproval, showApproval } from './api-approvals.ts'
import { readJson } from './api-body.ts'
import { createApiEvents } from './api-events.ts'
import { readHalt } from './api-halt.ts'
import type { PolicyView } from './api-policies.ts'
import type { Visit } from './visit.ts'

export interface ApiOptions {
  readonly approvals: Approvals
  readonly halt: HaltSwitch
  /** Turns the switch, in all processes where there are several. */
  setHalt(halted: boolean, by?: string, reason?: string): Promise<HaltState>
  policies(): readonly PolicyView[]
  token(): string
  readonly ticker: Ticker
  readonly log: Log
}

export interface Api {
  serve(visit: Visit, path: string): Promise<void>
  /** Ends what stays open by itself. */
  close(): void
}

const TICKET = /^\/api\/approvals\/([A-Za-z0-9-]{1,20})$/
const PATHS = [
  '/api',
  '/api/approvals',
  '/api/approvals/{ticket}',
  '/api/events',
  '/api/policies',
  '/api/policies/halt',
] as const
type Path = (typeof PATHS)[number]

const METHODS: Readonly<Record<Path, readonly string[]>> = {
  '/api': ['GET'],
  '/api/approvals': ['GET'],
  '/api/approvals/{ticket}': ['GET', 'POST'],
  '/api/events': ['GET'],
  '/api/policies': ['GET'],
  '/api/policies/halt': ['GET', 'POST'],
}

export function createApi(options: ApiOptions): Api {
  const { approvals, halt } = options
  const events = createApiEvents(approvals, halt)

  async function serve(visit: Visit, path: string): Promise<void> {
    const ticket = TICKET.exec(path)?.[1]
    const found = ticket === undefined ? PATHS.find((one) => one === path) : PATHS[2]
    // Who has no token learns nothing, not even which paths there are.
    const who = await findOut(visit, ticket)
    if (who === undefined) return send(visit, toUnauthorized(visit))
    if (found === undefined) return send(visit, fail(404, sayUnknown(path)))
    const method = visit.request.method ?? ''
    if (!METHODS[found].includes(method)) return send(visit, toWrongMethod(method, METHODS[found]))
    if (found === '/api/events') return await events.serve(visit)
    send(visit, await answer(visit, found, { ticket: ticket ?? '', who }))
  }

  /** The admin, or whoever has the token of that ticket: what they are called if they do not say. */
  async function findOut(
    { request, query }: Visit,
    ticket: string | undefined,
  ): Promise<'admin' | 'link' | undefined> {
    const bearer = bearerOf(request.headers)
    if (bearer !== undefined && isSameSecret(bearer, options.token())) return 'admin'
    const own = bearer ?? new URLSearchParams(query).get('token')
    if (ticket === undefined || own === null) return undefined
    return (await approvals.isToken(ticket, own)) ? 'link' : undefined
  }

  async function answer(
    visit: Visit,
    path: Path,
    { ticket, who }: { readonly ticket: string; readonly who: string },
  ): Promise<Reply> {
    const isPost = visit.request.method === 'POST'
    const body = isPost ? await readJson(visit.request, options.ticker) : {}
    if (body instanceof Error) return fail(400, body.message)
    switch (path) {
      case '/api':
        return say({ paths: PATHS.map((one) => `${METHODS[one].join(', ')} ${one}`) })
      case '/api/approvals':
        return answerApprovals(approvals, visit.query)
      case '/api/approvals/{ticket}':
        return isPost
          ? decideApproval({ approvals, log: options.log }, ticket, { by: who, ...body })
          : showApproval(approvals, ticket)
      case '/api/policies':
        return say({ policies: options.policies(), halt: halt.state() })
      case '/api/policies/halt':
        return isPost ? turnHalt(body) : say(halt.state())
      case '/api/events':
        return fail(404, sayUnknown(path))
    }
  }

  async function turnHalt(body: Readonly<Record<string, unknown>>): Promise<Reply> {
    const read = readHalt(body)
    if ('message' in read) return fail(400, read.message)
    const state = await options.setHalt(read.halted, read.by, read.reason)
    const words = read.halted ? 'All tool calls are halted' : 'Tool calls are let through again'
    options.log.warn(words, { by: read.by })
    return say(state)
  }

  return { serve, close: events.close }
}

function toUnauthorized({ request }: Visit): Reply {
  const message =
    bearerOf(request.headers) === undefined
      ? 'Send the admin token as "authorization: Bearer …": it is under "admin" in the config, or was printed at the start'
      : 'This is not the admin token: it is under "admin" in the config, or was printed at the start'
  return fail(401, message, { 'www-authenticate': 'Bearer' })
}

const toWrongMethod = (method: string, allow: readonly string[]): Reply =>
  fail(405, `${method} is not possible here: use ${allow.join(' or ')}`, {
    allow: allow.join(', '),
  })

function sayUnknown(path: string): string {
  const near = nearest(path.slice(0, 60), PATHS)
  return `There is no ${path.slice(0, 100)} here${near === undefined ? '' : `; did you mean ${near}?`}`
}
