/**
 * A request of this wire to this wire again: the client's own body, with another model perhaps, and without
 * what only another vendor could read. Whoever changed the conversation on the way finds the change in it.
 * Neighbours: `request-write.ts` asks. Leaves everything else as it came: the API judges it, not we.
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { ThinkingPart, ToolCallPart } from '../../request/part.ts'
import type { Turn } from '../../request/request.ts'
import type { WrittenRequest } from '../../request/write.ts'
import type { Draft } from './request-draft.ts'
import { lacksThinking } from './request-loop.ts'
import { callsLast, withRecalled } from './request-messages.ts'
import { createPartWriter, writeThought, type PartWriter } from './request-parts.ts'
import { createProblems } from './request-problems.ts'
import { readTools } from './request-tools.ts'
import { writeTools } from './request-tools-write.ts'
import { readSystem } from './request-turns.ts'

export function writeOwn(draft: Draft): WrittenRequest {
  const { request, options, losses } = draft
  const { body } = request.source
  const writer = createPartWriter(draft)
  const messages = request.turns.flatMap((turn) => writeTurn(turn, writer, draft))
  const isForeign = request.turns.some(({ parts }) =>
    parts.some((part) => part.type === 'thinking' && writeThought(part, draft) === undefined),
  )
  const written: JsonObject = {
    ...body,
    model: options.model,
    ...('stream' in body || options.isStream ? { stream: options.isStream } : {}),
    ...systemOf(draft, writer),
    messages,
    ...toolsOf(draft),
  }
  const isGone = isForeign || options.isUnsealed === true
  const isOff = isGone && isManual(body) && lacksThinking(messages)
  if (isOff) losses.add('dropped', 'thinking')
  if (draft.problems.first !== undefined) return { ok: false, problem: draft.problems.first }
  return {
    ok: true,
    body: isOff ? withoutThinking(written) : written,
    headers: {},
    losses: losses.list(),
    names: draft.names,
    stop: [],
  }
}

const isManual = (body: JsonObject): boolean => toObject(body['thinking'])?.['type'] === 'enabled'

/** An edit that clears thinking is refused where there is none. */
function withoutThinking(body: JsonObject): JsonObject {
  const { context_management: management, ...rest } = body
  const edits = toList(toObject(management)?.['edits']).filter(
    (edit) => toText(toObject(edit)?.['type'])?.startsWith('clear_thinking') !== true,
  )
  return {
    ...rest,
    thinking: { type: 'disabled' },
    ...(edits.length === 0 ? {} : { context_management: { ...toObject(management), edits } }),
  }
}

function writeTurn(turn: Turn, writer: PartWriter, draft: Draft): readonly JsonObject[] {
  const { vendor, role, parts } = turn
  const [only] = parts
  const text = vendor?.['content']
  // What was a string stays one.
  if (vendor !== undefined && typeof text === 'string' && parts.length === 1)
    if (only?.type === 'text' && only.text === text) return [vendor]
  const content = parts.map((part) => writer.write(part)).filter((block) => block !== undefined)
  const blocks = callsLast(recallThinking(content, parts, draft))
  // A message that was empty when it came is the client's affair.
  if (blocks.length === 0 && parts.length > 0) return []
  if (blocks.length === 0 && vendor !== undefined) return [vendor]
  return [{ role, ...vendor, content: blocks }]
}

/** In place of thinking that is another vendor's, what this one thought before the same call, if anything. */
function recallThinking(
  content: readonly JsonObject[],
  parts: Turn['parts'],
  draft: Draft,
): readonly JsonObject[] {
  const thoughts = parts.filter((part): part is ThinkingPart => part.type === 'thinking')
  const isGone = (part: ThinkingPart): boolean => writeThought(part, draft) === undefined
  if (thoughts.length === 0 || !thoughts.every(isGone)) return content
  const calls = parts.filter((part): part is ToolCallPart => part.type === 'tool-call')
  return withRecalled(
    content,
    calls.map(({ id }) => id),
    draft,
  )
}

/** The client's own prompt, unless somebody changed it: then ours, which lacks what is for billing only. */
function systemOf({ request }: Draft, writer: PartWriter): JsonObject {
  const { system } = request.source.body
  const before = readSystem(system, { problems: createProblems() })
  const isSame =
    before.length === request.system.length &&
    before.every((part, i) => part.text === request.system[i]?.text)
  return isSame
    ? {}
    : {
        system: request.system
          .map((part) => writer.write(part))
          .filter((block) => block !== undefined),
      }
}

function toolsOf(draft: Draft): JsonObject {
  const { request } = draft
  const before = readTools(request.source.body['tools'], createProblems())
  const isSame =
    before.length === request.tools.length &&
    before.every((tool, i) => tool.vendor === request.tools[i]?.vendor)
  if (isSame) return {}
  // One entry may stand for many tools.
  const own = new Set(request.tools.map(({ vendor }) => vendor).filter(isObject))
  const made = { ...draft, request: { ...request, tools: request.tools.filter((t) => !t.vendor) } }
  return { tools: [...own, ...writeTools(made).tools] }
}
