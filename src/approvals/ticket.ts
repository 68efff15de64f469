/**
 * A ticket: what a person sees of a call that waits, and the name it goes by. Neighbours: `desk.ts` writes them,
 * `server/api*.ts` and the command line show them. Plain values: they cross processes and leave as JSON.
 */
import type { HeldType } from '../policy/policy.ts'

/** How long a decision holds: for this call, for the same call in this conversation, or for it from this client. */
export const REMEMBER = ['once', 'conversation', 'always'] as const
export type Remember = (typeof REMEMBER)[number]

/** What is known of a ticket without what it is about in full: for lists and live views. */
export interface TicketSummary {
  readonly ticket: string
  readonly status: 'pending' | 'decided' | 'expired'
  readonly policy: string
  /** Of a policy made of rules: the one that asks. */
  readonly rule?: string | undefined
  readonly question: string
  readonly reason?: string | undefined
  /** Milliseconds since 1970. */
  readonly askedAt: number
  readonly deadlineAt: number
  /** Whether somebody waits for the decision. If not, it is used when the client asks again. */
  readonly isWaitedFor: boolean
  readonly client: { readonly key?: string | undefined; readonly agent?: string | undefined }
  readonly exchangeId: string
  readonly conversationId: string
  readonly model: string
  readonly call: {
    readonly type: HeldType
    readonly id: string
    /** Of a tool call. */
    readonly name?: string | undefined
    readonly namespace?: string | undefined
    /** The beginning of its arguments, or of the text. */
    readonly preview: string
  }
  readonly decision?: TicketDecision | undefined
  /** The gateway where it was asked, where there are several. */
  readonly gateway?: string | undefined
  /** What a person must know of it beside: that this gateway is gone. */
  readonly note?: string | undefined
}

export interface Ticket extends TicketSummary {
  readonly call: TicketSummary['call'] & {
    /** The arguments as they came, or the text. */
    readonly content: string
    /** Whether the arguments are free text and no JSON. */
    readonly isFreeText: boolean
  }
}

export interface TicketDecision {
  readonly type: 'pass' | 'deny' | 'edit'
  readonly by: string
  readonly at: number
  readonly reason?: string | undefined
  readonly args?: Readonly<Record<string, unknown>> | string | undefined
  readonly remember: Remember
}

/** What a person says to a ticket. */
export interface Answer {
  readonly type: 'pass' | 'deny' | 'edit'
  /** Of an edit: what the call is made with instead. */
  readonly args?: Readonly<Record<string, unknown>> | string | undefined
  readonly reason?: string | undefined
  readonly by?: string | undefined
  readonly remember?: Remember | undefined
}

export type Outcome =
  | { readonly type: 'decided'; readonly ticket: Ticket }
  /** Somebody was first. */
  | { readonly type: 'already'; readonly ticket: Ticket }
  | { readonly type: 'unknown' }
  | { readonly type: 'wrong'; readonly message: string }

export interface ApprovalNews {
  /** `waiting`: the client left, or came back. */
  readonly type: 'asked' | 'waiting' | 'decided' | 'expired'
  readonly ticket: TicketSummary
}

/** No vowels, so that no word comes out; nothing that looks like something else. */
const LETTERS = '23456789BCDFGHJKMNPQRSTVWXZ'
const NAME_LETTERS = 6

/** A fresh name such as `4XK-9TP`. */
export function createTicketName(
  random: (size: number) => Uint8Array,
  isTaken: (name: string) => boolean,
): string {
  for (;;) {
    const picked: string[] = []
    while (picked.length < NAME_LETTERS) picked.push(...toLetters(random(NAME_LETTERS * 2)))
    const name = `${picked.slice(0, 3).join('')}-${picked.slice(3, NAME_LETTERS).join('')}`
    if (!isTaken(name)) return name
  }
}

/** A byte beyond the last whole round would make the first letters likelier. */
const FAIR = Math.floor(256 / LETTERS.length) * LETTERS.length

const toLetters = (bytes: Uint8Array): string[] =>
  [...bytes].filter((byte) => byte < FAIR).map((byte) => LETTERS.charAt(byte % LETTERS.length))

/** As people type it: in any case, with or without the dash. */
export function readTicketName(typed: string): string {
  const letters = typed.slice(0, 20).toUpperCase().replaceAll('-', '')
  return `${letters.slice(0, 3)}-${letters.slice(3)}`
}
