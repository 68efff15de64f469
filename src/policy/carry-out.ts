/**
 * A verdict on a block → the events that leave instead of it. Neighbours: `gate.ts` asks. Whatever a policy says, what
 * comes out are whole blocks: the encoder makes a legal answer of them.
 */
import { stringifyExact } from '../base/json-exact.ts'
import { wholeBlock } from '../event/make.ts'
import type { BlockInfo, BlockOf } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'
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
  /** Why the verdict could not be carried out: the block was refused instead. */
  readonly problem: string | undefined
}

type CallInfo = Extract<BlockInfo, { type: 'tool-call' }>

const AS_IT_CAME: Outcome = { events: undefined, delivered: undefined, made: 0, problem: undefined }

export function carryOut(
  verdict: Exclude<Settled, { type: 'halt' }>,
  block: BlockOf<HeldType>,
  host: PolicyHost,
): Outcome {
  const { info } = block
  switch (verdict.type) {
    case 'pass':
      return isCutCall(block) ? refuse(info, CUT) : AS_IT_CAME
    case 'deny':
      return refuse(info, verdict.reason, verdict.instead)
    case 'replace':
      return replaceBy(verdict.blocks, block, host)
    case 'rewrite':
      return rewriteTo(verdict.args, block, host)
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
  return {
    events: noticeBlock(text, info.choice),
    delivered: text,
    made: 0,
    problem: undefined,
  }
}

const cannot = (info: BlockInfo, problem: string): Outcome => ({
  ...refuse(info, problem),
  problem,
})

type Args = Readonly<Record<string, unknown>> | string

function rewriteTo(args: Args, block: BlockOf<HeldType>, host: PolicyHost): Outcome {
  const { info } = block
  if (info.type !== 'tool-call')
    return typeof args === 'string'
      ? replaceBy([{ type: 'text', text: args }], block, host)
      : cannot(info, 'A policy gave arguments to what is no call.')
  const text = toText(args)
  const problem = checkArguments(info, args, host)
  if (text === undefined || problem !== undefined) return cannot(info, problem ?? UNWRITABLE)
  return {
    events: wholeBlock(withoutVendor(info), { type: 'arguments', text }),
    delivered: text,
    made: 0,
    problem: undefined,
  }
}

const UNWRITABLE = 'A policy gave arguments that cannot be written as JSON.'

function checkArguments(info: CallInfo, args: Args, host: PolicyHost): string | undefined {
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

/** `undefined`: it goes round in circles, is nested too deep, or has values that JSON has not. */
function toText(args: Args): string | undefined {
  if (typeof args === 'string') return args
  try {
    const text: unknown = stringifyExact(args)
    return typeof text === 'string' && text.startsWith('{') ? text : undefined
  } catch {
    return undefined
  }
}

/** The vendor's object may repeat what the arguments were. A signature that goes with the call is kept. */
function withoutVendor({ vendor, ...info }: CallInfo): CallInfo {
  const extra = vendor?.['extra_content']
  return extra === undefined ? info : { ...info, vendor: { extra_content: extra } }
}

function replaceBy(
  blocks: readonly NewBlock[],
  { info }: BlockOf<HeldType>,
  host: PolicyHost,
): Outcome {
  const of = info.choice === undefined ? {} : { choice: info.choice }
  const said = blocks.filter((one) => one.type !== 'text' || one.text !== '')
  const events: StreamEvent[] = []
  let calls = 0
  for (const one of said) {
    if (one.type === 'text') {
      const block = { id: '', index: 0, type: 'text', isNotice: true, ...of } as const
      events.push(...wholeBlock(block, { type: 'text', text: one.text }))
      continue
    }
    const made = newCall(one, info, calls)
    const text = toText(one.args)
    const problem = isName(made, info, host)
      ? checkArguments(made, one.args, host)
      : 'A policy gave a call whose name no tool can have.'
    if (text === undefined || problem !== undefined) return cannot(info, problem ?? UNWRITABLE)
    events.push(...wholeBlock(made, { type: 'arguments', text }))
    calls += 1
  }
  return { events, delivered: JSON.stringify(said), made: calls, problem: undefined }
}

/** The first one answers for the call that it stands for; a second needs an id of its own. */
function newCall(
  { name, args }: Extract<NewBlock, { type: 'tool-call' }>,
  info: BlockInfo,
  at: number,
): CallInfo {
  const isFirst = at === 0 && info.type === 'tool-call'
  if (isFirst && info.name === name && (info.dialect === 'custom') === (typeof args === 'string'))
    return withoutVendor(info)
  return {
    id: isFirst ? info.id : `${(info.id || 'call').slice(0, MAX_ID_CHARS)}_${at}`,
    index: 0,
    type: 'tool-call',
    name,
    dialect: typeof args === 'string' ? 'custom' : 'function',
    ...(info.choice === undefined ? {} : { choice: info.choice }),
  }
}

/** With what is put behind it, an id stays as short as every API takes it. */
const MAX_ID_CHARS = 56

/** As the APIs take names; what the model or the client has called a tool, they have taken before. */
const isName = ({ name, namespace }: CallInfo, info: BlockInfo, host: PolicyHost): boolean =>
  /^[\w-]{1,64}$/.test(name) ||
  (info.type === 'tool-call' && info.name === name) ||
  host.request.tool(name, namespace) !== undefined
