/**
 * Our own request to a Responses body. Neighbours: `request-write-items.ts` writes the conversation,
 * `request-write-tools.ts` the tools, `request-write-settings.ts` the rest, `request-same.ts` a request that
 * was of this wire already. The body is a function of the request alone: no clock, no chance, no order of
 * arrival, so that the vendor finds in its cache what it has seen before.
 */
import type { JsonObject } from '../../base/json.ts'
import { createLossList } from '../../event/loss.ts'
import { createCallNames } from '../../request/call-names.ts'
import { withoutBilling } from '../../request/billing.ts'
import { pairCalls } from '../../request/pairing.ts'
import type { TextPart } from '../../request/part.ts'
import type { ModelRequest } from '../../request/request.ts'
import { NOTHING_SAID, type WriteOptions, type WrittenRequest } from '../../request/write.ts'
import { NAME } from './json.ts'
import { createNotes } from './request-notes.ts'
import { writeSame } from './request-same.ts'
import { writeItems, writeMessage } from './request-write-items.ts'
import type { Writing } from './request-write-parts.ts'
import { writeSettings } from './request-write-settings.ts'
import { writeTools } from './request-write-tools.ts'

export function writeRequest(request: ModelRequest, options: WriteOptions): WrittenRequest {
  if (request.source.wire === NAME) return writeSame(request, options)
  const { profile } = options
  const losses = createLossList()
  const notes = createNotes()
  for (const { path, message } of request.needed) notes.fail(path, message, 'unsupported')
  for (const what of request.lost) losses.add('dropped', what)
  const names = createCallNames({
    tools: request.tools,
    maxLength: profile.maxToolName,
    hasNamespaces: false,
  })
  if (isPrefilled(request) && !profile.takesPrefill)
    notes.fail(
      'messages',
      'Cannot let the model go on with an answer that was begun for it: end with a user message',
      'unsupported',
    )
  const writing = { profile, losses, notes, names, options }
  const turns = writeItems(pairCalls(request.turns, losses), writing)
  const system = writeSystem(request.system, writing, turns.length === 0)
  const input = [...system.items, ...turns]
  if (input.length === 0) notes.fail('messages', NOTHING_SAID)
  const tools = writeTools(request, writing)
  const body = {
    model: options.model,
    ...(system.instructions === undefined ? {} : { instructions: system.instructions }),
    input,
    ...tools,
    ...writeSettings(request, profile, losses),
    stream: options.isStream,
  }
  if (notes.problem !== undefined) return { ok: false, problem: notes.problem }
  return { ok: true, body, headers: {}, losses: losses.list(), names, stop: request.stop }
}

/**
 * Messages goes on with what the last message began, and its client puts the two together; no model here
 * does. Chat answers anew, as this wire does.
 */
function isPrefilled({ source, turns }: ModelRequest): boolean {
  const last = turns.at(-1)
  return (
    source.wire === 'anthropic-messages' &&
    last?.role === 'assistant' &&
    last.parts.at(-1)?.type === 'text'
  )
}

/** `isAlone`: nothing else is said, and an input without items is refused. */
function writeSystem(
  system: readonly TextPart[],
  writing: Writing,
  isAlone: boolean,
): { instructions?: string; items: readonly JsonObject[] } {
  const said = withoutBilling(system).filter(({ text }) => text !== '')
  const [only, ...others] = said
  if (only === undefined) return { items: [] }
  const isMarked = only.cache !== undefined && writing.profile.takesCacheMarks
  if (others.length === 0 && !isMarked && !isAlone) return { instructions: only.text, items: [] }
  return { items: writeMessage(writing.profile.systemRole, said, writing) }
}
