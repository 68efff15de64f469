/**
 * `sluice blocks`: an answer as its blocks. Neighbours: `input.ts` opens it, `block/` assembles it. In a
 * terminal each block is shown when it is complete.
 */
import { createAssembler } from '../block/assemble.ts'
import type { StreamState } from '../block/state.ts'
import type { StreamBlock } from '../event/block.ts'
import type { Usage } from '../event/usage.ts'
import { totalInput } from '../event/usage.ts'
import { WIRES } from '../wire/wires.ts'
import { readArguments, readWire } from './arguments.ts'
import { blockJson, contentOf, preview } from './block-lines.ts'
import type { Command } from './command.ts'
import { openInput, type Input } from './input.ts'
import { visible, type Output } from './output.ts'

export const blocks: Command = {
  help: `sluice blocks --wire WIRE [--json] [FILE]

Shows the blocks of an answer as they complete, then why it ended and what it cost.

  --wire WIRE   the wire of the input
  --json        print one JSON object instead:
                {"blocks":[…],"finishReason","usage","error"?}

Exit 1 when the answer is cut or ends with an error.
`,
  async run(argv, { out, err }) {
    const { values, file } = readArguments(argv, {
      wire: { type: 'string' },
      json: { type: 'boolean' },
    })
    const input = await openInput(file, readWire('--wire', values.wire))
    const show = values.json === true ? undefined : out
    const state = await assemble(input, out, async (block) => await show?.line(toLine(block, out)))
    if (show === undefined) await out.line(JSON.stringify(toJson(state)))
    else await showEnd(state, out)
    if (state.error === undefined) return 0
    if (show === undefined)
      await err.line(`${err.style('red', 'broken:')} ${visible(state.error.message)}`)
    return 1
  },
}

async function assemble(
  input: Input,
  out: Output,
  onBlock: (block: StreamBlock) => Promise<void>,
): Promise<StreamState> {
  const assembler = createAssembler()
  const wire = WIRES[input.wire]
  const apply = async (events: ReturnType<typeof wire.readAnswer>): Promise<void> => {
    for (const event of events) {
      const { justCompleted } = assembler.apply(event)
      if (justCompleted !== undefined) await onBlock(justCompleted)
    }
  }
  if (input.type === 'stream') {
    const decoder = wire.createDecoder()
    for await (const frames of input.frames) {
      for (const frame of frames) await apply(decoder.push(frame))
      if (out.isGone) break
    }
    await apply(decoder.end())
    for (const block of assembler.state.blocks) if (!block.isComplete) await onBlock(block)
  } else if (input.type === 'answer') await apply(wire.readAnswer(input.body))
  else await apply([{ type: 'error', error: wire.readError(input.body) }])
  return assembler.state
}

function toLine(block: StreamBlock, out: Output): string {
  const content = contentOf(block)
  const columns = [
    String(block.index).padStart(3),
    out.style('cyan', block.type.padEnd(11)),
    `${content.length.toLocaleString('en')} chars`.padStart(13),
    ...('name' in block && block.name !== '' ? [out.style('bold', visible(block.name))] : []),
    preview(content),
  ]
  if (block.choice !== undefined) columns.push(out.style('dim', `choice ${block.choice}`))
  if (!block.isComplete) columns.push(out.style('red', '(cut)'))
  return columns.join('  ')
}

async function showEnd(state: StreamState, out: Output): Promise<void> {
  const { finishReason, vendorFinishReason, usage, error, model } = state
  if (model !== undefined && model !== '')
    await out.line(`${out.style('dim', 'model ')}  ${visible(model)}`)
  const vendor =
    vendorFinishReason === undefined || vendorFinishReason === finishReason
      ? ''
      : ` (${visible(vendorFinishReason)})`
  if (finishReason !== undefined)
    await out.line(`${out.style('dim', 'finish')}  ${finishReason}${vendor}`)
  if (usage !== undefined) await out.line(`${out.style('dim', 'usage ')}  ${usageLine(usage)}`)
  if (error !== undefined)
    await out.line(`${out.style('red', 'error ')}  ${preview(error.message)}`)
}

function usageLine(usage: Usage): string {
  const cached = [
    ...(usage.cacheReadTokens ? [`${usage.cacheReadTokens} from cache`] : []),
    ...(usage.cacheWriteTokens ? [`${usage.cacheWriteTokens} to cache`] : []),
  ]
  const thought = usage.reasoningTokens ? ` (${usage.reasoningTokens} thinking)` : ''
  return `${totalInput(usage)} in${cached.length > 0 ? ` (${cached.join(', ')})` : ''}, ${usage.outputTokens ?? 0} out${thought}`
}

function toJson(state: StreamState): object {
  const { id, model, finishReason, vendorFinishReason, stopSequence, usage, error } = state
  return {
    id: id ?? null,
    model: model ?? null,
    blocks: state.blocks.map(blockJson),
    finishReason: finishReason ?? null,
    ...(vendorFinishReason === undefined ? {} : { vendorFinishReason }),
    ...(stopSequence === undefined ? {} : { stopSequence }),
    usage: usage ?? null,
    ...(error === undefined
      ? {}
      : {
          error: {
            kind: error.kind,
            message: error.message,
            ...(error.code === undefined ? {} : { code: error.code }),
          },
        }),
  }
}
