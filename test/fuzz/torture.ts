/**
 * What must hold for any bytes at all, on any wire. Throws with the reason when it does not.
 */
import {
  createAssembler,
  SluiceError,
  WIRE_NAMES,
  WIRES,
  type StreamEvent,
  type WireName,
} from '../../src/index.ts'
import { assemble, encode, lint, readEvents, readFrames } from '../support/pipeline.ts'

export function torture(wire: WireName, pieces: readonly Uint8Array[]): void {
  const bytes = new Uint8Array(Buffer.concat(pieces))
  const events = named(() => readEvents(wire, pieces))
  if (events === undefined) return
  checkEvents(events)
  const whole = readEvents(wire, [bytes])
  same('the cutting changes the events', events.map(shape), whole.map(shape))
  checkSameWire(wire, bytes, events)
  for (const to of WIRE_NAMES) if (to !== wire) checkCross(wire, to, events)
  for (const name of WIRE_NAMES) {
    const grammar = WIRES[name].createGrammar()
    for (const frame of readFrames(pieces)) grammar.push(frame)
    grammar.end()
  }
}

/** Only our own errors may come out. */
function named<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof SluiceError) return undefined
    throw error
  }
}

/** The order that every policy relies on, and one end. */
function checkEvents(events: readonly StreamEvent[]): void {
  const open = new Map<number, unknown>()
  const over = new Set<unknown>()
  let ends = 0
  const assembler = createAssembler()
  for (const event of events) {
    const choice = event.choice ?? 0
    const { justCompleted } = assembler.apply(event)
    if (event.type === 'block-start') {
      if (open.get(choice) !== undefined) throw new Error('a block started inside another')
      if (over.has(event.block)) throw new Error('a block started again')
      open.set(choice, event.block)
    } else if (event.type === 'block-delta' && open.get(choice) !== event.block) {
      throw new Error('a delta outside its block')
    } else if (event.type === 'block-stop') {
      if (open.get(choice) !== event.block) throw new Error('a stop outside its block')
      if (justCompleted === undefined) throw new Error('a stop that completes nothing')
      open.delete(choice)
      over.add(event.block)
    } else if (event.type === 'message-stop' || event.type === 'error') {
      ends += 1
    }
  }
  if (ends !== 1) throw new Error(`${ends} ends`)
}

function checkSameWire(wire: WireName, bytes: Uint8Array, events: readonly StreamEvent[]): void {
  const back = encode(wire, events)
  if (back.isVerbatim) {
    same(
      'the bytes changed',
      Buffer.from(back.bytes).toString('latin1'),
      Buffer.from(bytes).toString('latin1'),
    )
  } else if (assemble(readEvents(wire, [back.bytes])).error === undefined) {
    throw new Error('a rewritten end of an untouched stream is a success')
  }
}

function checkCross(from: WireName, to: WireName, events: readonly StreamEvent[]): void {
  const { bytes } = encode(to, events)
  // Arguments that never were JSON are the model's, and the client's to answer: they pass as they are.
  const findings = lint(to, bytes).filter(({ rule }) => rule !== 'B11-json')
  if (findings.length > 0)
    throw new Error(
      `${from} to ${to}: ${findings.map(({ rule, message }) => `${rule} ${message}`).join(', ')}`,
    )
  const before = assemble(events)
  const after = assemble(readEvents(to, [bytes]))
  if ((before.error === undefined) !== (after.error === undefined) && !isToldApart(before, to))
    throw new Error(
      `${from} to ${to}: ${before.error?.message ?? 'success'} became ${after.error?.message ?? 'success'}`,
    )
}

/** Arguments that are no JSON object cannot be said on the Anthropic wire: the answer ends as an error there. */
function isToldApart(state: ReturnType<typeof assemble>, to: WireName): boolean {
  return (
    to === 'anthropic-messages' &&
    state.blocks.some((block) => block.type === 'tool-call' && !block.parseArguments().ok)
  )
}

const shape = (event: StreamEvent): string =>
  JSON.stringify({
    ...event,
    step: event.step?.number,
    block: 'block' in event ? event.block?.id : undefined,
  })

function same(what: string, a: unknown, b: unknown): void {
  if (JSON.stringify(a) !== JSON.stringify(b)) throw new Error(what)
}
