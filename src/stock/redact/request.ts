/**
 * A request with secrets hidden in it, before any model sees it: what was said, results of tools, earlier calls, and
 * the system prompt where that is asked for. Neighbours: `redact.ts` calls it. Knows no wire: a client's own objects
 * (`vendor`) and its body are known by identity, and the same texts are hidden in them, whatever they are called there.
 * Signed thinking stays as it is, or its vendor would refuse it.
 */
import type { JsonObject } from '../../base/json.ts'
import type { Part, TextPart, ToolResultPart } from '../../request/part.ts'
import type { ModelRequest, Turn } from '../../request/request.ts'
import { hideInJson, type Hiding } from './hide-json.ts'
import { hideIn, type Search } from './search.ts'

export interface RequestHiding {
  readonly search: Search
  readonly isSystemHidden: boolean
}

/** The same object where nothing was found. */
export function hideInRequest(request: ModelRequest, options: RequestHiding): ModelRequest {
  const hiding = createHiding(options.search)
  const system = options.isSystemHidden ? request.system.map(hiding.part) : request.system
  const turns = request.turns.map((turn) =>
    turn.role === 'system' && !options.isSystemHidden ? turn : hiding.turn(turn),
  )
  if (isSame(system, request.system) && isSame(turns, request.turns)) return request
  const body = hideInJson(request.source.body, hiding.known)
  return { ...request, system, turns, source: { ...request.source, body } }
}

function createHiding(search: Search) {
  /** Texts that were changed, for those who repeat them. */
  const texts = new Map<string, string>()
  const objects = new Map<object, object>()

  function text(before: string): string {
    const after = hideIn(before, search.inText())
    if (after !== before) texts.set(before, after)
    return after
  }

  /** What is known already becomes what it became; other texts are looked over. */
  const beside: Hiding = {
    text: (before) => texts.get(before) ?? text(before),
    object: (value) => objects.get(value),
  }

  /** The part with the client's own object, in which the same is hidden. */
  function remake<Some extends Part>(before: Some, after: Some): Some {
    const { vendor } = before
    if (vendor === undefined) return after
    const own = hideInJson(vendor, beside)
    objects.set(vendor, own)
    return own === vendor ? after : { ...after, vendor: own }
  }

  function hidePart(part: Part): Part {
    switch (part.type) {
      case 'text':
      case 'refusal': {
        const said = text(part.text)
        return remake(part, said === part.text ? part : { ...part, text: said })
      }
      case 'tool-call': {
        const args = hideIn(part.arguments, search.inCall(part.dialect !== 'custom', false))
        if (args !== part.arguments) texts.set(part.arguments, args)
        return remake(part, args === part.arguments ? part : { ...part, arguments: args })
      }
      case 'tool-result': {
        const parts = part.parts.map((one) => hidePart(one) as ToolResultPart['parts'][number])
        return remake(part, isSame(parts, part.parts) ? part : { ...part, parts })
      }
      case 'document': {
        const made = hideInJson({ ...part, vendor: undefined, cache: undefined }, beside)
        const { source, title, context } = made
        const isChanged = source !== part.source || title !== part.title || context !== part.context
        const named = {
          ...(title === undefined ? {} : { title }),
          ...(context === undefined ? {} : { context }),
        }
        return remake(part, isChanged ? { ...part, source, ...named } : part)
      }
      case 'opaque': {
        const said = part.text === undefined ? undefined : text(part.text)
        return remake(
          part,
          said === part.text || said === undefined ? part : { ...part, text: said },
        )
      }
      case 'thinking': {
        if (part.seal !== undefined) {
          if (part.vendor !== undefined) objects.set(part.vendor, part.vendor)
          return part
        }
        const said = text(part.text)
        return remake(part, said === part.text ? part : { ...part, text: said })
      }
      case 'image':
      case 'audio':
        // Bytes: nothing to be read in them.
        if (part.vendor !== undefined) objects.set(part.vendor, part.vendor)
        return part
    }
  }

  function turn(before: Turn): Turn {
    const parts = before.parts.map(hidePart)
    const vendor = before.vendor === undefined ? undefined : hideOwn(before.vendor)
    if (isSame(parts, before.parts) && vendor === before.vendor) return before
    return { ...before, parts, ...(vendor === undefined ? {} : { vendor }) }
  }

  /** A client's own object of a whole turn. Parts that are in it have been made already. */
  function hideOwn(vendor: JsonObject): JsonObject {
    const own = hideInJson(vendor, beside)
    objects.set(vendor, own)
    return own
  }

  /** Only what is known: the rest of a body is no text of the conversation. */
  const known: Hiding = {
    text: (before) => texts.get(before) ?? before,
    object: (value) => objects.get(value),
  }
  return { part: (part: TextPart): TextPart => hidePart(part) as TextPart, turn, known }
}

const isSame = <Item>(some: readonly Item[], others: readonly Item[]): boolean =>
  some.every((one, i) => one === others[i])
