/**
 * Which tool call a fragment belongs to. Servers leave the index out, lie about it, repeat ids, send
 * them empty or change them; the rules below are those of DESIGN.md 3, and each has a fixture.
 * Neighbours: `choice.ts` asks. Knows no events.
 */
import { append, FewMap, NOTHING } from '../../base/few.ts'
import { createFragments, type Fragments } from '../../base/fragments.ts'
import { createJsonScanner, type JsonScanner } from '../../base/json-scanner.ts'
import { isObject, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import type { OpenStep } from '../decoding.ts'

export interface Call {
  readonly id: string
  name: string | undefined
  readonly isCustom: boolean
  readonly text: Fragments
  add(piece: string): void
  /** Its block, once its name is known. */
  info: BlockInfo | undefined
  /** Steps that spoke of the call before it had a name. */
  heldSteps: OpenStep[]
  /** Whether its arguments are closed. Each character is looked at once, however often one asks. */
  isWhole(): boolean
}

export interface Calls {
  /** The call that the fragment belongs to, and what it adds to the arguments, or that it says another name. */
  read(
    fragment: JsonObject,
    fromEnd: number,
  ): { call: Call; text: string; isContradiction: boolean }
  name(call: Call, info: BlockInfo): void
  of(block: BlockInfo): Call | undefined
  /** Whether a whole call is one of those that came. */
  knows(call: JsonObject): boolean
  /** Calls that never got a name. */
  unnamed(): readonly Call[]
}

export const createCalls = (messageId: string, createId?: () => string): Calls =>
  new Book(messageId, createId)

/** A class, and not functions around what they share: every answer has one, for as long as it takes. */
class Book implements Calls {
  private readonly messageId: string
  private readonly createId: (() => string) | undefined
  private calls: Call[] = NOTHING
  private readonly byIndex = new FewMap<number, Call>()
  private readonly byId = new FewMap<string, Call>()
  private readonly byBlock = new FewMap<BlockInfo, Call>()

  constructor(messageId: string, createId: (() => string) | undefined) {
    this.messageId = messageId
    this.createId = createId
  }

  read(fragment: JsonObject, fromEnd: number): ReturnType<Calls['read']> {
    const name = nameOf(fragment)
    let call = this.continued(fragment, fromEnd)
    if (call === undefined) {
      call = this.begin(toText(fragment['id']), name, isObject(fragment['custom']))
      if (typeof fragment['index'] === 'number') this.byIndex.set(fragment['index'], call)
    } else if (name !== undefined) {
      // A client keeps the last name that it heard.
      if (call.name !== undefined && call.name !== name)
        return { call, text: '', isContradiction: true }
      call.name = name
    }
    const said = argumentsOf(fragment)
    // Some local servers write the word for "no arguments".
    const text = said === 'null' && call.text.length === 0 ? '' : said
    call.add(text)
    return { call, text, isContradiction: false }
  }

  name(call: Call, info: BlockInfo): void {
    call.info = info
    this.byBlock.set(info, call)
  }

  of(block: BlockInfo): Call | undefined {
    return this.byBlock.get(block)
  }

  knows(fragment: JsonObject): boolean {
    const id = toText(fragment['id'])
    const text = argumentsOf(fragment)
    return this.calls.some(
      (call) =>
        (id === undefined || call.id === id) &&
        call.name === nameOf(fragment) &&
        call.text.toString() === text,
    )
  }

  unnamed(): readonly Call[] {
    return this.calls.filter((call) => call.info === undefined)
  }

  private begin(id: string | undefined, name: string | undefined, isCustom: boolean): Call {
    const call = new Growing(id ?? this.makeId(), name, isCustom)
    this.calls = append<Call>(this.calls, call)
    this.byId.set(call.id, call)
    return call
  }

  private makeId(): string {
    if (this.createId !== undefined) return `call_${this.createId()}`
    return `call_${this.messageId.replace(/[^a-zA-Z0-9]/g, '').slice(-16)}_${this.calls.length}`
  }

  /** The call that a fragment without a new head goes on with, if there is one. */
  private continued(fragment: JsonObject, fromEnd: number): Call | undefined {
    const index = fragment['index']
    const id = toText(fragment['id'])
    const name = nameOf(fragment)
    if (typeof index === 'number') {
      const call = this.byIndex.get(index)
      const head = { id, name, text: argumentsOf(fragment) }
      return call === undefined || isNewHead(call, head) ? undefined : call
    }
    const same = id === undefined ? undefined : this.byId.get(id)
    if (same !== undefined) return same
    if (name !== undefined) return undefined
    return this.calls.at(fromEnd) ?? this.calls.at(-1)
  }
}

/**
 * A name on a known index is another call, unless it is the same one told again: by its id, or because
 * the arguments of this one are still open.
 */
function isNewHead(
  call: Call,
  head: { id: string | undefined; name: string | undefined; text: string },
): boolean {
  const { id, name, text } = head
  if (name === undefined || id === call.id) return false
  if (name !== call.name) return call.name !== undefined
  return id === undefined ? text !== '' && call.isWhole() : call.text.length === 0 || call.isWhole()
}

class Growing implements Call {
  readonly id: string
  name: string | undefined
  readonly isCustom: boolean
  readonly text = createFragments()
  info: BlockInfo | undefined
  heldSteps: OpenStep[] = NOTHING
  private scanner: JsonScanner | undefined
  private isOver = false

  constructor(id: string, name: string | undefined, isCustom: boolean) {
    this.id = id
    this.name = name
    this.isCustom = isCustom
  }

  add(piece: string): void {
    this.text.add(piece)
    if (this.scanner !== undefined) this.isOver = this.scanner.feed(piece)
  }

  isWhole(): boolean {
    if (this.isCustom) return true
    if (this.scanner === undefined) {
      this.scanner = createJsonScanner()
      this.isOver = this.scanner.feed(this.text.toString())
    }
    return this.isOver
  }
}

const bodyOf = (fragment: JsonObject): JsonObject | undefined =>
  toObject(fragment['function']) ?? toObject(fragment['custom'])

const nameOf = (fragment: JsonObject): string | undefined => toText(bodyOf(fragment)?.['name'])

function argumentsOf(fragment: JsonObject): string {
  const body = bodyOf(fragment)
  const value = body?.['arguments'] ?? body?.['input']
  if (isObject(value)) return JSON.stringify(value)
  return toText(value) ?? ''
}
