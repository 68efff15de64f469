/** Parts of the canonical request → parts as views show them. Neighbours: `request-view.ts` asks, `src/request/part.ts`. */
import type { Part, Source, ToolResultPart } from '../../src/request/part.ts'
import { fullName } from '../../src/event/block.ts'
import { toSize } from '../core/format.ts'
import type { PartView } from './request-view.ts'

/** `names`: of calls by their ids, filled as calls are read, so that results can say what they answer. */
export function toPartView(part: Part, names: Map<string, string>): PartView {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { type: part.type, text: part.text }
    case 'thinking':
      return { type: 'thinking', text: part.text === '' ? '(sealed by its vendor)' : part.text }
    case 'tool-call': {
      const name = fullName(part)
      names.set(part.id, name)
      return { type: 'tool-call', id: part.id, name, content: part.arguments }
    }
    case 'tool-result':
      return {
        type: 'tool-result',
        id: part.callId,
        name: names.get(part.callId),
        text: part.parts.map(toWords).join('\n'),
        isError: part.isError,
      }
    case 'image':
    case 'document':
    case 'audio':
      return { type: 'attachment', says: toMedia(part) }
    case 'opaque':
      return { type: 'other', says: part.what, value: part.vendor }
  }
}

function toWords(part: ToolResultPart['parts'][number]): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'opaque':
      return part.text ?? `[${part.what}]`
    case 'image':
    case 'document':
      return part.type === 'document' && part.source.type === 'text'
        ? part.source.text
        : `[${toMedia(part)}]`
  }
}

function toMedia(part: Extract<Part, { type: 'image' | 'document' | 'audio' }>): string {
  if (part.type === 'audio') return `audio, ${part.format}, ${toSize(bytesOf(part.data))}`
  const name = part.type === 'document' ? (part.filename ?? part.title) : undefined
  const what = name === undefined ? part.type : `${part.type} “${name}”`
  return part.source.type === 'text'
    ? `${what}, ${toSize(part.source.text.length)} of text`
    : `${what}, ${toOrigin(part.source)}`
}

function toOrigin(source: Source): string {
  switch (source.type) {
    case 'inline':
      return `${source.mediaType}, ${toSize(bytesOf(source.data))}`
    case 'url':
      return source.url.startsWith('data:') ? toSize(bytesOf(source.url)) : source.url
    case 'file':
      return `file ${source.id}`
  }
}

/** Of base64. */
const bytesOf = (data: string): number => Math.floor((data.length * 3) / 4)
