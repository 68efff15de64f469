/**
 * The content of a message or of a tool's output to parts. Neighbours: `request-items.ts` and
 * `request-outputs.ts` ask. A part of a kind that we do not know is carried as `opaque`.
 */
import { isObject, toText, type JsonObject } from '../../base/json.ts'
import type {
  AudioPart,
  DocumentPart,
  ImagePart,
  OpaquePart,
  RefusalPart,
  Source,
  TextPart,
} from '../../request/part.ts'
import type { Notes } from './request-notes.ts'

export type ContentPart = TextPart | ImagePart | DocumentPart | AudioPart | RefusalPart | OpaquePart

export function readContent(content: unknown, path: string, notes: Notes): readonly ContentPart[] {
  if (content == null) return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) {
    notes.fail(path, 'Cannot read this content: send a text or a list of parts')
    return []
  }
  const parts: ContentPart[] = []
  for (const [i, part] of content.entries()) {
    const read = readPart(part, `${path}[${i}]`, notes)
    if (read !== undefined) parts.push(read)
  }
  return parts
}

function readPart(part: unknown, path: string, notes: Notes): ContentPart | undefined {
  if (!isObject(part)) {
    notes.fail(path, 'Cannot read this part: send an object with a "type"')
    return undefined
  }
  const base = { vendor: part, ...(isObject(part['prompt_cache_breakpoint']) ? { cache: {} } : {}) }
  const type = toText(part['type']) ?? ''
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'summary_text':
    case 'text': {
      const text = readText(part, 'text', path, notes)
      const citations = Array.isArray(part['annotations'])
        ? part['annotations'].filter((item) => isObject(item))
        : []
      return { ...base, type: 'text', text, ...(citations.length === 0 ? {} : { citations }) }
    }
    case 'refusal':
      return { ...base, type: 'refusal', text: readText(part, 'refusal', path, notes) }
    case 'input_image':
    case 'computer_screenshot': {
      const source = readImageSource(part)
      const detail = toText(part['detail'])
      if (source === undefined)
        notes.fail(path, 'Cannot read this image: give it an "image_url" or a "file_id"')
      else return { ...base, type: 'image', source, ...(detail === undefined ? {} : { detail }) }
      return undefined
    }
    case 'input_file':
      return readFile(part, base, path, notes)
    case 'input_audio': {
      const audio = isObject(part['input_audio']) ? part['input_audio'] : part
      const data = toText(audio['data'])
      if (data !== undefined)
        return { ...base, type: 'audio', data, format: toText(audio['format']) ?? 'wav' }
      notes.fail(path, 'Cannot read this audio: give it "data" and "format"')
      return undefined
    }
    default:
      return { ...base, type: 'opaque', what: `content ${type}`.trim() }
  }
}

function readText(part: JsonObject, field: string, path: string, notes: Notes): string {
  const text = part[field]
  if (typeof text === 'string') return text
  notes.fail(`${path}.${field}`, `Cannot read this part: "${field}" must be a text`)
  return ''
}

function readImageSource(part: JsonObject): Source | undefined {
  const given = part['image_url']
  // Flat on this wire; clients that came from Chat nest it.
  const url = toText(isObject(given) ? given['url'] : given)
  if (url !== undefined) return readDataUrl(url) ?? { type: 'url', url }
  const id = toText(part['file_id'])
  return id === undefined ? undefined : { type: 'file', id }
}

function readFile(
  part: JsonObject,
  base: { vendor: JsonObject },
  path: string,
  notes: Notes,
): DocumentPart | undefined {
  const filename = toText(part['filename'])
  const source = readFileSource(part, filename)
  if (source === undefined) {
    notes.fail(path, 'Cannot read this file: give it "file_data", a "file_url" or a "file_id"')
    return undefined
  }
  return { ...base, type: 'document', source, ...(filename === undefined ? {} : { filename }) }
}

function readFileSource(
  part: JsonObject,
  filename: string | undefined,
): DocumentPart['source'] | undefined {
  const data = toText(part['file_data'])
  if (data !== undefined) {
    const inline = readDataUrl(data) ?? {
      type: 'inline' as const,
      mediaType: /\.txt$|\.md$/i.test(filename ?? '') ? 'text/plain' : 'application/pdf',
      data,
    }
    return toPlainText(inline) ?? inline
  }
  const url = toText(part['file_url'])
  if (url !== undefined) return { type: 'url', url }
  const id = toText(part['file_id'])
  return id === undefined ? undefined : { type: 'file', id }
}

type Inline = Extract<Source, { type: 'inline' }>

/** By `indexOf`, not by a pattern: what follows may be megabytes. */
function readDataUrl(url: string): Inline | undefined {
  if (!url.startsWith('data:')) return undefined
  const comma = url.indexOf(',')
  if (comma === -1) return undefined
  const [mediaType, ...settings] = url.slice('data:'.length, comma).split(';')
  if (settings.at(-1) !== 'base64') return undefined
  return {
    type: 'inline',
    mediaType: (mediaType ?? '') === '' ? 'application/octet-stream' : (mediaType ?? ''),
    data: url.slice(comma + 1),
  }
}

/** Text can be shown to every model, base64 of it to few. */
function toPlainText({ mediaType, data }: Inline): { type: 'text'; text: string } | undefined {
  if (!mediaType.startsWith('text/') && mediaType !== 'application/json') return undefined
  try {
    const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0))
    return { type: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return undefined
  }
}
