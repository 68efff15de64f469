/**
 * The body of a call to the API: one JSON object, within a size and a time. Neighbours: `api.ts`.
 */
import type { IncomingMessage } from 'node:http'
import { parseObject, type JsonObject } from '../base/json.ts'
import { readBody } from '../exchange/body.ts'
import type { Ticker } from '../exchange/ticker.ts'

/** An edit may hold a file. */
const MAX_BYTES = 4 * 1024 * 1024
const MAX_MS = 30_000

/** The object, or an error whose message says what to do. */
export async function readJson(
  request: IncomingMessage,
  ticker: Ticker,
): Promise<JsonObject | Error> {
  const read = await readBody(request, { maxBytes: MAX_BYTES, maxMs: MAX_MS, ticker })
  if (read.type === 'left') return new Error('The client left')
  if (read.type === 'refused') return new Error(read.fault.message)
  return (
    parseObject(read.body.plain.toString('utf8')) ??
    new Error('The body is no JSON object: send one such as {"decision":"pass"}')
  )
}
