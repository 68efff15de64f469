/**
 * The answer that a request goes on from, `previous_response_id` → who may be asked. Upstreams keep answers
 * by account, and keys that share one must not read each other's through it. Neighbours: `exchange.ts`;
 * `origins.ts` knows whose answer is whose.
 */
import type { JsonObject } from '../base/json.ts'
import type { StreamFault } from '../event/fault.ts'
import { takesClientCredential } from '../upstream/credential.ts'
import type { Client } from './exchange.ts'
import type { Origins } from './origins.ts'
import type { Target } from './target.ts'

interface PreviousAnswer {
  /** As the client named it. */
  readonly id: unknown
  readonly client: Client
  readonly origins: Origins
  /** Whether policies act on answers: then only one that is known to have left as it came may be gone on from. */
  readonly isActedOn: boolean
}

/** Those that may go on from it, in their order; none, where it is not this client's to name. */
export function whoKeeps(
  targets: readonly Target[],
  { id, client, origins, isActedOn }: PreviousAnswer,
): readonly Target[] {
  if (id === undefined || id === null) return targets
  const origin = typeof id === 'string' ? origins.find(client.key, id) : undefined
  // What its upstream keeps has in it what was taken out here.
  if (origin?.isChanged === true) return []
  if (origin !== undefined) {
    const keeper = targets.filter(({ settings }) => settings.name === origin.upstream)
    return keeper.length > 0 ? keeper : targets
  }
  if (isActedOn) return []
  // Without keys there is one person.
  if (client.key === undefined) return targets
  // An upstream that is shown the client's own credential knows by itself whose answer it is.
  return client.hasOwnCredential
    ? targets.filter(({ settings }) => takesClientCredential(settings))
    : []
}

/** What OpenAI says of one that it does not know; clients then send the whole conversation. */
export function toPreviousFault(id: unknown): { fault: StreamFault; error: JsonObject } {
  const shown = typeof id === 'string' ? id.slice(0, 256) : JSON.stringify(id)
  const message = `Previous response with id '${shown}' not found.`
  const code = 'previous_response_not_found'
  return {
    fault: { kind: 'invalid-request', message, code },
    error: {
      error: { message, type: 'invalid_request_error', param: 'previous_response_id', code },
    },
  }
}
