/**
 * What is known of one block, for expressions to ask: read when the first one asks, and once. Neighbours: `views.ts` has
 * the shapes, `judge.ts` makes one per block, `facts/` finds out what a call would do.
 */
import type { BlockOf } from '../../event/block.ts'
import type { CallFacts } from '../../facts/facts.ts'
import type { PolicyContext } from '../../policy/policy.ts'
import {
  ClientView,
  CountersView,
  FilesView,
  RequestView,
  ShellView,
  TextView,
  ToolView,
  type Doubt,
} from './views.ts'

export type RuleBlock = BlockOf<'text' | 'refusal' | 'tool-call'>

/** A call as `facts/` takes it. */
interface FactsCall {
  readonly name: string
  readonly namespace?: string
  readonly dialect: BlockOf<'tool-call'>['dialect']
  readonly args: Readonly<Record<string, unknown>> | undefined
  readonly arguments: string
}

/** Who finds facts. Handed in, so that a preset can leave out what was allowed, and a test can make some up. */
export interface FactsReader {
  readFacts(call: FactsCall, options: { readonly workspace?: string }): CallFacts
  findWorkspace(request: {
    readonly system: ReturnType<PolicyContext['request']['system']>
    readonly turns: ReturnType<PolicyContext['request']['turns']>
  }): string | undefined
}

/** What is kept of one exchange: the same for all its blocks. */
export interface RuleState {
  request: RequestView | undefined
  client: ClientView | undefined
  /** `null`: looked for, and there is none. */
  workspace: string | null | undefined
}

/** What is kept of one conversation. */
export interface RuleMemory {
  /** How often each counting rule matched. */
  readonly counts: Map<string, number>
}

export type RuleContext = PolicyContext<RuleState, RuleMemory>

/** The variables of the expressions, by their names. */
export class Findings {
  readonly tool: ToolView | undefined
  readonly text: TextView | undefined
  readonly doubt: Doubt = { isUnreadable: false }
  readonly #block: RuleBlock
  readonly #ctx: RuleContext
  readonly #reader: FactsReader
  #facts: CallFacts | undefined
  #shell: ShellView | undefined
  #files: FilesView | undefined

  constructor(block: RuleBlock, ctx: RuleContext, reader: FactsReader) {
    this.tool = block.type === 'tool-call' ? new ToolView(block, this.doubt) : undefined
    this.text = block.type === 'tool-call' ? undefined : new TextView(block)
    this.#block = block
    this.#ctx = ctx
    this.#reader = reader
  }

  get shell(): ShellView | undefined {
    return (this.#shell ??= this.#readFacts((facts) => new ShellView(facts)))
  }

  get files(): FilesView | undefined {
    return (this.#files ??= this.#readFacts((facts) => new FilesView(facts)))
  }

  get request(): RequestView {
    const { state, request } = this.#ctx
    return (state.request ??= new RequestView(request))
  }

  get client(): ClientView {
    const { state, client } = this.#ctx
    return (state.client ??= new ClientView(client))
  }

  get counters(): CountersView {
    const view = new CountersView()
    for (const [name, count] of this.#ctx.memory.counts)
      Object.defineProperty(view, name, { value: BigInt(count), enumerable: true })
    return view
  }

  #readFacts<View>(toView: (facts: CallFacts) => View): View | undefined {
    const block = this.#block
    if (block.type !== 'tool-call') return undefined
    const args = block.args()
    // What ought to be JSON and is not: nobody knows what the client would make of it.
    this.doubt.isUnreadable ||= args === undefined && block.dialect !== 'custom'
    this.#facts ??= this.#reader.readFacts(toCall(block, args), this.#workspace())
    return toView(this.#facts)
  }

  #workspace(): { readonly workspace?: string } {
    const { state, request } = this.#ctx
    state.workspace ??=
      this.#reader.findWorkspace({ system: request.system(), turns: request.turns() }) ?? null
    return state.workspace === null ? {} : { workspace: state.workspace }
  }
}

const toCall = (block: BlockOf<'tool-call'>, args: FactsCall['args']): FactsCall => ({
  name: block.name,
  ...(block.namespace === undefined ? {} : { namespace: block.namespace }),
  dialect: block.dialect,
  args,
  arguments: block.arguments,
})
