/**
 * Text, images and documents of a client's message to parts of ours. Neighbours: `request-blocks.ts` asks.
 * Knows no target: whether one takes a source is its writer's business.
 */
import { toList, toObject, toText, isObject, type JsonObject } from '../../base/json.ts'
import type { DocumentPart, ImagePart, OpaquePart, Source, TextPart } from '../../request/part.ts'
import type { Findings } from './request-problems.ts'
import { toCache } from './request-tools.ts'

export function readText(
  block: JsonObject,
  path: string,
  found: Pick<Findings, 'problems'>,
): TextPart | undefined {
  const text = block['text']
  if (typeof text !== 'string') {
    found.problems.add(`${path}.text`, 'Send the text as a string')
    return undefined
  }
  const citations = toList(block['citations']).filter(isObject)
  return {
    type: 'text',
    text,
    ...(citations.length === 0 ? {} : { citations }),
    vendor: block,
    ...toCache(block),
  }
}

export function readImage(block: JsonObject): ImagePart | OpaquePart {
  const source = readSource(toObject(block['source']))
  return source === undefined
    ? { type: 'opaque', what: 'image', vendor: block, ...toCache(block) }
    : { type: 'image', source, vendor: block, ...toCache(block) }
}

export function readDocument(block: JsonObject, found: Findings): DocumentPart | OpaquePart {
  if (toObject(block['citations'])?.['enabled'] === true) found.lost.add('citations')
  const json = toObject(block['source'])
  const title = toText(block['title'])
  const context = toText(block['context'])
  const base = { vendor: block, ...toCache(block) }
  const source = readTextSource(json) ?? readSource(json)
  if (source === undefined) {
    const text = joinTexts(json?.['content'])
    return { ...base, type: 'opaque', what: 'document', ...(text === '' ? {} : { text }) }
  }
  return {
    ...base,
    type: 'document',
    source,
    ...(title === undefined ? {} : { title }),
    ...(context === undefined ? {} : { context }),
  }
}

function readSource(source: JsonObject | undefined): Source | undefined {
  const data = toText(source?.['data'])
  const mediaType = toText(source?.['media_type'])
  const url = toText(source?.['url'])
  const id = toText(source?.['file_id'])
  switch (source?.['type']) {
    case 'base64':
      return data === undefined || mediaType === undefined
        ? undefined
        : { type: 'inline', mediaType, data }
    case 'url':
      return url === undefined ? undefined : { type: 'url', url }
    case 'file':
      return id === undefined ? undefined : { type: 'file', id }
    default:
      return undefined
  }
}

/** Plain text, or blocks that are all text: a document with pictures inside has no form but this wire's. */
function readTextSource(
  source: JsonObject | undefined,
): { type: 'text'; text: string } | undefined {
  if (source?.['type'] === 'text' && typeof source['data'] === 'string')
    return { type: 'text', text: source['data'] }
  if (source?.['type'] !== 'content') return undefined
  const { content } = source
  if (typeof content === 'string') return { type: 'text', text: content }
  const isText = toList(content).every((block) => toObject(block)?.['type'] === 'text')
  return isText ? { type: 'text', text: joinTexts(content) } : undefined
}

/** The texts among some blocks. */
export const joinTexts = (content: unknown): string =>
  toList(content)
    .flatMap((block) => toText(toObject(block)?.['text']) ?? [])
    .join('\n')
