/**
 * What a ticket is, in words: its name, how it ended, how long is left. Pure. Neighbours: everything here shows them. Names
 * of tools and clients are written by others: they are shown on one line, with nothing hidden in them.
 */
import type { Remember, TicketDecision, TicketSummary } from '../../src/approvals/ticket.ts'
import { fullName } from '../../src/event/block.ts'
import { showName } from '../blocks/plain.ts'
import type { Tone } from '../kit/badge.tsx'

/** From here on the countdown warns. */
export const URGENT_MS = 10_000

export function nameOf({ call }: Pick<TicketSummary, 'call'>): string {
  if (call.type !== 'tool-call') return call.type === 'refusal' ? 'A refusal' : 'A text'
  const name = showName(fullName({ name: call.name ?? '', namespace: call.namespace }))
  return name.trim() === '' ? 'A tool without a name' : name
}

/** What it says of itself, or the name of its key. */
export function clientOf({ client }: Pick<TicketSummary, 'client'>): string {
  const known = client.agent ?? client.key
  return known === undefined || known === '' ? 'a client without a name' : showName(known)
}

/** 9 s, 4 min 05: whole seconds, since it counts down. */
export function toLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600)
    return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')}`
  return `${Math.floor(seconds / 3600)} h ${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')}`
}

/** How much of the time is left, from 1 to 0. */
export function toShare(
  { askedAt, deadlineAt }: Pick<TicketSummary, 'askedAt' | 'deadlineAt'>,
  now: number,
): number {
  const whole = deadlineAt - askedAt
  return whole <= 0 ? 0 : Math.min(1, Math.max(0, (deadlineAt - now) / whole))
}

const ENDS: Readonly<
  Record<TicketDecision['type'], { readonly says: string; readonly tone: Tone }>
> = {
  pass: { says: 'Passed', tone: 'ok' },
  edit: { says: 'Edited', tone: 'warn' },
  deny: { says: 'Denied', tone: 'bad' },
}

export const toEnd = ({
  decision,
}: Pick<TicketSummary, 'decision'>): { readonly says: string; readonly tone: Tone } =>
  decision === undefined ? { says: 'Expired', tone: 'plain' } : ENDS[decision.type]

/** What became of the call. */
export const OUTCOMES: Readonly<Record<TicketDecision['type'], string>> = {
  pass: 'The call runs as the model wrote it.',
  edit: 'The call runs with other arguments.',
  deny: 'The call does not run, and the model reads why.',
}

export const REMEMBERS: readonly {
  readonly value: Remember
  readonly label: string
  readonly says: string
}[] = [
  { value: 'once', label: 'Once', says: 'For this call only.' },
  {
    value: 'conversation',
    label: 'This conversation',
    says: 'The same call with exactly these arguments is decided alike in this conversation.',
  },
  {
    value: 'always',
    label: 'Always',
    says: 'The same call with exactly these arguments is decided alike whenever this client makes it, until the gateway restarts.',
  },
]

/** Sentences that people write again and again. */
export const QUICK_REASONS: readonly string[] = [
  'Not allowed here.',
  'Too broad: name the files.',
  'Say first what you want to reach by it.',
  'A person will do this.',
]
