/**
 * The policy `check-arguments`: a tool call must fit the schema that its client declared. What can be put right
 * without a guess is put right, everything else is denied with what is expected, so that the model can try again.
 * Neighbours: `arguments.ts` puts right, `check.ts` looks. Knows no wire.
 */
import { nearest } from '../../base/nearest.ts'
import { fullName, type BlockOf } from '../../event/block.ts'
import { definePolicy, type Policy, type PolicyRequest } from '../../policy/policy.ts'
import { deny, pass, rewrite, type Verdict } from '../../policy/verdict.ts'
import type { Tool } from '../../request/tool.ts'
import { toToolFilter, type ToolFilter } from '../tool-globs.ts'
import { fitArguments, type FittedArguments } from './arguments.ts'
import { createArgumentCheck, schemaOf, toSentences, type ArgumentCheck } from './check.ts'
import { describeProperties } from './describe.ts'
import type { Fix } from './fix.ts'
import { quoteName } from './problem.ts'

export interface ArgumentSettings {
  /** `false`: calls are let through as they are. Default `true`. */
  readonly check?: boolean | undefined
  /** Whether what can be put right without a guess is; else it is denied. Default `true`. */
  readonly repair?: boolean | undefined
  /** Whether properties go that a schema does not allow, instead of a denial. Default `false`. */
  readonly removeUnknown?: boolean | undefined
}

export interface CheckArgumentsOptions extends ArgumentSettings {
  /** What becomes of calls of tools that the client did not declare. Default `deny`. */
  readonly unknownTools?: 'deny' | 'pass' | undefined
  /** Other settings for some tools, by names with stars; the first that takes a tool counts. */
  readonly tools?: readonly (ArgumentSettings & { readonly names: readonly string[] })[] | undefined
}

type Call = BlockOf<'tool-call'>
type Settings = Readonly<Record<keyof ArgumentSettings, boolean>>

const PASS = pass()

export function checkArgumentsPolicy(options: CheckArgumentsOptions = {}): Policy {
  const check = createArgumentCheck()
  const settingsOf = createSettings(options)
  const allowsUnknown = options.unknownTools === 'pass'
  return definePolicy({
    name: 'check-arguments',
    holds: ['tool-call'],
    judge(call, { request }) {
      const settings = settingsOf(call)
      if (!settings.check) return PASS
      if (call.dialect === 'custom') return judgeText(call)
      const tool = findTool(call, request)
      if (tool === undefined && !allowsUnknown && isNamed(call, request.tools()))
        return denyUnknown(call, request.tools())
      return judgeCall(call, tool, { check, settings })
    },
  })
}

function createSettings(options: CheckArgumentsOptions): (call: Call) => Settings {
  const { check = true, repair = true, removeUnknown = false } = options
  const all: Settings = { check, repair, removeUnknown }
  const some = (options.tools ?? []).map((one): { filter: ToolFilter; settings: Settings } => ({
    filter: toToolFilter(one.names),
    settings: {
      check: one.check ?? check,
      repair: one.repair ?? repair,
      removeUnknown: one.removeUnknown ?? removeUnknown,
    },
  }))
  return (call) => some.find(({ filter }) => filter(call))?.settings ?? all
}

/** Of a free text only its grammar knows what is right, and the client has that. */
function judgeText(call: Call): Verdict {
  if (call.isCut) return denyCut(call)
  if (call.arguments.trim() !== '') return PASS
  return deny(`The call of ${quoteName(call.name)} has no text`, {
    instead: 'Call it again with the text that it takes.',
    details: { outcome: 'denied', cause: 'empty' },
  })
}

function findTool(call: Call, request: PolicyRequest): Tool | undefined {
  return (
    request.tool(call.name, call.namespace) ??
    request.tools().find((tool) => fullName(tool) === fullName(call))
  )
}

/** Tools of a vendor's own are called by kind, and a request that goes on with kept state names no tools at all. */
const isNamed = (call: Call, tools: readonly Tool[]): boolean =>
  call.dialect === 'function' && tools.length > 0

const MAX_COMPARED = 500

function denyUnknown(call: Call, tools: readonly Tool[]): Verdict {
  const near = nearest(fullName(call), tools.slice(0, MAX_COMPARED).map(fullName))
  return deny(`There is no tool ${quoteName(fullName(call))}`, {
    instead:
      near === undefined
        ? 'Call one of the tools that were declared.'
        : `Did you mean ${quoteName(near)}? Call that with the arguments that it takes.`,
    details: { outcome: 'denied', cause: 'unknown-tool' },
  })
}

interface Judging {
  readonly check: ArgumentCheck
  readonly settings: Settings
}

function judgeCall(call: Call, tool: Tool | undefined, { check, settings }: Judging): Verdict {
  if (call.isCut) return denyCut(call, tool)
  const schema = tool === undefined ? undefined : schemaOf(tool)
  const parsed = call.parseArguments()
  const problems = parsed.ok ? check.problems(schema, parsed.value) : []
  if (parsed.ok && problems.length === 0) return PASS
  if (!settings.repair) {
    if (parsed.ok) return denyFor(call, tool, { ok: false, cause: 'schema', problems })
    return denyFor(call, tool, { ok: false, cause: parsed.reason === 'cut' ? 'cut' : 'json' })
  }
  const { removeUnknown } = settings
  const fitted = fitArguments(call.arguments, { schema, check, removeUnknown })
  if (!fitted.ok) {
    const isCut = fitted.cause === 'json' && !parsed.ok && parsed.reason === 'cut'
    if (isCut) return denyCut(call, tool)
    // Those of the arguments as they came are what the model can act on.
    return denyFor(
      call,
      tool,
      problems.length > 0 ? { ok: false, cause: 'schema', problems } : fitted,
    )
  }
  const repairs = toWords(fitted.fixes)
  return rewrite(fitted.value, {
    reason: `The arguments were put right: ${repairs}`,
    details: { outcome: 'repaired', repairs },
  })
}

const MAX_WORDS = 10

/** `trailing-comma, text-to-number limit`: names of the schema's, never a value. */
function toWords(fixes: readonly Fix[]): string {
  const words = fixes.slice(0, MAX_WORDS).map(({ what, path }) => `${what} ${path}`.trim())
  const more = fixes.length - words.length
  return more > 0 ? `${words.join(', ')} and ${more} more` : words.join(', ')
}

type Failed = Extract<FittedArguments, { ok: false }>

function denyFor(call: Call, tool: Tool | undefined, failed: Failed): Verdict {
  if (failed.cause === 'cut') return denyCut(call, tool)
  return deny(toReason(call, failed), {
    instead: toInstead(tool),
    details: {
      outcome: 'denied',
      cause: failed.cause,
      ...(failed.cause === 'schema' ? { problems: failed.problems.length } : {}),
    },
  })
}

function toReason(call: Call, failed: Failed): string {
  const of = `The arguments of ${quoteName(call.name)}`
  switch (failed.cause) {
    case 'schema':
      return `${of} do not fit its schema: ${toSentences(failed.problems)}`
    case 'digits':
      return `${of} are not right, and hold a number with more digits than can be kept`
    case 'json':
      return `${of} are not a JSON object`
    case 'cut':
      return `${of} end in the middle`
  }
}

const denyCut = (call: Call, tool?: Tool): Verdict =>
  deny(toReason(call, { ok: false, cause: 'cut' }), {
    instead: `${toInstead(tool)} If they are long, make several shorter calls.`,
    details: { outcome: 'denied', cause: 'cut' },
  })

function toInstead(tool: Tool | undefined): string {
  const schema = tool === undefined ? undefined : schemaOf(tool)
  const takes = schema === undefined ? undefined : describeProperties(schema)
  return takes === undefined
    ? 'Call it again with whole arguments.'
    : `Call it again with a JSON object: ${takes}.`
}
