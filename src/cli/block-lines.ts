/**
 * A block for a person and for a program: what it says, the beginning of it, and all of it as JSON. Neighbours: the
 * commands that show blocks.
 */
import type { StreamBlock } from '../event/block.ts'
import { contentOf as plainContentOf } from '../event/block-content.ts'
import { visible } from './output.ts'

/** What a person wants to see of a block. */
export const contentOf = (block: StreamBlock): string =>
  block.type === 'thinking' && block.text === '' && block.signature !== undefined
    ? '(sealed)'
    : plainContentOf(block)

const PREVIEW = 60

/** Its beginning on one line, so that it cannot move a cursor. */
export function preview(text: string): string {
  const line = text
    .slice(0, PREVIEW * 2)
    .replace(/\s+/g, ' ')
    .trim()
  const short = line.length > PREVIEW ? `${line.slice(0, PREVIEW - 1)}…` : line
  return visible(short)
}

/** All of it. */
export function blockJson(block: StreamBlock): object {
  const base = {
    type: block.type,
    id: block.id,
    index: block.index,
    ...(block.choice === undefined ? {} : { choice: block.choice }),
  }
  const { isComplete } = block
  switch (block.type) {
    case 'text':
      return {
        ...base,
        text: block.text,
        ...(block.citations.length === 0 ? {} : { citations: block.citations }),
        isComplete,
      }
    case 'refusal':
      return { ...base, text: block.text, isComplete }
    case 'thinking':
      return {
        ...base,
        text: block.text,
        ...(block.signature === undefined ? {} : { signature: block.signature }),
        redacted: block.redacted,
        isComplete,
      }
    case 'tool-call':
      return {
        ...base,
        name: block.name,
        ...(block.namespace === undefined ? {} : { namespace: block.namespace }),
        arguments: block.arguments,
        dialect: block.dialect,
        isComplete,
      }
    case 'server-tool':
      return { ...base, name: block.name, arguments: block.arguments, isComplete }
    case 'tool-result':
      return { ...base, name: block.name, callId: block.callId, text: block.text, isComplete }
    case 'opaque':
      return { ...base, vendorType: block.vendorType, isComplete }
  }
}
