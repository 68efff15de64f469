/**
 * A verdict on a block → the events that leave instead of it. Neighbours: `gate.ts` asks. Whatever a policy says, what
 * comes out are whole blocks: the encoder makes a legal answer of them.
 */
import { stringifyExact } from '../base/json-exact.ts'
import type { BlockInfo, BlockOf } from '../event/block.ts'
import type { Delta, StreamEvent } from '../event/event.ts'
import type { PolicyHost } from './host.ts'
import type { Settled } from './judging.ts'
import { noticeBlock, toNotice } from './notice.ts'
import type { HeldType } from './policy.ts'
import type { NewBlock } from './verdict.ts'

export interface Outcome {
  /** `undefined`: as they came. */
  readonly events: readonly StreamEvent[] | undefined
  /** What they say, for the record. */
  readonly delivered: string | undefined
  /** Tool calls among them that the block was not. */
  readonly made: number
}

type CallInfo = Extract<BlockInfo, { type: 'tool-call' }>

export function carryOut(
  verdict: Exclude<Settled, { type: 'halt' }>,
  block: BlockOf<HeldType>,
  host: PolicyHost,
): Outcome {
  const { info } = block
  switch (verdict.type) {
    case 'pass':
      return isCutCall(block)
        ? refuse(info, CUT)
        : { events: undefined, delivered: undefined, made: 0 }
    case 'deny':
      return refuse(info, verdict.reason, verdict.instead)
    case 'replace':
      return replaceBy(verdict.blocks, block)
    case 'rewrite': {
      if (info.type !== 'tool-call' || block.type !== 'tool-call')
        return typeof verdict.args === 'string'
          ? replaceBy([{ type: 'text', text: verdict.args }], block)
          : refuse(info, 'A policy gave arguments to what is no call.')
      const problem = checkRewrite(info, verdict.args, host)
      if (problem !== undefined) return refuse(info, problem)
      const text = toText(verdict.args)
      return { events: callEvents(withoutVendor(info), text), delivered: text, made: 0 }
    }
  }
}

const CUT = 'It was cut off before its arguments were complete.'

/** What ends in the middle is not to be run, whoever let it pass. */
function isCutCall(block: BlockOf<HeldType>): boolean {
  if (block.type !== 'tool-call') return false
  const parsed = block.parseArguments()
  return !parsed.ok && parsed.reason === 'cut'
}

function refuse(info: BlockInfo, reason: string, instead?: string): Outcome {
  const text = toNotice({ block: info, reason, instead })
  return { events: noticeBlock(text, info.choice), delivered: text, made: 0 }
}

function checkRewrite(info: CallInfo, args: unknown, host: PolicyHost): string | undefined {
  const isFree = info.dialect === 'custom'
  if (isFree !== (typeof args === 'string'))
    return isFree
      ? 'A policy gave an object to a tool that takes text.'
      : 'A policy gave text to a tool that takes an object.'
  const tool = isFree ? undefined : host.request.tool(info.name, info.namespace)
  const problem = tool === undefined ? undefined : host.checkArguments(tool, args)
  return problem === undefined
    ? undefined
    : `A policy changed its arguments, and they do not fit the tool: ${problem}`
}

const toText = (args: Readonly<Record<string, unknown>> | string): string =>
  typeof args === 'string' ? args : stringifyExact(args)

/** The vendor's object may repeat what the arguments were. A signature that goes with the call is kept. */
function withoutVendor({ vendor, ...info }: CallInfo): CallInfo {
  const extra = vendor?.['extra_content']
  return extra === undefined ? info : { ...info, vendor: { extra_content: extra } }
}

function callEvents(block: CallInfo, text: string): readonly StreamEvent[] {
  return wholeBlock(block, { type: 'arguments', text })
}

function wholeBlock(block: BlockInfo, delta: Delta): readonly StreamEvent[] {
  const of = block.choice === undefined ? {} : { choice: block.choice }
  return [
    { type: 'block-start', block, ...of },
    { type: 'block-delta', block, delta, ...of },
    { type: 'block-stop', block, ...of },
  ]
}

function replaceBy(blocks: readonly NewBlock[], { info, type }: BlockOf<HeldType>): Outcome {
  const of = info.choice === undefined ? {} : { choice: info.choice }
  const said = blocks.filter((one) => one.type !== 'text' || one.text !== '')
  const events = said.flatMap((one, at) =>
    one.type === 'text'
      ? wholeBlock(
          { id: '', index: 0, type: 'text', isNotice: true, ...of },
          { type: 'text', text: one.text },
        )
      : callEvents(
          {
            // The first one answers for the call that it stands for; a second needs a name of its own.
            id: at === 0 && type === 'tool-call' ? info.id : `${info.id || 'call'}_${at}`,
            index: 0,
            type: 'tool-call',
            name: one.name,
            dialect: typeof one.args === 'string' ? 'custom' : 'function',
            ...of,
          },
          toText(one.args),
        ),
  )
  const calls = said.filter((one) => one.type === 'tool-call').length
  return { events, delivered: JSON.stringify(said), made: calls }
}
