/**
 * A Responses body to our own request. Neighbours: `request-items.ts` reads the conversation,
 * `request-tools.ts` the tools, `request-settings.ts` the rest; `request-write.ts` is the way back. Does not
 * know what is stored: `previous_response_id`, `conversation` and items that are only named are filled in
 * by the exchange before, and left alone here.
 */
import { toText, type JsonObject } from '../../base/json.ts'
import type { TextPart } from '../../request/part.ts'
import { makeRequest } from '../../request/make-request.ts'
import type { ReadRequest } from '../../request/write.ts'
import { NAME } from './json.ts'
import { readItems, type ReadItems } from './request-items.ts'
import { createNotes, type Notes } from './request-notes.ts'
import { readSettings } from './request-settings.ts'
import { mergeTools, readToolChoice, readTools } from './request-tools.ts'

export function readRequest(body: JsonObject): ReadRequest {
  try {
    return read(body)
  } catch (error) {
    // What a tool returned as an object is written as text, and the engine runs out of stack for that.
    if (!(error instanceof RangeError)) throw error
    const message = 'Cannot read JSON that is nested this deep: send it as a text'
    return { ok: false, problem: { path: 'input', message } }
  }
}

function read(body: JsonObject): ReadRequest {
  const notes = createNotes()
  const model = toText(body['model'])
  if (model === undefined && body['prompt'] == null)
    notes.fail('model', 'Cannot tell which model is meant: give a "model"')
  const instructions = readInstructions(body['instructions'], notes)
  const input = readInput(body, notes)
  const tools = mergeTools(readTools(body['tools'], 'tools', notes), input.tools)
  const settings = readSettings(body, notes)
  const toolChoice = readToolChoice(body['tool_choice'], tools, notes)
  if (notes.problem !== undefined) return { ok: false, problem: notes.problem }
  const { effort } = input
  const request = makeRequest(
    {
      source: { wire: NAME, body },
      model: model ?? '',
      isStream: body['stream'] === true,
      system: [...instructions, ...input.system],
      turns: input.turns,
      tools,
      toolChoice,
      lost: notes.lost,
      needed: notes.needed,
    },
    effort === undefined ? settings : { ...settings, reasoning: { ...settings.reasoning, effort } },
  )
  return { ok: true, request }
}

/** Fields that say where the conversation is when it is not here. */
const ELSEWHERE = ['prompt', 'previous_response_id', 'conversation']

function readInput(body: JsonObject, notes: Notes): ReadItems {
  const { input } = body
  if (Array.isArray(input)) return readItems(input, notes)
  if (typeof input === 'string')
    return readItems([{ type: 'message', role: 'user', content: input }], notes)
  if (input != null || ELSEWHERE.every((field) => body[field] == null))
    notes.fail('input', 'Cannot read the input: send a text or a list of items')
  return readItems([], notes)
}

/** A list of items is what an answer repeats where a stored prompt had them; some clients send that back. */
function readInstructions(value: unknown, notes: Notes): readonly TextPart[] {
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }]
  if (!Array.isArray(value)) return []
  const { system } = readItems(value, notes)
  return system
}
