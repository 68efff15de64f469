/**
 * A block: the smallest whole thing of an answer that a policy judges. `BlockInfo` is what is known
 * when it begins and never changes; `StreamBlock` is the block as it grows. Neighbours: `event.ts`
 * carries infos, `block/` grows blocks from events. Knows no wire.
 */
import type { JsonObject } from '../base/json.ts'

export type BlockType =
  | 'text'
  | 'thinking'
  | 'tool-call'
  | 'refusal'
  | 'server-tool'
  | 'tool-result'
  | 'opaque'

/** The name of a call that its server gave none: no client can run it, but it can be seen and refused. */
export const UNNAMED = 'unknown'

/** What kind of call it is, and so what its arguments are. All but `custom` are JSON. */
export type ToolDialect =
  | 'function'
  /** Free text for a tool of the client's, perhaps under a grammar. */
  | 'custom'
  | 'shell'
  | 'local-shell'
  | 'apply-patch'
  | 'computer'
  /** A call we do not know. The client may execute it, so it counts as a tool call. */
  | 'unknown'

interface InfoBase {
  /** The provider's id, or one that we made; stable within the message. */
  readonly id: string
  /** Its place among the blocks of its choice: 0, 1, 2, … */
  readonly index: number
  readonly choice?: number
  /** The vendor's own object at the start of the block. */
  readonly vendor?: JsonObject
}

/** What is known of a block when it begins. Two events speak of the same block if their infos are identical. */
export type BlockInfo = Readonly<
  InfoBase &
    /** `isNotice`: a word of the gateway's own, and not of the model. */
    (
      | { type: 'text' | 'refusal'; isNotice?: boolean }
      /** `redacted`: the provider shows nothing of it but a sealed payload. */
      | { type: 'thinking'; redacted: boolean }
      /** `namespace`: the set that the tool stands in: a namespace on Responses, a toolset on Messages. */
      | { type: 'tool-call'; name: string; dialect: ToolDialect; namespace?: string }
      /** A tool that the provider runs itself. */
      | { type: 'server-tool'; name: string }
      /** What a server tool gave back; `callId` is the server tool's. */
      | { type: 'tool-result'; name: string; callId: string }
      | { type: 'opaque'; vendorType: string }
    )
>

/**
 * Set and name as one name, for wires that have no sets. A tool that OpenAI's tool search loaded stands in a set
 * of its own name, which its client never made.
 */
/** Words of ours, which stand apart. */
export const isNotice = (info: BlockInfo): boolean => info.type === 'text' && info.isNotice === true

export const fullName = ({
  name,
  namespace,
}: {
  readonly name: string
  readonly namespace?: string | undefined
}): string => (namespace === undefined || namespace === name ? name : `${namespace}__${name}`)

/** The arguments of a call as an object, or what is wrong with them. */
export type ParsedArguments =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | {
      readonly ok: false
      readonly reason: 'cut' | 'broken' | 'not-an-object'
      readonly message: string
    }

interface Growing {
  /** The start of the block: what events carry. */
  readonly info: BlockInfo
  /** Whether its last piece has come. */
  readonly isComplete: boolean
  /** Whether it is known to end in the middle, beside what its arguments show themselves. */
  readonly isCut: boolean
  /** The vendor's own object of the whole block, where the wire sends one at its end. */
  readonly final?: JsonObject | undefined
}

interface WithArguments {
  readonly name: string
  /** Raw text as it came. Empty means no arguments. */
  readonly arguments: string
  /** The arguments as an object, `undefined` when they are not one; parsed once. */
  args(): Readonly<Record<string, unknown>> | undefined
  /** As `args`, and says what is wrong. */
  parseArguments(): ParsedArguments
}

/** A block as it stands now. */
export type StreamBlock =
  | (InfoBase &
      Growing & {
        readonly type: 'text'
        readonly text: string
        readonly citations: readonly JsonObject[]
      })
  | (InfoBase & Growing & { readonly type: 'refusal'; readonly text: string })
  | (InfoBase &
      Growing & {
        readonly type: 'thinking'
        readonly text: string
        readonly signature: string | undefined
        readonly redacted: boolean
      })
  | (InfoBase &
      Growing &
      WithArguments & {
        readonly type: 'tool-call'
        readonly dialect: ToolDialect
        /** The set of tools that it stands in, where it stands in one: the name alone may be of two tools. */
        readonly namespace?: string | undefined
      })
  | (InfoBase & Growing & WithArguments & { readonly type: 'server-tool' })
  | (InfoBase &
      Growing & {
        readonly type: 'tool-result'
        readonly name: string
        readonly callId: string
        readonly text: string
      })
  | (InfoBase &
      Growing & {
        readonly type: 'opaque'
        readonly vendorType: string
        /** What the vendor said of it, piece by piece. */
        readonly raw: readonly JsonObject[]
      })

/** The blocks of one type. */
export type BlockOf<Type extends BlockType> = Extract<StreamBlock, { type: Type }>
