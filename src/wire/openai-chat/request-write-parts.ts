/**
 * Parts to the contents of Chat messages. Neighbours: `request-write-messages.ts` puts messages around them;
 * `request-read-parts.ts` goes the other way. Strings wherever a string says it: every server takes one, and
 * lists are refused here and there.
 */
import type { JsonObject } from '../../base/json.ts'
import type {
  AudioPart,
  DocumentPart,
  ImagePart,
  OpaquePart,
  Part,
  TextPart,
  ToolResultPart,
} from '../../request/part.ts'
import { toToolId } from './request-ids.ts'
import { ERROR_PREFIX } from './request-read-messages.ts'
import type { Writing } from './request-writing.ts'

type Media = ImagePart | DocumentPart | AudioPart

/** Instructions, as one string: only where marks are taken does each part stand for itself. */
export function writeInstructions(
  parts: readonly TextPart[],
  writing: Writing,
): string | readonly JsonObject[] {
  const hasMarks = writing.profile.takesCacheMarks && parts.some((part) => part.cache !== undefined)
  if (hasMarks) return parts.map((part) => toText(part, writing))
  return parts.map((part) => part.text).join('\n\n')
}

/** What the user says, in order; `undefined` where it comes to nothing. */
export function writeUserContent(
  parts: readonly Part[],
  writing: Writing,
): string | readonly JsonObject[] | undefined {
  const content = parts.flatMap((part) => toUserParts(part, writing))
  const texts = content.map(({ text }) => text).filter((text) => typeof text === 'string')
  if (content.length === 0) return undefined
  const isPlain = texts.length === content.length && content.every((part) => !(MARK in part))
  // DeepSeek reads no list: "invalid type: sequence, expected a string".
  if (isPlain && (texts.length === 1 || writing.profile.vendor === 'deepseek'))
    return texts.join('\n\n')
  return content
}

function toUserParts(part: Part, writing: Writing): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [toText(part, writing)]
    case 'refusal':
      return [{ type: 'text', text: part.text }]
    case 'image':
    case 'document':
    case 'audio':
      return [{ ...toMedia(part, writing), ...toMark(part, writing) }]
    case 'opaque': {
      const text = toWords(part, writing)
      return text === undefined ? [] : [{ type: 'text', text }]
    }
    case 'thinking':
    case 'tool-call':
    case 'tool-result':
      return []
  }
}

/** What only its vendor can say, in words where there are any. */
export function toWords(part: OpaquePart, { losses }: Writing): string | undefined {
  losses.add(part.text === undefined ? 'dropped' : 'approximated', part.what)
  return part.text
}

const toText = (part: TextPart, writing: Writing): JsonObject => ({
  type: 'text',
  text: part.text,
  ...toMark(part, writing),
})

const MARK = 'prompt_cache_breakpoint'
const TTLS = ['30m', '12h']

function toMark({ cache }: Part, { profile, losses, spelling }: Writing): JsonObject {
  if (cache === undefined || !profile.takesCacheMarks) return {}
  const isTaken = cache.ttl !== undefined && TTLS.includes(cache.ttl)
  // Five minutes are what Anthropic means without a word; an hour has no equal here.
  if (cache.ttl === '1h') losses.add('approximated', spelling.cacheTtl)
  return { [MARK]: { mode: 'explicit', ...(isTaken ? { ttl: cache.ttl } : {}) } }
}

function toMedia(part: Media, writing: Writing): JsonObject {
  switch (part.type) {
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } }
    case 'image': {
      if (part.source.type === 'url' && writing.profile.vendor === 'ollama')
        refuse(writing, 'Send the image itself: this upstream fetches none from an address')
      const url = toAddress(part.source, 'image', writing)
      return { type: 'image_url', image_url: { url, ...(part.detail && { detail: part.detail }) } }
    }
    case 'document': {
      const { source, filename, title } = part
      if (source.type === 'text') return { type: 'text', text: toHeaded(part, source.text) }
      if (source.type === 'url')
        refuse(writing, 'Send the document itself: this upstream fetches none from an address')
      const file_data = toAddress(source, 'document', writing)
      return { type: 'file', file: { filename: filename ?? title ?? 'document.pdf', file_data } }
    }
  }
}

const toHeaded = ({ title, filename, context }: DocumentPart, text: string): string =>
  [title ?? filename, context, text].filter((line) => line !== undefined).join('\n\n')

function toAddress(
  source: Exclude<DocumentPart['source'], { type: 'text' }>,
  what: string,
  writing: Writing,
): string {
  if (source.type === 'url') return source.url
  if (source.type === 'inline') return `data:${source.mediaType};base64,${source.data}`
  refuse(writing, `Send the ${what} itself: the file "${source.id}" is in another vendor's store`)
  return ''
}

const refuse = ({ problems, spelling }: Writing, message: string): void =>
  problems.add(spelling.messages, message, 'unsupported')

/** A result as a `tool` message, and what could not stand in it. */
export interface WrittenResult {
  readonly message: JsonObject
  /** Parts for the user message behind all results, with a line that says whose they are. */
  readonly media: readonly Part[]
}

export function writeResult(result: ToolResultPart, writing: Writing): WrittenResult {
  const { profile } = writing
  const media: Media[] = []
  const texts = result.parts.flatMap((part) => {
    if (part.type === 'text') return part.text === '' ? [] : [part.text]
    if (part.type === 'opaque') return toWords(part, writing) ?? []
    if (part.type === 'document' && part.source.type === 'text')
      return [toHeaded(part, part.source.text)]
    media.push(part)
    return [`[${part.type} ${media.length} of this result: see the next user message]`]
  })
  const [first = ''] = texts
  if (result.isError && !first.startsWith(ERROR_PREFIX)) texts[0] = `${ERROR_PREFIX}${first}`
  const id = toToolId(result.callId, profile.toolIds)
  // A list is in the vendor's own format, but many servers take a string alone.
  const isListed = texts.length > 1 && (profile.vendor === 'openai' || profile.vendor === 'azure')
  const content = isListed ? texts.map((text) => ({ type: 'text', text })) : texts.join('\n')
  const heading: Part = { type: 'text', text: `From the result of the tool call ${id}:` }
  return {
    message: { role: 'tool', tool_call_id: id, content },
    media: media.length === 0 ? [] : [heading, ...media],
  }
}
