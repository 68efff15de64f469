/**
 * Parts to the content of a message or of a tool's output. Neighbours: `request-write-items.ts` asks.
 * Documents that are text are written as text: every model reads that.
 */
import type { JsonObject } from '../../base/json.ts'
import type { LossList } from '../../event/loss.ts'
import type { DocumentPart, ImagePart, OpaquePart, Part, Source } from '../../request/part.ts'
import type { Profile } from '../../request/profile.ts'
import type { Notes } from './request-notes.ts'

/** What the writers of one request share. */
export interface Writing {
  readonly profile: Profile
  readonly losses: LossList
  readonly notes: Notes
}

/** What the user or a tool says. Parts that only the assistant has give nothing. */
export function writeContent(parts: readonly Part[], writing: Writing): readonly JsonObject[] {
  return parts.flatMap((part) => {
    const written = writePart(part, writing)
    const last = written.at(-1)
    if (part.cache === undefined || last === undefined || !writing.profile.takesCacheMarks)
      return written
    noteTtl(part.cache.ttl, writing.losses)
    return [...written.slice(0, -1), { ...last, prompt_cache_breakpoint: { mode: 'explicit' } }]
  })
}

function writePart(part: Part, writing: Writing): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [toText(part.text)]
    case 'image':
      return writeImage(part, writing.notes)
    case 'document':
      return writeDocument(part, writing.notes)
    case 'audio':
      writing.notes.fail(
        'messages',
        'Cannot send audio to this model: send its words instead',
        'unsupported',
      )
      return []
    case 'opaque':
      return writeOpaque(part, writing.losses).map(toText)
    case 'thinking':
    case 'tool-call':
    case 'tool-result':
      return []
  }
}

const toText = (text: string): JsonObject => ({ type: 'input_text', text })

/** In words where it can be put into words, and it is said either way. */
export function writeOpaque({ what, text }: OpaquePart, losses: LossList): readonly string[] {
  losses.add(text === undefined ? 'dropped' : 'approximated', what)
  return text === undefined || text === '' ? [] : [text]
}

function writeImage({ source, detail }: ImagePart, notes: Notes): readonly JsonObject[] {
  const url = urlOf(source)
  if (url === undefined) failFile(notes)
  return url === undefined
    ? []
    : [{ type: 'input_image', image_url: url, detail: toDetail(detail) }]
}

const toDetail = (detail: string | undefined): string =>
  detail === 'low' || detail === 'high' || detail === 'original' ? detail : 'auto'

function writeDocument(part: DocumentPart, notes: Notes): readonly JsonObject[] {
  const { source, filename, title, context } = part
  if (source.type === 'text')
    return [toText([title ?? filename, context, source.text].filter(isSaid).join('\n\n'))]
  const before = isSaid(context) ? [toText(context)] : []
  if (source.type === 'url') return [...before, { type: 'input_file', file_url: source.url }]
  const data = urlOf(source)
  if (source.type === 'file' || data === undefined) {
    failFile(notes)
    return []
  }
  const name = filename ?? toFilename(title, source.mediaType)
  return [...before, { type: 'input_file', filename: name, file_data: data }]
}

const isSaid = (text: string | undefined): text is string => text !== undefined && text !== ''

/** The vendor wants one, and reads the kind of file from its end. */
function toFilename(title: string | undefined, mediaType: string): string {
  const end = /^[a-z]+\/([a-z0-9]+)/.exec(mediaType)?.[1] ?? 'pdf'
  const name = isSaid(title) ? title : 'document'
  return name.endsWith(`.${end}`) ? name : `${name}.${end}`
}

function urlOf(source: Source): string | undefined {
  if (source.type === 'url') return source.url
  return source.type === 'inline' ? `data:${source.mediaType};base64,${source.data}` : undefined
}

function failFile(notes: Notes): void {
  notes.fail(
    'messages',
    'Cannot send a file that is stored at another provider: send its bytes in the request',
    'unsupported',
  )
}

/** An hour of caching has no equal here; what is shorter is covered by what the vendor does anyway. */
function noteTtl(ttl: string | undefined, losses: LossList): void {
  if (ttl !== undefined && ttl !== '5m') losses.add('approximated', 'cache_control.ttl')
}
