/**
 * A Chat client's body to a request of ours, and to how it wants its answer. Neighbours:
 * `request-read-messages.ts`, `-tools.ts` and `-settings.ts` read its three parts; `request-write.ts` goes the
 * other way. Never throws: what cannot be meant is a problem with its path.
 */
import { toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import { makeRequest } from '../../request/make-request.ts'
import type { ReadRequest } from '../../request/write.ts'
import type { EncoderOptions } from '../wire.ts'
import { NAME } from './json.ts'
import { createProblems, describe } from './request-fields.ts'
import { readMessages } from './request-read-messages.ts'
import { readSettings, type Found } from './request-read-settings.ts'
import { readToolChoice, readTools } from './request-read-tools.ts'

export function readRequest(body: JsonObject): ReadRequest {
  const problems = createProblems()
  const model = toText(body['model'])
  if (model === undefined)
    problems.add('model', `Name the model in a string: got ${describe(body['model'])}`)
  const { system, turns } = readMessages(body, problems)
  const tools = readTools(body, problems)
  const toolChoice = readToolChoice(body, tools, problems)
  const found: Found = { lost: new Set(), needed: [] }
  const settings = readSettings(body, problems, found)
  const problem = problems.first
  if (problem !== undefined) return { ok: false, problem }
  const request = makeRequest(
    {
      source: { wire: NAME, body },
      model: model ?? '',
      isStream: body['stream'] === true,
      system,
      turns,
      tools,
      toolChoice,
      lost: [...found.lost],
      needed: found.needed,
    },
    settings,
  )
  return { ok: true, request }
}

/** How the client wants an answer of another wire told. */
export const toEncoderOptions = (body: JsonObject): EncoderOptions => ({
  includeUsage: toObject(body['stream_options'])?.['include_usage'] === true,
  customTools: toList(body['tools']).some((tool) => toObject(tool)?.['type'] === 'custom'),
})
