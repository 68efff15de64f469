/**
 * `sluice convert`: an answer of one wire as an answer of another. Neighbours: `input.ts` opens it, the
 * wires do the work. What comes in as a stream goes out as a stream while it comes.
 */
import { stringifyExact } from '../base/json-exact.ts'
import type { JsonObject } from '../base/json.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { createAssembler } from '../block/assemble.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import type { Loss } from '../event/loss.ts'
import { randomId, toBareId } from '../wire/ids.ts'
import { WIRES } from '../wire/wires.ts'
import { readArguments, readWire } from './arguments.ts'
import type { Command, Streams } from './command.ts'
import { openInput, type Input } from './input.ts'
import { visible } from './output.ts'

export const convert: Command = {
  help: `sluice convert --from WIRE --to WIRE [--stream | --collect] [--strict] [FILE]

Reads an answer of one wire and writes it as one of another to standard output.
A stream becomes a stream, while it comes; a JSON answer becomes a JSON answer.
On the same wire it leaves byte for byte as it came.

  --from WIRE   the wire of the input
  --to WIRE     the wire of the output
  --stream      write a stream, also from a JSON answer
  --collect     write one JSON answer, also from a stream
  --strict      exit 1 when something could not be carried over

What the target cannot say is listed on standard error, as losses. A source that
is cut or ends with an error ends in the target's own error form, with exit 1.
`,
  async run(argv, streams) {
    const { values, file } = readArguments(argv, {
      from: { type: 'string' },
      to: { type: 'string' },
      stream: { type: 'boolean' },
      collect: { type: 'boolean' },
      strict: { type: 'boolean' },
    })
    const from = readWire('--from', values.from)
    const to = readWire('--to', values.to)
    if (values.stream === true && values.collect === true)
      throw new SluiceError('wrong-use', 'Say --stream or --collect, not both')
    const input = await openInput(file, from)
    const isStream = values.stream ?? (values.collect === true ? false : input.type === 'stream')
    const job: Job = { input, to, streams, isForced: values.stream === true }
    const result = isStream ? await writeStream(job) : await writeBody(job)
    await report(result, streams)
    if (result.fault !== undefined) return 1
    return values.strict === true && result.losses.length > 0 ? 1 : 0
  },
}

interface Job {
  readonly input: Input
  readonly to: WireName
  readonly streams: Streams
  /** The user asked for SSE: lines of JSON do not leave as lines. */
  readonly isForced: boolean
}

interface Result {
  readonly fault: StreamFault | undefined
  readonly losses: readonly Loss[]
}

async function writeStream({ input, to, streams, isForced }: Job): Promise<Result> {
  let id = ''
  const encoder = WIRES[to].createEncoder({ createId: () => toStableId(id) })
  for await (const events of readEvents(input, isForced)) {
    for (const event of events) {
      if (event.type === 'message-start') id = event.id
      for (const written of encoder.push(event)) await streams.out.write(written)
    }
    if (streams.out.isGone) break
  }
  for (const written of encoder.end()) await streams.out.write(written)
  return { fault: streams.out.isGone ? undefined : encoder.fault, losses: encoder.losses() }
}

async function* readEvents(
  input: Input,
  isForced: boolean,
): AsyncGenerator<readonly StreamEvent[]> {
  const wire = WIRES[input.wire]
  if (input.type === 'answer') yield wire.readAnswer(input.body)
  if (input.type === 'error') yield [{ type: 'error', error: wire.readError(input.body) }]
  if (input.type !== 'stream') return
  const decoder = wire.createDecoder()
  const loose = (events: readonly StreamEvent[]): readonly StreamEvent[] =>
    events.map(({ step: _step, ...event }) => event)
  for await (const frames of input.frames) {
    for (const frame of frames) {
      const events = decoder.push(frame)
      yield isForced && frame.isLine ? loose(events) : events
    }
  }
  yield decoder.end()
}

async function writeBody(job: Job): Promise<Result> {
  const { input, to, streams } = job
  const target = WIRES[to]
  const assembler = createAssembler()
  for await (const events of readEvents(input, false))
    for (const event of events) assembler.apply(event)
  const { state } = assembler
  if (input.type !== 'stream' && input.wire === to) {
    await streams.out.write(input.bytes)
    return { fault: state.error, losses: [] }
  }
  if (state.error !== undefined) {
    await writeJson(target.writeError(state.error), streams)
    return { fault: state.error, losses: [] }
  }
  const { body, losses } = target.writeAnswer(state, { createId: () => toStableId(state.id ?? '') })
  await writeJson(body, streams)
  return { fault: target.recognise(body) === 'error' ? target.readError(body) : undefined, losses }
}

/** The same input gives the same output: nobody takes up a conversation by what is written here. */
const toStableId = (id: string): string => toBareId(id) || randomId()

const writeJson = (body: JsonObject, { out }: Streams): Promise<void> =>
  out.line(stringifyExact(body))

async function report({ fault, losses }: Result, { err }: Streams): Promise<void> {
  for (const { kind, what, count } of losses)
    await err.line(
      `${err.style('yellow', 'loss:')} ${kind} ${visible(what)}${count > 1 ? ` (${count} times)` : ''}`,
    )
  if (fault !== undefined)
    await err.line(`${err.style('red', 'broken:')} ${visible(fault.message)}`)
}
