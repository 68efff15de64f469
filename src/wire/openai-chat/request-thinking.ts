/**
 * Thinking in a Chat history. The wire has no field for it, so servers have theirs: `reasoning_content`,
 * `reasoning`, OpenRouter's `reasoning_details`; our envelopes travel in the last. Neighbours:
 * `request-read-messages.ts` reads it, `request-write-messages.ts` and `request-own.ts` write it, `reasoning.ts`
 * and `choice-writer.ts` gave it to the client.
 */
import { findText } from '../../base/find-text.ts'
import { toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { Seal, ThinkingPart } from '../../request/part.ts'
import type { WriteOptions } from '../../request/write.ts'
import { unseal, type Sealed } from '../envelope.ts'
import { NAME } from './json.ts'

export function readThinking(message: JsonObject): readonly ThinkingPart[] {
  const sealed = toList(message['reasoning_details']).flatMap((detail) =>
    readDetail(toObject(detail) ?? {}),
  )
  const text = untold(textOf(message), sealed)
  return text === '' ? sealed : [{ type: 'thinking', text, seal: undefined }, ...sealed]
}

const textOf = (message: JsonObject): string =>
  toText(message['reasoning_content']) ?? toText(message['reasoning']) ?? ''

function readDetail(detail: JsonObject): readonly ThinkingPart[] {
  const text = toText(detail['text']) ?? toText(detail['summary']) ?? ''
  const opaque = opaqueOf(detail)
  if (isOurs(detail)) return openDetail(detail).map(toPart)
  if (text === '' && opaque === undefined) return []
  const seal: Seal = {
    wire: NAME,
    ...(opaque === undefined ? {} : { signature: opaque }),
    item: detail,
  }
  return [{ type: 'thinking', text, seal }]
}

const opaqueOf = (detail: JsonObject): string | undefined =>
  toText(detail['signature']) ?? toText(detail['data'])

/** Base64url has no dot: this is where an envelope begins, and nothing else. */
const ENVELOPE = /(?=sluice1\.)/

/** Whether an envelope of ours stands in it, whole or not. */
export const isOurs = (detail: JsonObject): boolean =>
  opaqueOf(detail)?.startsWith('sluice1.') === true

/** The vendor's Python client joins the strings of details of one index, so there may be several in one. */
const openDetail = (detail: JsonObject): readonly Sealed[] =>
  (opaqueOf(detail) ?? '')
    .split(ENVELOPE)
    .map((envelope) => unseal(envelope))
    .filter((sealed) => sealed !== undefined)

function toPart(sealed: Sealed): ThinkingPart {
  const { text, redacted, issuer, ...rest } = sealed
  const seal: Seal = {
    ...rest,
    ...(issuer === undefined ? {} : { issuer }),
    ...(redacted === true ? { isRedacted: true } : {}),
  }
  return { type: 'thinking', text, seal }
}

/**
 * What the plain text says beyond the sealed parts, which say the same words again. The vendor's TypeScript
 * client keeps the last fragment only, so the text may also be a piece of theirs.
 */
function untold(text: string, sealed: readonly ThinkingPart[]): string {
  const texts = sealed.map((part) => part.text).filter((told) => told !== '')
  if (texts.length === 0) return text
  if (['', BREAK].some((glue) => findText(texts.join(glue), text) >= 0)) return ''
  const rest: string[] = []
  let from = 0
  let searches = 0
  for (const told of texts) {
    const next = text.startsWith(BREAK, from) ? from + BREAK.length : from
    const isNext = text.startsWith(told, next)
    if (!isNext && ++searches > MAX_SEARCHES) break
    const at = isNext ? next : from + findText(text.slice(from), told)
    if (at < from) continue
    rest.push(text.slice(from, at))
    from = at + told.length
  }
  return [...rest, text.slice(from)].join('').trim()
}

const BREAK = '\n\n'

/** How often the rest of a text is looked through. Past that, words may be said twice: no harm, and no wait. */
const MAX_SEARCHES = 16

type Target = Pick<WriteOptions, 'profile' | 'issuer' | 'isUnsealed' | 'recall'>

/** The fields of an assistant message that hand its thinking back, as far as the target may see it. */
export function writeThinking(
  parts: readonly ThinkingPart[],
  callIds: readonly string[],
  target: Target,
): JsonObject {
  const { thinkingField: field, vendor } = target.profile
  if (field === undefined) return {}
  const own = parts.filter((part) => isFor(part, target))
  const thinking = own.length > 0 ? own : recallFor(callIds, target)
  if (field === 'reasoning_details') {
    const details = thinking.flatMap(toDetails).map((detail, index) => ({ ...detail, index }))
    return details.length === 0 ? {} : { reasoning_details: details }
  }
  const text = thinking
    .map((part) => part.text)
    .filter((told) => told !== '')
    .join('\n\n')
  if (field === 'reasoning') return text === '' ? {} : { reasoning: text }
  // Wanted on turns with calls; older models of DeepSeek refuse it on others.
  if (callIds.length === 0) return {}
  if (text !== '') return { reasoning_content: text }
  return vendor === 'deepseek' || vendor === 'moonshot' ? { reasoning_content: NO_THINKING } : {}
}

/**
 * DeepSeek and Kimi refuse a call without its thinking, also one that another model made before the route
 * switched. The newest refuse an empty text too; a space is taken by all of them.
 */
const NO_THINKING = ' '

/** Only its issuer can use what is sealed. What nobody sealed is plain text. */
function isFor({ seal }: ThinkingPart, { issuer, isUnsealed }: Target): boolean {
  if (seal === undefined) return true
  if (isUnsealed === true && seal.signature !== undefined) return false
  return seal.wire === NAME && (seal.issuer === undefined || seal.issuer === issuer)
}

function recallFor(callIds: readonly string[], target: Target): readonly ThinkingPart[] {
  // Calls that stand together share what was thought before them.
  const known = new Map<string, ThinkingPart>()
  for (const id of callIds)
    for (const part of target.recall?.(id) ?? [])
      if (isFor(part, target)) known.set(JSON.stringify([part.text, part.seal]), part)
  return [...known.values()]
}

function toDetails({ text, seal }: ThinkingPart): readonly JsonObject[] {
  if (seal?.item !== undefined) return [seal.item]
  const signature = seal?.signature
  if (signature === undefined) return text === '' ? [] : [{ type: 'reasoning.text', text }]
  // What OpenAI encrypts begins so, and stands apart from its summary; others sign the text itself.
  if (text !== '' && !signature.startsWith('gAAAA'))
    return [{ type: 'reasoning.text', text, signature }]
  return [
    ...(text === '' ? [] : [{ type: 'reasoning.summary', summary: text }]),
    { type: 'reasoning.encrypted', data: signature },
  ]
}
