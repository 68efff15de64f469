/**
 * Answers that clients come back to, with the conversation before each. Neighbours: `shelf.ts` keeps them
 * within limits, `chain.ts` lets them share what came before; `responses.ts` and `threads.ts` say what the
 * items mean. Knows no wire: items are JSON, and some have an id.
 */
import { isObject, parseObject, toText, type JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'
import { piecesOf } from './chain.ts'
import type { AnswerEntry } from './entry.ts'
import { isId, type Keeping, type Kept, type KeptField } from './kept.ts'
import type { Piece, Pieces } from './pieces.ts'

/** An answer as it is kept. Each call reads it anew: nobody can change what is here. */
interface StoredAnswer {
  /** The whole conversation up to its end. */
  items(): readonly unknown[]
  /** What its own request added. */
  input(): readonly unknown[]
  output(): readonly unknown[]
  /** What holds for the whole conversation. */
  head(): JsonObject
  /** The answer's own fields. */
  body(): JsonObject
}

export interface Answers {
  /** Whether it was kept: not without the answer that it goes on from. */
  keep(entry: AnswerEntry): boolean
  /** Keeps it when it is asked for. It must go on from no other: that one could be gone by then. */
  wait(waiting: WaitingAnswer): void
  find(owner: string, wire: WireName, id: string): StoredAnswer | undefined
  /** An item of any answer of that owner's, by its own id. */
  findItem(owner: string, id: string): JsonObject | undefined
  remove(owner: string, wire: WireName, id: string): boolean
}

interface WaitingAnswer {
  readonly owner: string
  readonly wire: WireName
  readonly id: string
  /** What it holds, roughly. */
  readonly bytes: number
  make(): AnswerEntry | undefined
}

type KeptAnswer = Extract<Kept, { type: 'answer' }>

const keyOf = (wire: WireName, id: string): string => `${wire} ${id}`

export function createAnswers(shelf: Keeping): Answers {
  function findKept(owner: string, wire: WireName, id: string): KeptAnswer | undefined {
    const key = keyOf(wire, id)
    const found = shelf.find(owner, key)
    const kept = found?.type === 'waiting' && settle(found) ? shelf.find(owner, key) : found
    return kept?.type === 'answer' ? kept : undefined
  }

  /** Whether it is written down now, in its own place. */
  function settle(waiting: Extract<Kept, { type: 'waiting' }>): boolean {
    const entry = waiting.make()
    return entry !== undefined && keep(entry)
  }

  /** Items are found once their answer is written down. */
  function settleAll(owner: string): void {
    const all = Array.from(shelf.account(owner).entries.values(), ({ thing }) => thing)
    for (const thing of all) if (thing.type === 'waiting') settle(thing)
  }

  function keep(entry: AnswerEntry): boolean {
    const { owner, wire, id, previous } = entry
    if (!isId(id)) return false
    const before = previous === undefined ? undefined : findKept(owner, wire, previous)
    if (previous !== undefined && before === undefined) return false
    // Everything is text before anything is taken: JSON that cannot be written leaves nothing behind.
    const input = entry.input.map(toItemText)
    const output = entry.output.map(toItemText)
    const headTexts = toFields({ ...readFields(before?.head), ...entry.head })
    const bodyTexts = toFields(entry.body ?? {})
    const account = shelf.account(owner)
    const { pieces, chain } = account
    const texts = [...input, ...output, ...headTexts, ...bodyTexts].map(({ text }) => text)
    if (!shelf.hasRoom(pieces.costOf(texts))) return false
    const link = chain.add({
      before: before?.link,
      input: input.map((item) => takeItem(pieces, item, false)),
      output: output.map((item) => takeItem(pieces, item, true)),
    })
    const head = headTexts.map((field) => takeField(pieces, field))
    const body = bodyTexts.map((field) => takeField(pieces, field))
    const release = (): void => {
      chain.release(link)
      for (const { piece } of [...head, ...body]) pieces.release(piece)
    }
    shelf.put(account, keyOf(wire, id), { type: 'answer', link, head, body, release })
    return true
  }

  return {
    keep,
    wait(waiting) {
      const { owner, wire, id, bytes } = waiting
      if (!isId(id) || !shelf.hasRoom(bytes)) return
      const thing: Kept = { type: 'waiting', make: waiting.make, release() {} }
      shelf.put(shelf.account(owner), keyOf(wire, id), thing, bytes)
    },
    find(owner, wire, id) {
      const kept = findKept(owner, wire, id)
      return kept === undefined ? undefined : toStored(kept)
    },
    findItem(owner, id) {
      const find = (): Piece | undefined => shelf.account(owner).pieces.find(id)
      const known = find()
      if (known === undefined) settleAll(owner)
      const piece = known ?? find()
      return piece === undefined ? undefined : parseObject(piece.text)
    },
    remove: (owner, wire, id) => shelf.remove(owner, keyOf(wire, id)),
  }
}

interface ItemText {
  readonly text: string
  readonly id: string | undefined
}

interface FieldText {
  /** None for the fields that are too small to stand alone. */
  readonly name: string | undefined
  readonly text: string
}

/** Fields of this size are mostly the same on every turn, and then they are kept once. */
const MIN_FIELD_CHARS = 256

function toFields(object: JsonObject): readonly FieldText[] {
  const fields: FieldText[] = []
  const small: [string, unknown][] = []
  for (const [name, value] of Object.entries(object)) {
    const text = canBeLarge(value) ? JSON.stringify(value) : undefined
    if (text !== undefined && text.length >= MIN_FIELD_CHARS) fields.push({ name, text })
    else small.push([name, value])
  }
  if (small.length > 0)
    fields.push({ name: undefined, text: JSON.stringify(Object.fromEntries(small)) })
  return fields
}

/** Nearly all are numbers and short words: to write each of them by itself only to see its size costs. */
const canBeLarge = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.length >= MIN_FIELD_CHARS / 2
    : typeof value === 'object' && value !== null && Object.keys(value).length > 0

const takeField = (pieces: Pieces, { name, text }: FieldText): KeptField => ({
  name,
  piece: pieces.take(text),
})

function readFields(fields: readonly KeptField[] = []): JsonObject {
  return Object.fromEntries(
    fields.flatMap(({ name, piece }): (readonly [string, unknown])[] =>
      name === undefined ? Object.entries(parseObject(piece.text) ?? {}) : [[name, read(piece)]],
    ),
  )
}

const toItemText = (item: unknown): ItemText => ({
  text: JSON.stringify(item) ?? 'null',
  id: isObject(item) ? toText(item['id']) : undefined,
})

const takeItem = (pieces: Pieces, { text, id }: ItemText, isOriginal: boolean): Piece =>
  pieces.take(text, id === undefined || !isId(id) ? undefined : { id, isOriginal })

const toStored = ({ link, head, body }: KeptAnswer): StoredAnswer => ({
  items: () => piecesOf(link).map(read),
  input: () => link.input.map(read),
  output: () => link.output.map(read),
  head: () => readFields(head),
  body: () => readFields(body),
})

const read = ({ text }: Piece): unknown => JSON.parse(text)
