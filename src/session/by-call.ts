/**
 * What is known of a tool call by its id alone: the thinking before it, and what its upstream wants back on
 * it. For clients whose wire has no room for either, and which do hand back the id. Neighbours: `shelf.ts`
 * keeps it within limits, `sessions.ts` asks. Knows no wire.
 */
import { isObject, parseObject, toList, toText, type JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'
import type { Seal, ThinkingPart } from '../request/part.ts'
import type { ExtraEntry, ThinkingEntry } from './entry.ts'
import { isId, type Keeping } from './kept.ts'

export interface ByCall {
  keepThinking(entry: ThinkingEntry): boolean
  recallThinking(owner: string, callId: string): readonly ThinkingPart[] | undefined
  keepExtra(entry: ExtraEntry): boolean
  /** With an issuer, only what came from it. */
  recallExtra(owner: string, callId: string, issuer: string | undefined): JsonObject | undefined
}

export function createByCall(shelf: Keeping): ByCall {
  function keep(owner: string, key: string, text: string, issuer: string | undefined): boolean {
    const account = shelf.account(owner)
    const { pieces } = account
    if (!shelf.hasRoom(pieces.costOf([text]))) return false
    const piece = pieces.take(text)
    shelf.put(account, key, { type: 'note', piece, issuer, release: () => pieces.release(piece) })
    return true
  }

  function find(
    owner: string,
    key: string,
  ): { text: string; issuer: string | undefined } | undefined {
    const kept = shelf.find(owner, key)
    return kept?.type === 'note' ? { text: kept.piece.text, issuer: kept.issuer } : undefined
  }

  return {
    keepThinking({ owner, callIds, parts }) {
      if (parts.length === 0) return false
      // Calls that stand together share one piece.
      const text = JSON.stringify({ parts: parts.map(({ vendor: _vendor, ...part }) => part) })
      const ids = callIds.filter(isId)
      return ids.map((id) => keep(owner, `thinking ${id}`, text, undefined)).includes(true)
    },
    recallThinking(owner, callId) {
      const found = find(owner, `thinking ${callId}`)
      if (found === undefined) return undefined
      return toList(parseObject(found.text)?.['parts']).flatMap((part) => toThinking(part))
    },
    keepExtra: ({ owner, callId, issuer, extra }) =>
      isId(callId) && keep(owner, `extra ${callId}`, JSON.stringify(extra), issuer),
    recallExtra(owner, callId, issuer) {
      const found = find(owner, `extra ${callId}`)
      const isOthers =
        issuer !== undefined && found?.issuer !== undefined && found.issuer !== issuer
      return found === undefined || isOthers ? undefined : parseObject(found.text)
    },
  }
}

function toThinking(part: unknown): readonly ThinkingPart[] {
  if (!isObject(part)) return []
  const seal = isObject(part['seal']) ? toSeal(part['seal']) : undefined
  return [{ type: 'thinking', text: toText(part['text']) ?? '', seal }]
}

function toSeal(json: JsonObject): Seal | undefined {
  const wire = toWireName(json['wire'])
  if (wire === undefined) return undefined
  const issuer = toText(json['issuer'])
  const signature = toText(json['signature'])
  return {
    wire,
    ...(issuer === undefined ? {} : { issuer }),
    ...(signature === undefined ? {} : { signature }),
    ...(json['isRedacted'] === true ? { isRedacted: true } : {}),
    ...(isObject(json['item']) ? { item: json['item'] } : {}),
  }
}

const toWireName = (value: unknown): WireName | undefined =>
  value === 'anthropic-messages' || value === 'openai-chat' || value === 'openai-responses'
    ? value
    : undefined
