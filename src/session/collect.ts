/**
 * A finished answer → what is to be kept of it for the next turn. Neighbours: `sessions.ts` keeps it,
 * `delivered.ts` reads what the client was given. Knows our blocks, and of the wires only which one it was.
 */
import { isObject, type JsonObject } from '../base/json.ts'
import type { Answer } from '../event/answer.ts'
import type { BlockOf } from '../event/block.ts'
import type { WireName } from '../event/event.ts'
import type { Seal, ThinkingPart } from '../request/part.ts'
import { readDelivered } from './delivered.ts'

export interface CollectOptions {
  /** The name of the upstream that answered. */
  readonly issuer: string
  /** The client's wire. */
  readonly wire: WireName
  /** What the client was given, as one body of its wire. Without it ids are the upstream's. */
  readonly body?: JsonObject | undefined
}

export interface Collected {
  /** The answer's id, as the client knows it. */
  readonly id: string | undefined
  /** For each group of calls, what the model thought before it. */
  readonly thinking: readonly {
    readonly callIds: readonly string[]
    readonly parts: readonly ThinkingPart[]
  }[]
  /** Fields of the upstream's on calls, as they are to be put on them again. */
  readonly extras: readonly { readonly callId: string; readonly extra: JsonObject }[]
  /** What the client was given, as it would send it back: for `keepAnswer`. */
  readonly outputItems: readonly JsonObject[]
}

export function collectAnswer(answer: Answer, options: CollectOptions): Collected {
  const delivered =
    options.body === undefined ? undefined : readDelivered(options.wire, options.body)
  const blocks = answer.blocks.filter(({ choice }) => (choice ?? 0) === 0)
  const calls = blocks.filter((block) => block.type === 'tool-call')
  const given = delivered?.callIds ?? []
  // The client's wire may have made other ids of them, in the same order. Where one is gone, none is sure.
  const ids = new Map(
    calls.map((call, at) => [
      call,
      given.length === calls.length ? (given[at] ?? call.id) : call.id,
    ]),
  )
  const groups: { callIds: string[]; parts: ThinkingPart[] }[] = []
  let group: { callIds: string[]; parts: ThinkingPart[] } | undefined
  for (const block of blocks) {
    if (block.type === 'thinking' && hasSomething(block)) {
      if (group === undefined || group.callIds.length > 0) {
        group = { callIds: [], parts: [] }
        groups.push(group)
      }
      group.parts.push(toPart(block, answer.wire, options.issuer))
    } else if (block.type === 'tool-call') group?.callIds.push(ids.get(block) ?? block.id)
  }
  return {
    id: delivered?.id ?? answer.id,
    thinking: groups.filter(({ callIds }) => callIds.length > 0),
    extras: calls.flatMap((call) => {
      const extra = extraOf(call)
      return extra === undefined ? [] : [{ callId: ids.get(call) ?? call.id, extra }]
    }),
    outputItems: delivered?.items ?? [],
  }
}

/** Whether there is anything in an answer that its client's format may not hand back: for a cheap first look. */
export const hasToKeep = (
  { blocks }: Pick<Answer, 'blocks'>,
  what: { readonly isThinkingKept: boolean },
): boolean => {
  const calls = blocks.filter((block) => block.type === 'tool-call')
  return (
    calls.some((call) => extraOf(call) !== undefined) ||
    (what.isThinkingKept && calls.length > 0 && blocks.some(({ type }) => type === 'thinking'))
  )
}

const hasSomething = ({ text, signature, final }: BlockOf<'thinking'>): boolean =>
  text !== '' || signature !== undefined || final !== undefined

function toPart(
  block: BlockOf<'thinking'>,
  wire: WireName | undefined,
  issuer: string,
): ThinkingPart {
  const { text, signature, redacted, final } = block
  const seal: Seal | undefined =
    wire === undefined
      ? undefined
      : {
          wire,
          issuer,
          ...(signature === undefined ? {} : { signature }),
          ...(redacted ? { isRedacted: true } : {}),
          ...(wire === 'openai-responses' && final !== undefined ? { item: final } : {}),
        }
  return { type: 'thinking', text, seal }
}

/** Gemini signs its calls here, and refuses the next turn without. */
function extraOf({ vendor }: BlockOf<'tool-call'>): JsonObject | undefined {
  const extra = vendor?.['extra_content']
  return isObject(extra) ? { extra_content: extra } : undefined
}
