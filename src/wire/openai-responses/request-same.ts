/**
 * A request of this wire to an upstream of this wire: the client's own body, with every field that we do not
 * know. Only the model, the stream flag and thinking that this upstream did not seal are changed.
 * Neighbours: `request-write.ts` for requests of other wires.
 */
import { isObject, toText, type JsonObject } from '../../base/json.ts'
import { createCallNames } from '../../request/call-names.ts'
import type { ModelRequest } from '../../request/request.ts'
import type { WriteOptions, WrittenRequest } from '../../request/write.ts'
import { unseal } from '../envelope.ts'
import { reasoningOf } from './request-write-items.ts'

export function writeSame(request: ModelRequest, options: WriteOptions): WrittenRequest {
  const { body } = request.source
  const { input } = body
  const hasStream = options.isStream || body['stream'] !== undefined
  return {
    ok: true,
    body: {
      ...body,
      model: options.model,
      ...(hasStream ? { stream: options.isStream } : {}),
      ...(Array.isArray(input) ? { input: toOwnItems(input, options) } : {}),
    },
    headers: {},
    losses: [],
    names: createCallNames({
      tools: request.tools,
      maxLength: Number.POSITIVE_INFINITY,
      hasNamespaces: true,
    }),
    stop: [],
  }
}

/** Without foreign thinking, and without own thinking that stood before it: that has lost its follower. */
function toOwnItems(
  items: readonly unknown[],
  { issuer, isUnsealed }: WriteOptions,
): readonly unknown[] {
  const kept: unknown[] = []
  let isNextGone = false
  for (const item of items.toReversed()) {
    const isThinking = isObject(item) && item['type'] === 'reasoning'
    // The upstream refused what it had sealed.
    const own = !isThinking ? item : isUnsealed === true ? undefined : toOwn(item, issuer)
    isNextGone = isThinking && (own === undefined || isNextGone)
    if (!isNextGone) kept.push(own)
  }
  return kept.reverse()
}

function toOwn(item: JsonObject, issuer: string | undefined): JsonObject | undefined {
  const sealed = unseal(toText(item['encrypted_content']))
  return sealed === undefined ? item : reasoningOf({ text: sealed.text, seal: sealed }, issuer)
}
