/**
 * What had to be undone of a translation, for an answer that is read again later. Neighbours: `way.ts` does the same for
 * an exchange under way; `replay/` reads recorded answers. The upstream's own settings are not known any more: what
 * vendors of the same wire and model usually take is good enough to find the names of tools again.
 */
import type { JsonObject } from '../base/json.ts'
import { toProfile } from '../request/profile.ts'
import type { AnswerStage } from '../translate/answer-stage.ts'
import { createAnswerStages, translateRequest } from '../translate/translate.ts'
import type { Wire } from '../wire/wire.ts'

export type PastStage = AnswerStage

/** None where the request cannot be translated any more: then calls keep the names that the upstream gave them. */
export function createPastStages(of: {
  /** The client's, and the upstream's. */
  readonly from: Wire
  readonly to: Wire
  /** What the client asked. */
  readonly body: JsonObject
  readonly model: string
}): readonly PastStage[] {
  const { from, to, body, model } = of
  const profile = toProfile({ wire: to.name, host: undefined, vendor: undefined, model })
  const translated = translateRequest({ from, to, body, model, isStream: true, profile })
  return translated.ok ? createAnswerStages(translated) : []
}
