/**
 * A recorded answer → what is to be seen of it: its blocks with the time of their first and last byte, how it ended, and
 * what is wrong with it. Neighbours: `read-record.ts` puts both answers of an exchange together. The same decoder reads
 * it as when it passed.
 */
import { contentOf } from '../event/block-content.ts'
import { isObject } from '../base/json.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { createAssembler } from '../block/assemble.ts'
import type { StreamState } from '../block/state.ts'
import type { BlockInfo, StreamBlock } from '../event/block.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import type { FinishReason } from '../event/finish.ts'
import type { Usage } from '../event/usage.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import type { Body } from '../store/record.ts'
import type { Finding } from '../wire/grammar.ts'
import { WIRES } from '../wire/wires.ts'
import { isJsonBody, parseBody } from './body-form.ts'
import { arrivals } from './redact-answer.ts'

export interface AnswerView {
  readonly wire: WireName
  /** `other`: nothing that a client of this wire can read. */
  readonly form: 'stream' | 'json' | 'error' | 'other'
  readonly id: string | undefined
  readonly model: string | undefined
  readonly blocks: readonly BlockView[]
  readonly finishReason: FinishReason | undefined
  readonly usage: Usage | undefined
  readonly fault: StreamFault | undefined
  /** What is not as the wire's grammar has it; of a stream, and not more than a hundred. */
  readonly findings: readonly Finding[]
}

export interface BlockView {
  readonly block: StreamBlock
  /** The text, or the raw arguments; of an opaque block what its vendor calls it. */
  readonly content: string
  /** Microseconds since the exchange began: its first and its last byte; `undefined` where nobody kept them. */
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
}

const MAX_FINDINGS = 100

export function readAnswer(wire: WireName, body: Body): AnswerView {
  return isJsonBody(body.bytes) ? readJson(wire, body) : readStream(wire, body)
}

/** When something was said of a block first, and when last. */
type Times = Map<BlockInfo, { first: number | undefined; last: number | undefined }>

function readStream(wire: WireName, { bytes, times }: Body): AnswerView {
  const framer = createFrameDecoder({ maxFrameBytes: Number.POSITIVE_INFINITY })
  const decoder = WIRES[wire].createDecoder()
  const grammar = WIRES[wire].createGrammar()
  const assembler = createAssembler()
  const seen: Times = new Map()
  const findings: Finding[] = []
  const find = (found: readonly Finding[]): void => {
    findings.push(...found.slice(0, MAX_FINDINGS - findings.length))
  }
  const apply = (events: readonly StreamEvent[], at: number | undefined): void => {
    for (const event of events) {
      assembler.apply(event)
      note(seen, event, at)
    }
  }
  const read = (frames: ReturnType<typeof framer.push>, at: number | undefined): void => {
    for (const frame of frames) {
      find(grammar.push(frame))
      apply(decoder.push(frame), at)
    }
  }
  const hasTimes = times.length > 0
  try {
    for (const [chunk, at] of arrivals(bytes, times))
      read(framer.push(chunk), hasTimes ? at : undefined)
    read(framer.end(), times.at(-1))
    apply(decoder.end(), times.at(-1))
    find(grammar.end())
  } catch (error) {
    // Too large for a message: what was read of it is shown.
    if (!(error instanceof SluiceError)) throw error
  }
  const { state } = assembler
  const isEmpty = state.blocks.length === 0 && state.id === undefined && !state.isStopped
  const isOther = isEmpty && (state.error === undefined || state.error.kind === 'cut')
  return toView(wire, state, { form: isOther ? 'other' : 'stream', seen, findings })
}

function readJson(wire: WireName, { bytes, times }: Body): AnswerView {
  const json = parseBody(bytes)
  const assembler = createAssembler()
  const seen: Times = new Map()
  const at = times.at(-1)
  const as = isObject(json) ? WIRES[wire].recognise(json) : undefined
  if (!isObject(json) || as === undefined)
    return toView(wire, assembler.state, { form: 'other', seen, findings: [] })
  const events: readonly StreamEvent[] =
    as === 'error'
      ? [{ type: 'error', error: WIRES[wire].readError(json) }]
      : WIRES[wire].readAnswer(json)
  for (const event of events) {
    assembler.apply(event)
    note(seen, event, at)
  }
  const form = as === 'error' ? 'error' : 'json'
  return toView(wire, assembler.state, { form, seen, findings: [] })
}

function note(seen: Times, event: StreamEvent, at: number | undefined): void {
  const isOfBlock =
    event.type === 'block-start' || event.type === 'block-delta' || event.type === 'block-stop'
  if (!isOfBlock) return
  const times = seen.get(event.block)
  if (times === undefined) seen.set(event.block, { first: at, last: at })
  // Where there is no other sign, the end of a block is seen when the next begins.
  else if (event.type !== 'block-stop' || event.vendor !== undefined) times.last = at
}

function toView(
  wire: WireName,
  state: StreamState,
  of: Pick<AnswerView, 'form' | 'findings'> & { readonly seen: Times },
): AnswerView {
  return {
    wire,
    form: of.form,
    id: state.id,
    model: state.model,
    blocks: state.blocks.map((block) => {
      const times = of.seen.get(block.info)
      return { block, content: contentOf(block), startedAt: times?.first, endedAt: times?.last }
    }),
    finishReason: state.finishReason,
    usage: state.usage,
    fault: state.error,
    findings: of.findings,
  }
}
