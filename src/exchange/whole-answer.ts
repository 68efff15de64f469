/**
 * A body that has come whole, to what it is: an answer, an error, or something that no client of this wire
 * could read. Neighbours: `attempt.ts` has collected it.
 */
import { isObject, parseObject, type JsonObject } from '../base/json.ts'
import { losesDigits, parseExactObject } from '../base/json-exact.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { chain } from '../base/stage.ts'
import { createAssembler } from '../block/assemble.ts'
import type { StreamFault } from '../event/fault.ts'
import type { Usage } from '../event/usage.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import { isRetryable, readRetryAfter } from '../upstream/retry.ts'
import type { Headers } from '../upstream/upstream.ts'
import type { Wire } from '../wire/wire.ts'
import type { Attempted, JsonAnswer } from './attempted.ts'
import { isPassing, toKind, toStatus } from './fault-status.ts'

interface Whole {
  readonly status: number
  readonly headers: Headers
  readonly isEventStream: boolean
  readonly body: Buffer
}

/** A body that has come whole: an answer, an error, or something that is neither. */
export function toWhole(wire: Wire, name: string, whole: Whole): Attempted {
  const { status, headers, body } = whole
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && whole.isEventStream)
    return brokenStream(wire, name, whole) ?? { type: 'whole-stream', status, headers, body }
  const text = body.toString('utf8')
  const own = parseObject(text)
  const json = own ?? listedError(text)
  if (isSuccess && json !== undefined && wire.recognise(json) !== 'error')
    return { type: 'json', status, headers, body, json }
  if (json !== undefined && (!isSuccess || wire.recognise(json) === 'error')) {
    const said = wire.readError(json)
    // A status says more than a body that names no kind.
    const fault = said.kind === 'internal' && !isSuccess ? { ...said, kind: toKind(status) } : said
    return {
      type: 'failed',
      fault,
      status: isSuccess ? toStatus(fault.kind, wire.name) : toHonest(status),
      headers,
      // A list is of no wire: its clients find nothing in it.
      body: isRedirect(status) || own === undefined ? undefined : body,
      isRetryable: isSuccess ? isPassing(fault.kind) : isRetryable(status, headers),
      retryAfter: readRetryAfter(headers),
    }
  }
  const type = headers['content-type'] ?? 'no content type'
  const what = isRedirect(status)
    ? `redirected with ${status}: check its baseUrl`
    : `answered ${status} with ${type.slice(0, 60)}, which is no JSON object`
  return {
    type: 'failed',
    fault: {
      kind: isSuccess || isRedirect(status) ? 'bad-stream' : toKind(status),
      message: `Upstream "${name}" ${what}`,
    },
    status: isSuccess ? 502 : toHonest(status),
    headers,
    body: undefined,
    isRetryable: isSuccess ? false : isRetryable(status, headers),
    retryAfter: readRetryAfter(headers),
  }
}

/** A JSON answer for whoever writes it anew: with each digit of its numbers, where its wire has arguments as objects. */
export function readExactly(wire: Wire, { body, json }: JsonAnswer): JsonObject {
  if (wire.name !== 'anthropic-messages') return json
  const text = body.toString('utf8')
  return losesDigits(text) ? (parseExactObject(text) ?? json) : json
}

/** Gemini's servers put an error into a list, also on their compatible endpoint. */
function listedError(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    const list: unknown = JSON.parse(text)
    const first: unknown = Array.isArray(list) ? list[0] : undefined
    return isObject(first) && isObject(first['error']) ? first : undefined
  } catch {
    return undefined
  }
}

/** Nothing of a stream that was collected has left: one that broke off is a failure as any other. */
function brokenStream(wire: Wire, name: string, { headers, body }: Whole): Attempted | undefined {
  const { fault, usage } = lookOver(wire, name, body)
  if (fault === undefined) return undefined
  return {
    type: 'failed',
    fault,
    status: toStatus(fault.kind, wire.name),
    headers,
    body: undefined,
    isRetryable: isPassing(fault.kind),
    retryAfter: readRetryAfter(headers),
    usage,
  }
}

function lookOver(
  wire: Wire,
  name: string,
  body: Buffer,
): { readonly fault: StreamFault | undefined; readonly usage: Usage | undefined } {
  const stage = chain(createFrameDecoder(), wire.createDecoder())
  const assembler = createAssembler()
  try {
    for (const event of [...stage.push(body), ...stage.end()]) assembler.apply(event)
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    const message = `Upstream "${name}": ${error.message}`
    return { fault: { kind: 'bad-stream', message }, usage: assembler.state.usage }
  }
  return { fault: assembler.state.error, usage: assembler.state.usage }
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400

/** No client follows a redirect of a gateway. */
const toHonest = (status: number): number => (isRedirect(status) ? 502 : status)
