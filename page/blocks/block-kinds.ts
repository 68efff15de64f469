/** What kinds of blocks are called, and how they look. The same in answers, requests and conversations. */
import type { IconName } from '../kit/icons.tsx'

interface Kind {
  readonly label: string
  readonly icon: IconName
  /** The colour of its picture. */
  readonly ink: string
}

const KINDS: Readonly<Record<string, Kind>> = {
  text: { label: 'Text', icon: 'text', ink: 'text-muted' },
  thinking: { label: 'Thinking', icon: 'thinking', ink: 'text-thinking' },
  'tool-call': { label: 'Tool call', icon: 'tool', ink: 'text-accent' },
  'server-tool': { label: 'Server tool', icon: 'tool', ink: 'text-accent' },
  'tool-result': { label: 'Result', icon: 'back', ink: 'text-muted' },
  refusal: { label: 'Refusal', icon: 'halt', ink: 'text-warn' },
  opaque: { label: 'Other', icon: 'info', ink: 'text-muted' },
  attachment: { label: 'Attachment', icon: 'save', ink: 'text-muted' },
}

const OTHER: Kind = { label: 'Other', icon: 'info', ink: 'text-muted' }

export const toKind = (type: string): Kind =>
  (Object.hasOwn(KINDS, type) ? KINDS[type] : undefined) ?? OTHER
