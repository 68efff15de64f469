/**
 * A block as it grows. Neighbours: `assemble.ts` owns these and is the only one who changes them;
 * everybody else reads them as `StreamBlock`. Knows no wire.
 */
import { append, NOTHING } from '../base/few.ts'
import { createFragments } from '../base/fragments.ts'
import { jsonShape } from '../base/json-shape.ts'
import { isObject, type JsonObject } from '../base/json.ts'
import type { BlockInfo, ParsedArguments, StreamBlock } from '../event/block.ts'
import type { Delta } from '../event/event.ts'

/** A block with the two ways to change it. */
export interface GrowingBlock {
  readonly block: StreamBlock
  grow(delta: Delta): void
  /** `isCut`: it ends in the middle. */
  complete(final: JsonObject | undefined, isCut?: boolean): void
}

/**
 * One object serves all types: what a type does not have is simply never read through `StreamBlock`.
 * A class, so that the many getters are made once and not per block.
 */
class Grown {
  readonly info: BlockInfo
  readonly type: BlockInfo['type']
  readonly id: string
  readonly index: number
  readonly choice: number | undefined
  readonly vendor: JsonObject | undefined
  isComplete = false
  isCut = false
  final: JsonObject | undefined
  signature: string | undefined
  citations: JsonObject[] = NOTHING
  raw: JsonObject[] = NOTHING
  readonly pieces = createFragments()
  private parsed: ParsedArguments | undefined

  constructor(info: BlockInfo) {
    this.info = info
    this.type = info.type
    this.id = info.id
    this.index = info.index
    this.choice = info.choice
    this.vendor = info.vendor
    if (info.type === 'opaque' && info.vendor !== undefined) this.raw = [info.vendor]
  }

  get name(): string {
    return 'name' in this.info ? this.info.name : ''
  }
  get dialect(): string | undefined {
    return this.info.type === 'tool-call' ? this.info.dialect : undefined
  }
  get namespace(): string | undefined {
    return this.info.type === 'tool-call' ? this.info.namespace : undefined
  }
  get callId(): string | undefined {
    return this.info.type === 'tool-result' ? this.info.callId : undefined
  }
  get redacted(): boolean {
    return this.info.type === 'thinking' && this.info.redacted
  }
  get vendorType(): string | undefined {
    return this.info.type === 'opaque' ? this.info.vendorType : undefined
  }
  get text(): string {
    return this.pieces.toString()
  }
  get arguments(): string {
    return this.pieces.toString()
  }
  args(): Readonly<Record<string, unknown>> | undefined {
    const parsed = this.parseArguments()
    return parsed.ok ? parsed.value : undefined
  }
  parseArguments(): ParsedArguments {
    if (!this.isComplete) return parseArguments(this.arguments, this.dialect)
    return (this.parsed ??= this.isCut ? CUT : parseArguments(this.arguments, this.dialect))
  }
}

export const createGrowingBlock = (info: BlockInfo): GrowingBlock => new Growing(info)

/** A class, and not functions around what they share: there are one or two for each block of each stream. */
class Growing implements GrowingBlock {
  readonly block: StreamBlock
  private readonly grown: Grown

  constructor(info: BlockInfo) {
    this.grown = new Grown(info)
    // Each member of the union is a part of `Grown`, told apart by the `type` it was made with.
    this.block = this.grown as unknown as StreamBlock
  }

  grow(delta: Delta): void {
    const { grown } = this
    switch (delta.type) {
      case 'text':
      case 'thinking':
      case 'arguments':
        grown.pieces.add(delta.text)
        return
      case 'signature':
        grown.signature = delta.signature
        return
      case 'citation':
        grown.citations = append(grown.citations, delta.citation)
        return
      case 'other':
        grown.raw = append(grown.raw, delta.raw)
    }
  }

  complete(final: JsonObject | undefined, isCut = false): void {
    const { grown } = this
    grown.isComplete = true
    grown.isCut = isCut
    if (final !== undefined) grown.final = final
  }
}

const CUT: ParsedArguments = {
  ok: false,
  reason: 'cut',
  message: 'The arguments end in the middle',
}
const BROKEN: ParsedArguments = {
  ok: false,
  reason: 'broken',
  message: 'The arguments are not JSON',
}
const NO_OBJECT: ParsedArguments = {
  ok: false,
  reason: 'not-an-object',
  message: 'The arguments are JSON, but not an object',
}

function parseArguments(text: string, dialect: string | undefined): ParsedArguments {
  if (dialect === 'custom') return { ok: true, value: { input: text } }
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? { ok: true, value } : NO_OBJECT
  } catch {
    switch (jsonShape(text)) {
      case 'empty':
        return { ok: true, value: {} }
      case 'cut':
        return CUT
      case 'broken':
      case 'whole':
        return BROKEN
    }
  }
}
