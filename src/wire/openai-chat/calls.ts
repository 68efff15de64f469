/**
 * Which tool call a fragment belongs to. Servers leave the index out, lie about it, repeat ids, send
 * them empty or change them; the rules below are those of DESIGN.md 3, and each has a fixture.
 * Neighbours: `choice.ts` asks. Knows no events.
 */
import { FewMap } from '../../base/few.ts'
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
  readonly heldSteps: OpenStep[]
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

export function createCalls(messageId: string, createId?: () => string): Calls {
  const calls: Call[] = []
  const byIndex = new FewMap<number, Call>()
  const byId = new FewMap<string, Call>()
  const byBlock = new FewMap<BlockInfo, Call>()

  function begin(id: string | undefined, name: string | undefined, isCustom: boolean): Call {
    const call = createCall(id ?? makeId(), name, isCustom)
    calls.push(call)
    byId.set(call.id, call)
    return call
  }

  function makeId(): string {
    if (createId !== undefined) return `call_${createId()}`
    return `call_${messageId.replace(/[^a-zA-Z0-9]/g, '').slice(-16)}_${calls.length}`
  }

  /** The call that a fragment without a new head goes on with, if there is one. */
  function continued(fragment: JsonObject, fromEnd: number): Call | undefined {
    const index = fragment['index']
    const id = toText(fragment['id'])
    const name = nameOf(fragment)
    if (typeof index === 'number') {
      const call = byIndex.get(index)
      const head = { id, name, text: argumentsOf(fragment) }
      return call === undefined || isNewHead(call, head) ? undefined : call
    }
    const same = id === undefined ? undefined : byId.get(id)
    if (same !== undefined) return same
    if (name !== undefined) return undefined
    return calls.at(fromEnd) ?? calls.at(-1)
  }

  return {
    read(fragment, fromEnd) {
      const name = nameOf(fragment)
      let call = continued(fragment, fromEnd)
      if (call === undefined) {
        call = begin(toText(fragment['id']), name, isObject(fragment['custom']))
        if (typeof fragment['index'] === 'number') byIndex.set(fragment['index'], call)
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
    },
    name(call, info) {
      call.info = info
      byBlock.set(info, call)
    },
    of: (block) => byBlock.get(block),
    knows(fragment) {
      const id = toText(fragment['id'])
      const text = argumentsOf(fragment)
      return calls.some(
        (call) =>
          (id === undefined || call.id === id) &&
          call.name === nameOf(fragment) &&
          call.text.toString() === text,
      )
    },
    unnamed: () => calls.filter((call) => call.info === undefined),
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

function createCall(id: string, name: string | undefined, isCustom: boolean): Call {
  const text = createFragments()
  let scanner: JsonScanner | undefined
  let isOver = false
  return {
    id,
    name,
    isCustom,
    text,
    info: undefined,
    heldSteps: [],
    add(piece) {
      text.add(piece)
      if (scanner !== undefined) isOver = scanner.feed(piece)
    },
    isWhole() {
      if (isCustom) return true
      if (scanner === undefined) {
        scanner = createJsonScanner()
        isOver = scanner.feed(text.toString())
      }
      return isOver
    },
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
