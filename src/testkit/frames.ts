/**
 * What left an engine → the bytes that a client of each wire gets, looked over by its grammar. Neighbours: `result.ts`
 * hands it to tests. Written when a test asks, and once.
 */
import { chain } from '../base/stage.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import { holdsCalls } from '../policy/installed.ts'
import type { Installed } from '../policy/policy.ts'
import { createTogether } from '../policy/together.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import { toBytes, type Written } from '../sse/encode.ts'
import type { Finding } from '../wire/grammar.ts'
import { WIRE_NAMES, WIRES } from '../wire/wires.ts'

export interface WireFinding extends Finding {
  readonly wire: WireName
}

export interface Frames {
  frames(wire: WireName): string
  findings(): readonly WireFinding[]
}

export function createFrames(
  sent: readonly StreamEvent[],
  of: { readonly installed: readonly Installed[]; readonly now: () => number },
): Frames {
  const written = new Map<WireName, readonly Uint8Array[]>()

  function bytesOf(wire: WireName): readonly Uint8Array[] {
    const known = written.get(wire)
    if (known !== undefined) return known
    const isTogether = wire === 'anthropic-messages' && of.installed.some(holdsCalls)
    const bytes = write(wire, isTogether ? together(sent) : sent, of.now)
    written.set(wire, bytes)
    return bytes
  }

  return {
    frames(wire) {
      const decoder = new TextDecoder()
      const text = bytesOf(wire).map((bytes) => decoder.decode(bytes, { stream: true }))
      return text.join('') + decoder.decode()
    },
    findings: () =>
      sent.length === 0
        ? []
        : WIRE_NAMES.flatMap((wire) =>
            check(wire, bytesOf(wire)).map((finding) => ({ ...finding, wire })),
          ),
  }
}

/** The calls of one message together, as the engine has it for clients of such a wire. */
function together(events: readonly StreamEvent[]): readonly StreamEvent[] {
  const sorted: StreamEvent[] = []
  const nothing = (): void => {}
  const stage = createTogether({
    send: (event) => sorted.push(event),
    ended: nothing,
    pause: nothing,
    resume: nothing,
    halt: nothing,
    fail: nothing,
  })
  for (const event of events) stage.push(event)
  stage.end()
  return sorted
}

function write(
  wire: WireName,
  events: readonly StreamEvent[],
  now: () => number,
): readonly Uint8Array[] {
  let ids = 0
  const encoder = WIRES[wire].createEncoder({
    now: () => Math.floor(now() / 1000),
    createId: () => `test${String(++ids).padStart(20, '0')}`,
  })
  const frames: Written[] = []
  for (const event of events) for (const frame of encoder.push(event)) frames.push(frame)
  for (const frame of encoder.end()) frames.push(frame)
  return frames.map(toBytes)
}

function check(wire: WireName, bytes: readonly Uint8Array[]): readonly Finding[] {
  const grammar = chain(createFrameDecoder(), WIRES[wire].createGrammar())
  const found: Finding[] = []
  for (const piece of bytes) for (const one of grammar.push(piece)) found.push(one)
  return [...found, ...grammar.end()]
}
