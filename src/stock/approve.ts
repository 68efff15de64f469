/**
 * `approve`: a person decides on tool calls before they leave. Which calls, and in what words the person is asked.
 * Neighbours: the engine puts the question to `approvals/`; `config/policy-approve.ts` says it in YAML. Knows no
 * ticket and no HTTP.
 */
import { SluiceError } from '../base/sluice-error.ts'
import { fullName, type BlockOf } from '../event/block.ts'
import { definePolicy, type Policy, type PolicyContext } from '../policy/policy.ts'
import { ask, pass } from '../policy/verdict.ts'
import { readArgument } from './approve-arguments.ts'
import { checkQuestion, toQuestion } from './approve-question.ts'
import { toToolFilter } from './tool-globs.ts'

type Call = BlockOf<'tool-call'>

export interface ApproveOptions {
  readonly name?: string
  /** Names of tools, `*` stands for any characters. Default: all. */
  readonly tools?: readonly string[]
  /** Of these, the ones that nobody is asked for. A tool in a set is named as `set__name` here. */
  readonly except?: readonly string[]
  /**
   * Only calls of which one of these arguments fits one of its patterns: `{ command: ['git push*'] }`. Dots lead
   * into objects. A call whose arguments cannot be read is asked for in any case.
   */
  readonly arguments?: Readonly<Record<string, readonly string[]>>
  /** Only calls that this says yes to. */
  readonly when?: (call: Call, ctx: PolicyContext) => boolean | Promise<boolean>
  /** What the person is asked. `{tool}`, `{model}`, `{client}` and `{args.NAME}` are filled in. */
  readonly question?: string
  /** Why, for the person and for the record. */
  readonly reason?: string
}

const QUESTION = 'May {tool} be called?'

export function approve(options: ApproveOptions = {}): Policy {
  const { question = QUESTION, reason, when = () => true } = options
  const wrong = checkQuestion(question)
  if (wrong !== undefined)
    throw new SluiceError('wrong-use', `Cannot use the question of approve: ${wrong}`)
  const isMeant = toToolFilter(options.tools)
  const isExempt = toExempt(options.except)
  const fits = toFits(options.arguments)
  return definePolicy({
    name: options.name ?? 'approve',
    holds: ['tool-call'],
    async judge(call, ctx) {
      if (!isMeant(call) || isExempt(call) || !fits(call)) return pass()
      if (!(await when(call, ctx))) return pass()
      const words = toQuestion(question, call, ctx)
      return reason === undefined ? ask(words) : ask(words, { reason })
    },
  })
}

/** By the whole name only: a tool of some server that is called like a harmless one is another tool. */
function toExempt(globs: readonly string[] | undefined): (call: Call) => boolean {
  if (globs === undefined) return () => false
  const takes = toToolFilter(globs)
  return (call) => takes({ name: fullName(call) })
}

function toFits(
  wanted: Readonly<Record<string, readonly string[]>> | undefined,
): (call: Call) => boolean {
  // No pattern at all is no condition, and not one that nothing fits.
  if (wanted === undefined || Object.keys(wanted).length === 0) return () => true
  const looks = Object.entries(wanted).map(([path, globs]) => ({
    path: path.split('.'),
    takes: toToolFilter(globs),
  }))
  return (call) => {
    const args = call.args()
    if (args === undefined) return true
    return looks.some(({ path, takes }) => {
      const found = readArgument(args, path)
      return textsOf(found).some((text) => takes({ name: text }))
    })
  }
}

/** A list fits if one of it does, and as the words of a command. */
function textsOf(value: unknown): readonly string[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) return [toWords(value)]
  const each = value.map(toWords)
  return [...each, each.join(' ')]
}

const toWords = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)
