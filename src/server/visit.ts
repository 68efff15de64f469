/**
 * One request as it arrives: what it is for, by which configuration it is served, and who it is in logs.
 * Neighbours: `gateway.ts` makes one per request; `exchange/` gets its part of it. Lets nobody in.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Endpoint } from '../exchange/endpoint.ts'
import type { Client, ExchangeInput } from '../exchange/exchange.ts'
import { createRequestId, readRequestId, readTrace } from '../exchange/trace-context.ts'
import { findPath, type Found } from './paths.ts'
import type { GatewayState } from './state.ts'

export interface Visit {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
  readonly found: Found
  /** With its question mark, or nothing. */
  readonly query: string
  readonly state: GatewayState
}

/** How the path of a request is logged that nobody serves. */
const NOWHERE: Endpoint = {
  method: 'GET',
  pattern: '(none)',
  wire: 'openai-chat',
  kind: 'about',
  path: '',
}

export function toVisit(
  request: IncomingMessage,
  response: ServerResponse,
  state: GatewayState,
): Visit {
  const { url = '/', method = '' } = request
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const { random } = state.room
  return {
    request,
    response,
    id: readRequestId(header(request, 'x-request-id'), () => createRequestId(random)),
    found: findPath(method, path, request.headers['anthropic-version'] !== undefined),
    query: mark === -1 ? '' : url.slice(mark),
    state,
  }
}

export function toInput(visit: Visit, client: Client): ExchangeInput {
  const { request, response, id, found, query, state } = visit
  return {
    room: state.room,
    endpoint: found.type === 'endpoint' ? found.endpoint : { ...NOWHERE, wire: wireOf(found) },
    answerId: found.type === 'endpoint' ? found.answerId : undefined,
    query,
    request,
    response,
    client,
    id,
    trace: readTrace(
      { traceparent: header(request, 'traceparent'), tracestate: header(request, 'tracestate') },
      state.room.random,
    ),
  }
}

/** In whose words a request is answered. */
export const wireOf = (found: Found): Endpoint['wire'] =>
  found.type === 'endpoint'
    ? found.endpoint.wire
    : found.type === 'own' || found.type === 'api' || found.type === 'page'
      ? 'openai-chat'
      : found.wire

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}
