/**
 * The content of a Chat message to parts. Neighbours: `request-read-messages.ts`; `request-write-parts.ts`
 * goes the other way. Knows no role: servers take in one place what the vendor has in another (qwen-code
 * sends lists in tool messages, Mistral thinking in content).
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { DocumentPart, OpaquePart, Part, Source } from '../../request/part.ts'
import type { CacheMark } from '../../request/request.ts'
import { describe, type Problems } from './request-fields.ts'

/** Empty texts say nothing, and one API or another refuses them. */
export function readParts(content: unknown, path: string, problems: Problems): readonly Part[] {
  if (content === null || content === undefined || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) {
    problems.add(path, `Send a string or a list of parts: got ${describe(content)}`)
    return []
  }
  const parts: readonly unknown[] = content
  return parts.flatMap((part, i) => readPart(part, `${path}[${i}]`, problems))
}

function readPart(value: unknown, path: string, problems: Problems): readonly Part[] {
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }]
  if (!isObject(value)) {
    problems.add(path, `Send a part as an object: got ${describe(value)}`)
    return []
  }
  const base = { vendor: value, ...readCache(value) }
  switch (value['type']) {
    case undefined:
    case 'text':
    case 'input_text':
    case 'output_text': {
      const text = value['text'] ?? ''
      if (typeof text === 'string') return text === '' ? [] : [{ ...base, type: 'text', text }]
      problems.add(`${path}.text`, `Send the text as a string: got ${describe(text)}`)
      return []
    }
    case 'refusal': {
      const text = toText(value['refusal'])
      return text === undefined ? [] : [{ ...base, type: 'refusal', text }]
    }
    case 'thinking': {
      const text = toList(value['thinking'])
        .map((inner) => toText(toObject(inner)?.['text']) ?? '')
        .join('')
      return text === '' ? [] : [{ ...base, type: 'thinking', text, seal: undefined }]
    }
    case 'image_url': {
      const image = toObject(value['image_url'])
      // A bare string is what some servers take.
      const url = toText(image?.['url']) ?? toText(value['image_url'])
      const detail = toText(image?.['detail'])
      if (url !== undefined)
        return [{ ...base, type: 'image', source: toSource(url), ...(detail && { detail }) }]
      problems.add(`${path}.image_url.url`, 'Send the address of the image, or a data URL')
      return []
    }
    case 'file':
      return readFile(value, base, path, problems)
    case 'input_audio': {
      const audio = toObject(value['input_audio'])
      const data = toText(audio?.['data'])
      if (data !== undefined)
        return [{ ...base, type: 'audio', data, format: toText(audio?.['format']) ?? 'wav' }]
      problems.add(`${path}.input_audio.data`, 'Send the audio in base64')
      return []
    }
    default:
      return [{ ...base, ...toOpaque(value) }]
  }
}

function readFile(
  part: JsonObject,
  base: Pick<DocumentPart, 'vendor' | 'cache'>,
  path: string,
  problems: Problems,
): readonly Part[] {
  const file = toObject(part['file'])
  const data = toText(file?.['file_data'])
  const id = toText(file?.['file_id'])
  const filename = toText(file?.['filename'])
  if (data === undefined && id === undefined) {
    problems.add(`${path}.file`, 'Send "file_data" with a data URL, or "file_id"')
    return []
  }
  const source: Source =
    data === undefined ? { type: 'file', id: id ?? '' } : toInline(data, filename)
  return [{ ...base, type: 'document', source, ...(filename && { filename }) }]
}

/** A document without a prefix is bare base64, as the first clients sent it. */
function toInline(data: string, filename: string | undefined): Source {
  const source = toSource(data)
  if (source.type !== 'url' || /^https?:/i.test(data)) return source
  const isText = filename !== undefined && /\.(?:txt|md|csv)$/i.test(filename)
  return { type: 'inline', mediaType: isText ? 'text/plain' : 'application/pdf', data }
}

/** Only base64 is inline to us: what is written out in a data URL stays an address. */
function toSource(url: string): Source {
  if (!/^data:/i.test(url)) return { type: 'url', url }
  const comma = url.indexOf(',')
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';')
  const isBase64 = comma > 0 && parameters.at(-1)?.trim().toLowerCase() === 'base64'
  if (!isBase64) return { type: 'url', url }
  return {
    type: 'inline',
    mediaType: mediaType.trim().toLowerCase() || 'application/octet-stream',
    data: url.slice(comma + 1),
  }
}

/** OpenAI's mark, and the one that OpenRouter takes over from Anthropic. */
function readCache(part: JsonObject): { cache?: CacheMark } {
  const mark = toObject(part['prompt_cache_breakpoint']) ?? toObject(part['cache_control'])
  if (mark === undefined) return {}
  const ttl = toText(mark['ttl'])
  return { cache: ttl === undefined ? {} : { ttl } }
}

function toOpaque(vendor: JsonObject): OpaquePart {
  const text = toText(vendor['text'])
  const what = toText(vendor['type']) ?? 'part'
  return { type: 'opaque', what, vendor, ...(text === undefined ? {} : { text }) }
}
