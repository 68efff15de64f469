/**
 * What a model says in a test, in no wire's words, and how a provider of a wire says it. Neighbours:
 * `scripted-{messages,chat,responses}.ts` write it, by hand, `validating-upstream.ts` serves it and wants it back as it
 * was said. Knows nothing of `src/`: a provider that shares code with the gateway agrees with its mistakes.
 */

/** One turn of the model: it thinks, says something and calls tools, all of it if said. */
export interface ScriptedTurn {
  readonly thinking?: string
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  /** The same in another order, and more than once each. */
  readonly steps?: readonly Step[]
  /** The stream comes in pieces of a few bytes. */
  readonly isCut?: boolean
  /** `cut`: the stream ends without a finish; `error`: with the wire's own error; `hang`: it goes on for ever. */
  readonly ending?: 'cut' | 'error' | 'hang'
}

/** Thinking of no words is sealed all the same: there is nothing to see of it. */
export type Step = Readonly<{ thinking: string } | { text: string } | { call: ScriptedCall }>

export interface ScriptedCall {
  /** `#2`: of the third tool of the request, whatever it is called there. */
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** What went wrong instead of an answer. */
export type ScriptedFault = 'context' | 'overload' | 'rate-limit' | 'auth' | 'quota'

/** `silence`: no head, no byte. */
export type Scripted = ScriptedTurn | { readonly fault: ScriptedFault } | { readonly silence: true }

/** A call as it was issued. */
export interface IssuedCall extends ScriptedCall {
  readonly id: string
}

/** What was said, and what must come back with the next turn. */
export interface Issued {
  readonly calls: readonly IssuedCall[]
  /** Thoughts as the wire has them, a block, an item or the text alone, and the ids of calls, in their order. */
  readonly sequence: readonly unknown[]
  readonly seals: readonly string[]
}

interface WrittenTurn {
  /** The answer as one body. */
  readonly body: object
  /** The answer as a stream, without its end where it has none. */
  readonly frames: readonly string[]
  readonly issued: Issued
}

/** `serial` makes ids and seals: no two turns of a server share one. */
export type WriteTurn = (turn: ScriptedTurn, serial: number, model: string) => WrittenTurn

export interface WrittenFault {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: object
}

export const USAGE = { input: 120, cached: 20, output: 30 } as const

/** As a network might: several pieces, none of them a whole word. */
export function pieces(text: string, count = 3): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / count))
  const found: string[] = []
  for (let at = 0; at < text.length; at += size) found.push(text.slice(at, at + size))
  return found
}

/** Longer than any field for ids, and no base64url. */
export const sealOf = (serial: string, prefix: string): string =>
  `${prefix}${Buffer.from(`sealed thinking number ${serial} `.repeat(9)).toString('base64')}`

export const stepsOf = ({ steps, thinking, text, calls = [] }: ScriptedTurn): readonly Step[] =>
  steps ?? [
    ...(thinking === undefined ? [] : [{ thinking }]),
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map((call) => ({ call })),
  ]

/** The calls of a turn, with the ids that they are issued under. */
export const issue = (steps: readonly Step[], prefix: string): readonly IssuedCall[] =>
  steps.flatMap((step, i) => ('call' in step ? [{ ...step.call, id: `${prefix}x${i}` }] : []))

export const isTurn = (scripted: Scripted): scripted is ScriptedTurn =>
  !('fault' in scripted) && !('silence' in scripted)
