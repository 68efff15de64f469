/**
 * An answer that has come whole, to events: of a JSON body or of a stream that was collected. Neighbours:
 * `deliver.ts` hands them on.
 */
import { isObject, toList, type JsonObject } from '../base/json.ts'
import { chain, type Stage } from '../base/stage.ts'
import { createAssembler } from '../block/assemble.ts'
import type { StreamState } from '../block/state.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import { randomId } from '../wire/ids.ts'
import type { AnswerFacts, Wire } from '../wire/wire.ts'

/** What they come to. */
export function collect(events: Iterable<StreamEvent>): StreamState {
  const assembler = createAssembler()
  for (const event of events) assembler.apply(event)
  return assembler.state
}

/** What a JSON answer says of itself, without what it says where nobody asks for that: it is nearly all of it. */
export function readFacts(wire: Wire, json: JsonObject): AnswerFacts {
  const facts = wire.readFacts?.(json)
  if (facts !== undefined) return facts
  return collect(wire.readAnswer(withoutContent(wire.name, json), { isBrief: true }))
}

function withoutContent(wire: WireName, json: JsonObject): JsonObject {
  switch (wire) {
    case 'anthropic-messages':
      return { ...json, content: [] }
    case 'openai-chat':
      return { ...json, choices: toList(json['choices']).map(withoutMessage) }
    case 'openai-responses':
      // How it ended is told by the kinds of its items.
      return json
  }
}

const withoutMessage = (choice: unknown): unknown =>
  isObject(choice) ? { ...choice, message: { role: 'assistant' }, logprobs: null } : choice

/** Each through all stages, in their order. */
export function* throughStages(
  events: Iterable<StreamEvent>,
  stages: readonly Stage<StreamEvent, StreamEvent>[],
): Generator<StreamEvent> {
  if (stages.length === 0) {
    yield* events
    return
  }
  const all = stages.reduce((first, second) => chain(first, second))
  for (const event of events) yield* all.push(event)
  yield* all.end()
}

/** A stream that was collected. */
export function* readWhole(wire: Wire, body: Buffer): Generator<StreamEvent> {
  const framer = createFrameDecoder()
  const decoder = wire.createDecoder({ createId: randomId })
  for (const frame of [...framer.push(body), ...framer.end()]) yield* decoder.push(frame)
  yield* decoder.end()
}
