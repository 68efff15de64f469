/**
 * The contract of reading and writing requests, as each wire keeps it. Neighbours: `wire/<format>/request*.ts`
 * keep it, `translate/` puts two of them together.
 */
import type { JsonObject } from '../base/json.ts'
import type { Loss } from '../event/loss.ts'
import type { CallNames } from './call-names.ts'
import type { ThinkingPart } from './part.ts'
import type { Profile } from './profile.ts'
import type { ModelRequest, RequestProblem } from './request.ts'

export type ReadRequest =
  | { readonly ok: true; readonly request: ModelRequest }
  | { readonly ok: false; readonly problem: RequestProblem }

/** What is wrong with a conversation of which nothing is left for the target: none takes an empty one. */
export const NOTHING_SAID = 'Send a message that has something in it which this upstream can read'

export interface WriteOptions {
  /** What the model is called at the target. */
  readonly model: string
  readonly isStream: boolean
  /** What the target takes. */
  readonly profile: Profile
  /** The name of the upstream: thinking that it sealed goes back to it, and to no other. */
  readonly issuer?: string | undefined
  /** Without thinking of earlier turns: the upstream has refused what was sealed. */
  readonly isUnsealed?: boolean | undefined
  /** Thinking that stood before that call, for clients whose format hands none back. */
  recall?(callId: string): readonly ThinkingPart[] | undefined
  /** What the upstream had on a call beside its own fields and wants back: Gemini's signature. */
  recallExtra?(callId: string): JsonObject | undefined
}

export type WrittenRequest =
  | {
      readonly ok: true
      readonly body: JsonObject
      /** Headers that belong to what the body says. */
      readonly headers: Readonly<Record<string, string>>
      readonly losses: readonly Loss[]
      /** How the calls in the answer are read back. */
      readonly names: CallNames
      /** Stop sequences that the target does not know: we look for them ourselves. */
      readonly stop: readonly string[]
    }
  | { readonly ok: false; readonly problem: RequestProblem }

/** One wire's part in it. */
export interface RequestForm {
  readRequest(body: JsonObject): ReadRequest
  writeRequest(request: ModelRequest, options: WriteOptions): WrittenRequest
}
