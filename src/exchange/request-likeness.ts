/**
 * Whether two requests say the same: what a policy wanted, and what the body that was made of it reads as. Neighbours:
 * `changed-request.ts` asks, so that nothing of a change is lost without a word. Looks at what is said and asked, and not
 * at the objects of a vendor that say it.
 */
import { parseExactObject, stringifyExact } from '../base/json-exact.ts'
import type { Part } from '../request/part.ts'
import type { ModelRequest } from '../request/request.ts'

export function isLike(one: ModelRequest, other: ModelRequest): boolean {
  return essenceOf(one) === essenceOf(other)
}

function essenceOf(request: ModelRequest): string {
  const { source: _source, lost: _lost, needed: _needed, cache: _cache, ...rest } = request
  return stringifyExact({
    ...rest,
    system: request.system.map(({ text }) => text),
    turns: request.turns.map(({ role, parts }) => [role, parts.map(partOf)]),
    tools: request.tools.map(({ vendor: _vendor, cache: _mark, ...tool }) => tool),
  })
}

function partOf(part: Part): unknown {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return [part.type, part.text]
    case 'thinking':
      // What is sealed cannot be changed: it is as it was, or gone.
      return [part.type, part.seal === undefined ? part.text : (part.seal.signature ?? '')]
    case 'tool-call':
      return [part.type, part.id, part.name, part.namespace ?? '', argumentsOf(part.arguments)]
    case 'tool-result':
      return [part.type, part.callId, part.parts.map(partOf)]
    case 'opaque':
      return [part.type, part.what, part.vendor]
    case 'document':
      return [part.type, part.source, part.title ?? '', part.context ?? '', part.filename ?? '']
    case 'image':
      return [part.type, part.source]
    case 'audio':
      return [part.type, part.data]
  }
}

/** Spaces in them say nothing. */
const argumentsOf = (text: string): unknown =>
  text.trim() === '' ? {} : (parseExactObject(text) ?? text)
