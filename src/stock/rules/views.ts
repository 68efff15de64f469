/**
 * What an expression may name, as CEL sees it: one class per type, because CEL tells types apart by their class, and
 * with getters, so that what no expression asks for is never read. Neighbours: `language.ts` declares the same fields,
 * `findings.ts` hands these out. The facts themselves come from `facts/`.
 */
import type { CallFacts, FileFacts, ShellCommand, ShellFacts } from '../../facts/facts.ts'
import type { BlockOf } from '../../event/block.ts'
import type { PolicyContext, PolicyRequest } from '../../policy/policy.ts'
import { tidyArguments, type Arguments } from './arguments.ts'

/** Where the arguments of a call are no JSON that we can read, and so nothing that is said of them can be trusted. */
export interface Doubt {
  isUnreadable: boolean
}

export class ToolView {
  readonly name: string
  readonly namespace: string | undefined
  readonly dialect: string
  readonly #block: BlockOf<'tool-call'>
  readonly #doubt: Doubt
  #args: Arguments | undefined

  constructor(block: BlockOf<'tool-call'>, doubt: Doubt) {
    this.name = block.name
    this.namespace = block.namespace
    this.dialect = block.dialect
    this.#block = block
    this.#doubt = doubt
  }

  get text(): string {
    return this.#block.arguments
  }

  get args(): Arguments {
    return (this.#args ??= readArguments(this.#block, this.#doubt))
  }
}

const NO_ARGUMENTS: Arguments = {}

/** Free text has no arguments; what ought to be JSON and is not has none that can be trusted. */
function readArguments(block: BlockOf<'tool-call'>, doubt: Doubt): Arguments {
  const args = block.args()
  if (args !== undefined) return tidyArguments(args)
  doubt.isUnreadable ||= block.dialect !== 'custom'
  return NO_ARGUMENTS
}

export class TextView {
  readonly type: string
  readonly content: string

  constructor(block: BlockOf<'text' | 'refusal'>) {
    this.type = block.type
    this.content = block.text
  }
}

export class ClientView {
  readonly key: string | undefined
  readonly agent: string | undefined

  constructor({ key, agent }: PolicyContext['client']) {
    this.key = key
    this.agent = agent
  }
}

export class RequestView {
  readonly model: string
  readonly route: string | undefined
  readonly upstream: string | undefined
  readonly isStream: boolean
  readonly conversation: string
  readonly #request: PolicyRequest

  constructor(request: PolicyRequest) {
    this.model = request.model
    this.route = request.route
    this.upstream = request.upstream
    this.isStream = request.isStream
    this.conversation = request.conversationId
    this.#request = request
  }

  get turns(): bigint {
    return BigInt(this.#request.turns().length)
  }

  get tools(): readonly string[] {
    return this.#request.tools().map(({ name }) => name)
  }
}

export class CountersView {}

export class RedirectView {
  readonly op: string
  readonly path: string

  constructor({ op, path }: ShellCommand['redirects'][number]) {
    this.op = op
    this.path = path
  }
}

export class CommandView {
  readonly name: string
  readonly path: string
  readonly args: readonly string[]
  readonly flags: readonly string[]
  readonly paths: readonly string[]
  readonly redirects: readonly RedirectView[]
  readonly isElevated: boolean
  readonly text: string

  constructor(command: ShellCommand) {
    this.name = command.name
    this.path = command.path
    this.args = command.args
    this.flags = command.flags
    this.paths = command.paths
    this.redirects = command.redirects.map((redirect) => new RedirectView(redirect))
    this.isElevated = command.isElevated
    this.text = command.text
  }
}

export class ShellView {
  readonly isUsed: boolean
  readonly text: string
  readonly commands: readonly CommandView[]
  readonly pipes: ShellFacts['pipes']
  readonly isParsed: boolean
  readonly isOpaque: boolean

  constructor({ shell }: CallFacts) {
    this.isUsed = shell.isUsed
    this.text = shell.text
    this.commands = shell.commands.map((command) => new CommandView(command))
    this.pipes = shell.pipes
    this.isParsed = shell.isParsed
    this.isOpaque = shell.isOpaque
  }
}

export class FilesView implements FileFacts {
  readonly read: readonly string[]
  readonly written: readonly string[]
  readonly deleted: readonly string[]
  readonly outside: readonly string[]
  readonly workspace: string

  constructor({ files }: CallFacts) {
    this.read = files.read
    this.written = files.written
    this.deleted = files.deleted
    this.outside = files.outside
    this.workspace = files.workspace
  }
}
