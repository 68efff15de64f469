/**
 * A request of ours to a body that the API takes. Every field is one that it knows, and every value one that
 * the target model takes: unknown ones are a 400 there. Neighbours: `request-own.ts` for requests of this very
 * wire, `request-messages.ts` for the conversation; `request-read.ts` is the way back. The body is a pure
 * function of the request, in a fixed order of keys: the same history gives the same bytes.
 */
import type { JsonObject } from '../../base/json.ts'
import type { ModelRequest } from '../../request/request.ts'
import type { WriteOptions, WrittenRequest } from '../../request/write.ts'
import { ToolIds, ANY_ID } from '../ids.ts'
import { NAME } from './json.ts'
import { createDraft, type Draft } from './request-draft.ts'
import { writeFormat } from './request-format.ts'
import { lacksThinking } from './request-loop.ts'
import { limitMarks, markOf } from './request-marks.ts'
import { endMessages, writeMessages } from './request-messages.ts'
import { writeOwn } from './request-own.ts'
import { writeSampling } from './request-sampling.ts'
import { writeThinking, type WrittenThinking } from './request-thinking.ts'
import { writeTools } from './request-tools-write.ts'

/** Later versions take no sampling, and compatible servers know no other. */
const HEADERS = { 'anthropic-version': '2023-06-01' }

export function writeRequest(request: ModelRequest, options: WriteOptions): WrittenRequest {
  const draft = createDraft(request, options)
  return request.source.wire === NAME ? writeOwn(draft) : writeForeign(draft)
}

function writeForeign(draft: Draft): WrittenRequest {
  const { request, options, losses, problems, names } = draft
  noteFields(draft)
  const { tools, choice, isForced } = writeTools(draft)
  const { format, instruction } = writeFormat(draft)
  const spoken = writeMessages(draft)
  const { thinking, effort, isManual } = settle(writeThinking(draft, isForced), spoken, draft)
  const messages = endMessages(spoken, draft, !isManual && format === undefined)
  const system = writeSystem(draft, instruction)
  const config = { ...(effort && { effort }), ...(format && { format }) }
  const isWorded = (stop: string): boolean => stop.trim() !== ''
  const stop = request.stop.filter(isWorded)
  if (problems.first !== undefined) return { ok: false, problem: problems.first }
  const body: JsonObject = {
    model: options.model,
    max_tokens: draft.maxTokens,
    ...(system.length === 0 ? {} : { system }),
    messages: messages.map(({ role, content }) => ({ role, content })),
    ...(tools.length === 0 ? {} : { tools }),
    ...(choice && { tool_choice: choice }),
    ...(thinking && { thinking }),
    ...(Object.keys(config).length === 0 ? {} : { output_config: config }),
    ...writeSampling(draft, isManual),
    ...(stop.length === 0 ? {} : { stop_sequences: stop }),
    ...writeUser(request.user),
    ...writeTier(draft),
    ...writeCache(draft),
    stream: options.isStream,
  }
  return {
    ok: true,
    body: limitMarks(body),
    headers: HEADERS,
    losses: losses.list(),
    names,
    // Blanks alone are refused: we look for those ourselves.
    stop: request.stop.filter((one) => one !== '' && !isWorded(one)),
  }
}

/** What only the client's own wire has, and what this one has no field for. */
function noteFields({ request, losses, problems, spelling }: Draft): void {
  const [needed] = request.needed
  if (needed !== undefined) problems.refuse(needed.path, needed.message)
  for (const field of request.lost) losses.add('dropped', field)
  if (request.logprobs !== undefined)
    problems.refuse(spelling.logprobs, 'Leave it out: this upstream gives no log probabilities')
  if (request.verbosity !== undefined && request.verbosity !== 'medium')
    losses.add('dropped', spelling.verbosity)
}

/** Takes thinking back where the conversation does not allow it. */
function settle(
  written: WrittenThinking,
  messages: ReturnType<typeof writeMessages>,
  { losses, spelling }: Draft,
): WrittenThinking {
  const asJson = messages.map(({ role, content }) => ({ role, content }))
  if (!written.isManual || !lacksThinking(asJson)) return written
  losses.add('dropped', spelling.effort)
  return { thinking: { type: 'disabled' }, effort: undefined, isManual: false }
}

function writeSystem(
  { request, profile }: Draft,
  instruction: string | undefined,
): readonly JsonObject[] {
  const blocks = request.system
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, cache }) => ({ type: 'text', text, ...markOf(cache, profile) }))
  return instruction === undefined ? blocks : [...blocks, { type: 'text', text: instruction }]
}

const MAX_USER_CHARS = 128

/** Never anything else of the client's metadata: other keys are a 400. */
function writeUser(user: string | undefined): JsonObject {
  if (user === undefined || user === '') return {}
  const id = user.length > MAX_USER_CHARS ? new ToolIds(ANY_ID, MAX_USER_CHARS).take(user) : user
  return { metadata: { user_id: id } }
}

function writeTier({ request, profile, losses }: Draft): JsonObject {
  const tier = request.serviceTier
  if (tier === undefined) return {}
  if (profile.takesServiceTier && tier === 'auto') return { service_tier: 'auto' }
  if (profile.takesServiceTier && (tier === 'default' || tier === 'standard_only'))
    return { service_tier: 'standard_only' }
  if (tier !== 'auto' && tier !== 'default') losses.add('dropped', 'service_tier')
  return {}
}

/**
 * OpenAI caches by itself, and a client that names a key counts on it; here nothing is cached unasked. The mark
 * at the top moves with the conversation and leaves its messages as they are.
 */
function writeCache({ request, profile }: Draft): JsonObject {
  const { key, mark } = request.cache
  const hasOwn = request.turns.some(({ parts }) => parts.some(({ cache }) => cache !== undefined))
  if (mark === undefined && (key === undefined || hasOwn)) return {}
  return markOf(mark ?? {}, profile)
}
