/**
 * Images and documents of ours to content blocks. The API takes four kinds of images, PDF and plain text; files
 * in another vendor's store it cannot see. Neighbours: `request-parts.ts` asks.
 */
import type { JsonObject } from '../../base/json.ts'
import type { DocumentPart, ImagePart, Source } from '../../request/part.ts'
import type { Draft } from './request-draft.ts'
import { markOf } from './request-marks.ts'

const IMAGES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

export function writeImage(part: ImagePart, draft: Draft): JsonObject | undefined {
  const source = toImageSource(part.source, draft)
  return source && { type: 'image', source, ...markOf(part.cache, draft.profile) }
}

function toImageSource(source: Source, draft: Draft): JsonObject | undefined {
  const { problems, spelling } = draft
  if (source.type === 'url') return toUrl(source.url, draft)
  if (source.type === 'file') return refuseFile(draft)
  const mediaType = bareType(source.mediaType).replace('image/jpg', 'image/jpeg')
  if (!IMAGES.has(mediaType)) {
    problems.refuse(
      spelling.messages,
      `Convert the image to PNG, JPEG, GIF or WebP: this model does not take "${mediaType}"`,
    )
    return undefined
  }
  return toInline(mediaType, source.data, draft)
}

export function writeDocument(part: DocumentPart, draft: Draft): JsonObject | undefined {
  const { source } = part
  // Some clients send pictures as files.
  if (source.type === 'inline' && bareType(source.mediaType).startsWith('image/'))
    return writeImage({ ...part, type: 'image', source }, draft)
  const title = part.title ?? part.filename
  const written = toDocumentSource(source, draft)
  return (
    written && {
      type: 'document',
      source: written,
      ...(title === undefined ? {} : { title }),
      ...(part.context === undefined ? {} : { context: part.context }),
      ...markOf(part.cache, draft.profile),
    }
  )
}

function toDocumentSource(source: DocumentPart['source'], draft: Draft): JsonObject | undefined {
  if (source.type === 'text') return toPlain(source.text)
  if (source.type === 'url') return toUrl(source.url, draft)
  if (source.type === 'file') return refuseFile(draft)
  const mediaType = bareType(source.mediaType)
  if (mediaType === 'application/pdf') return toInline(mediaType, source.data, draft)
  const text = isTextType(mediaType) ? decode(source.data) : undefined
  if (text !== undefined) return toPlain(text)
  draft.problems.refuse(
    draft.spelling.messages,
    `Send the document as PDF or as text: this model does not take "${mediaType}"`,
  )
  return undefined
}

/** An empty document is refused, and says nothing. */
const toPlain = (text: string): JsonObject | undefined =>
  text === '' ? undefined : { type: 'text', media_type: 'text/plain', data: text }

const bareType = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim().toLowerCase()

const isTextType = (mediaType: string): boolean =>
  mediaType.startsWith('text/') || /^application\/(?:json|xml|yaml|x-yaml)$/.test(mediaType)

function toUrl(url: string, { problems, spelling }: Draft): JsonObject | undefined {
  if (/^https?:\/\/\S+$/.test(url)) return { type: 'url', url }
  problems.refuse(
    spelling.messages,
    'Send the file itself or an address that begins with "https://"',
  )
  return undefined
}

function toInline(mediaType: string, data: string, draft: Draft): JsonObject | undefined {
  const bare = data.replace(/\s+/g, '')
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(bare))
    return { type: 'base64', media_type: mediaType, data: bare }
  draft.problems.add(draft.spelling.messages, `Send the "${mediaType}" as base64`)
  return undefined
}

function refuseFile({ problems, spelling }: Draft): undefined {
  problems.refuse(
    spelling.messages,
    "Send the file itself: an id is known in its own vendor's store only",
  )
}

function decode(data: string): string | undefined {
  try {
    const binary = atob(data)
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(binary, (char) => char.charCodeAt(0)),
    )
  } catch {
    return undefined
  }
}
