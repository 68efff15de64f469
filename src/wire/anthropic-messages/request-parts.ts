/**
 * Parts of ours to content blocks. On their own wire they are the client's own blocks again; what another wire
 * had becomes what the API takes. Neighbours: `request-messages.ts` puts them in order, `request-media-write.ts`
 * has images and documents. Knows one part at a time.
 */
import { parseExactObject } from '../../base/json-exact.ts'
import type { JsonObject } from '../../base/json.ts'
import { isNestedDeeper, MAX_NESTING } from '../../base/nesting.ts'
import type { Part, ThinkingPart, ToolCallPart, ToolResultPart } from '../../request/part.ts'
import { ANY_ID, ToolIds, PLAIN_ID } from '../ids.ts'
import { NAME } from './json.ts'
import type { Draft } from './request-draft.ts'
import { markOf } from './request-marks.ts'
import { writeDocument, writeImage } from './request-media-write.ts'

export interface PartWriter {
  /** One block, or none where the API has no place for the part. */
  write(part: Part): JsonObject | undefined
}

export function createPartWriter(draft: Draft): PartWriter {
  const { request, profile, losses, problems, spelling, names } = draft
  const isOwn = request.source.wire === NAME
  const { form, maxLength } = profile.toolIds
  const toolIds = new ToolIds(form === 'any' ? ANY_ID : PLAIN_ID, maxLength)
  /** The call and its result must agree, also where the id had to be made anew. */
  const ids = new Map<string, string>()

  function toId(id: string): string {
    const before = ids.get(id)
    if (before !== undefined) return before
    const made = isOwn ? id : toolIds.take(id)
    ids.set(id, made)
    return made
  }

  /** The client's own object, whose unknown fields stay on this wire only. */
  const vendorOf = (part: Part): JsonObject => (isOwn ? (part.vendor ?? {}) : {})
  const marked = (part: Part): JsonObject =>
    isOwn && part.vendor !== undefined ? {} : markOf(part.cache, profile)

  function write(part: Part): JsonObject | undefined {
    switch (part.type) {
      case 'text':
      case 'refusal':
        return writeText(part.text, part)
      case 'image':
        return kept(part) ?? writeImage(part, draft)
      case 'document':
        return kept(part) ?? writeDocument(part, draft)
      case 'audio':
        problems.refuse(
          spelling.messages,
          'Send the words of the audio as text: this model hears none',
        )
        return undefined
      case 'thinking':
        return writeThought(part, draft)
      case 'tool-call':
        return writeCall(part)
      case 'tool-result':
        return writeResult(part)
      case 'opaque':
        return kept(part) ?? writeWords(part)
    }
  }

  const kept = (part: Part): JsonObject | undefined => (isOwn ? part.vendor : undefined)

  /** Blank text is refused, for as long as the client sends it back, and says nothing. */
  const writeText = (text: string, part: Part): JsonObject | undefined =>
    text.trim() === '' ? undefined : { ...vendorOf(part), type: 'text', text, ...marked(part) }

  function writeCall(part: ToolCallPart): JsonObject {
    const isKept = isOwn && part.vendor !== undefined
    return {
      ...vendorOf(part),
      type: 'tool_use',
      id: toId(part.id),
      name: isKept ? part.name : names.toTarget(part),
      input: toInput(part),
      ...marked(part),
    }
  }

  function toInput(part: ToolCallPart): JsonObject {
    if (part.dialect === 'custom') return { input: part.arguments }
    if (part.arguments.trim() === '') return {}
    const input = parseExactObject(part.arguments)
    if (input !== undefined && !isNestedDeeper(input, MAX_NESTING)) return input
    // Cut off, garbled or too deep: refusing it would end the conversation for good.
    losses.add('approximated', `${spelling.messages}.arguments`)
    return { _raw: part.arguments }
  }

  function writeResult(part: ToolResultPart): JsonObject {
    const vendor = vendorOf(part)
    if (isOwn && part.vendor !== undefined && isSameContent(part))
      return { ...vendor, tool_use_id: toId(part.callId) }
    const blocks = part.parts.map(writeInResult).filter((block) => block !== undefined)
    const isPlain = blocks.every(({ type }) => type === 'text')
    // The API takes only words as an error.
    const isFlagged = part.isError && isPlain
    if (part.isError && (!isPlain || blocks.length === 0))
      blocks.unshift({ type: 'text', text: 'Error' })
    const { content: _content, is_error: _error, ...rest } = vendor
    return {
      ...rest,
      type: 'tool_result',
      tool_use_id: toId(part.callId),
      ...(blocks.length === 0 ? {} : { content: toContent(blocks) }),
      ...(isFlagged ? { is_error: true } : {}),
      ...marked(part),
    }
  }

  /** In results blanks are something that a tool said. */
  const writeInResult = (inner: ToolResultPart['parts'][number]): JsonObject | undefined =>
    inner.type === 'text' && inner.text !== ''
      ? { ...vendorOf(inner), type: 'text', text: inner.text, ...marked(inner) }
      : write(inner)

  function writeWords(part: Extract<Part, { type: 'opaque' }>): JsonObject | undefined {
    losses.add(part.text === undefined ? 'dropped' : 'approximated', part.what)
    return part.text === undefined ? undefined : writeText(part.text, part)
  }

  return { write }
}

/** One unmarked text is said as a string, as most clients do. */
function toContent(blocks: readonly JsonObject[]): unknown {
  const [first] = blocks
  const isOne = blocks.length === 1 && first !== undefined && Object.keys(first).length === 2
  return isOne && typeof first['text'] === 'string' ? first['text'] : blocks
}

/** Whether a result still holds what the client's own block says. */
function isSameContent({ parts, vendor }: ToolResultPart): boolean {
  const content = vendor?.['content'] ?? []
  if (typeof content === 'string') {
    const [only] = parts
    return parts.length === 1 && only?.type === 'text' && only.text === content
  }
  return (
    Array.isArray(content) &&
    content.length === parts.length &&
    parts.every(
      (part, i) =>
        part.vendor === content[i] && (part.type !== 'text' || part.text === part.vendor?.['text']),
    )
  )
}

/** Only what this upstream sealed goes back to it, to the letter: to another one it is a 400. */
export function writeThought(
  { text, seal, vendor }: ThinkingPart,
  { request, options }: Pick<Draft, 'request' | 'options'>,
): JsonObject | undefined {
  const isOwn = request.source.wire === NAME
  // Servers that seal nothing take their own thinking back without a seal.
  if (seal === undefined) return isOwn ? vendor : undefined
  if (seal.wire !== NAME || (seal.issuer !== undefined && seal.issuer !== options.issuer))
    return undefined
  if (seal.signature === undefined) return undefined
  if (isOwn && vendor !== undefined && isIn(vendor, seal.signature)) return vendor
  return seal.isRedacted === true
    ? { type: 'redacted_thinking', data: seal.signature }
    : { type: 'thinking', thinking: text, signature: seal.signature }
}

const isIn = (block: JsonObject, signature: string): boolean =>
  block['signature'] === signature || block['data'] === signature
