/**
 * Turns and instructions that a policy took out or put in → the same in the client's own list of messages or items, in
 * which everything that stays is the client's own. Neighbours: `changed-fields.ts` asks, and `changed-request.ts` looks
 * whether it came out right: what has no clear place here is not placed.
 */
import { isObject, toList, type JsonObject } from '../base/json.ts'
import type { TextPart } from '../request/part.ts'
import { toProfile } from '../request/profile.ts'
import type { ModelRequest, Turn } from '../request/request.ts'
import type { Wire } from '../wire/wire.ts'
import type { Change } from './changed-fields.ts'

type Write = (request: ModelRequest) => JsonObject | undefined

/** The fields that change; none where the turns are as many as they were. */
export function changeTurns(wire: Wire, change: Change, write: Write): JsonObject | undefined {
  const { before, after } = change
  if (isSameShape(before, after)) return {}
  if (wire.name === 'anthropic-messages') return changeMessages(wire, change)
  const name = wire.name === 'openai-responses' ? 'input' : 'messages'
  const list = listOf(after.source.body[name])
  const said = addedTo(before.system, after.system)
  if (list === undefined || said === undefined) return undefined
  const hasInstructions = typeof after.source.body['instructions'] === 'string'
  // The instructions of a request stand before all items.
  if (hasInstructions && said.first.length > 0) return undefined
  const made = changeList(list, change, (turn) =>
    turn.parts.some(({ type }) => type === 'tool-call' || type === 'tool-result')
      ? undefined
      : toList(write({ ...after, system: [], turns: [turn], tools: [] })?.[name]),
  )
  if (made === undefined) return undefined
  const head = made.findIndex((entry) => !isSystem(entry))
  const at = head === -1 ? made.length : head
  const toEntry = (part: TextPart): JsonObject => ({ role: 'system', content: part.text })
  return {
    [name]: [
      ...said.first.map(toEntry),
      ...made.slice(0, at),
      ...said.last.map(toEntry),
      ...made.slice(at),
    ],
  }
}

const isSameShape = (before: ModelRequest, after: ModelRequest): boolean =>
  before.system.length === after.system.length &&
  before.turns.length === after.turns.length &&
  before.turns.every((turn, at) => turn.parts.length === after.turns[at]?.parts.length)

/** This wire has one message for each turn, and writes single ones by itself. */
function changeMessages(wire: Wire, { before, after }: Change): JsonObject | undefined {
  const said = addedTo(before.system, after.system)
  const old = new Set(before.turns)
  const fresh = after.turns.filter((turn) => !old.has(turn))
  const written = writeTurns(wire, after, fresh)
  if (said === undefined || written?.length !== fresh.length) return undefined
  let next = 0
  const messages = after.turns.map((turn) => (old.has(turn) ? turn.vendor : written[next++]))
  return said.first.length + said.last.length === 0
    ? { messages }
    : { messages, system: withTexts(after.source.body['system'], before.system[0], said) }
}

function writeTurns(
  wire: Wire,
  after: ModelRequest,
  turns: readonly Turn[],
): readonly unknown[] | undefined {
  if (turns.length === 0) return []
  const { model, isStream } = after
  const profile = toProfile({ wire: wire.name, host: undefined, vendor: undefined, model })
  const written = wire.writeRequest({ ...after, turns }, { model, isStream, profile })
  return written.ok ? toList(written.body['messages']) : undefined
}

/** Behind what stands before the first text and is no word to the model, such as a line for billing. */
function withTexts(system: unknown, first: TextPart | undefined, { first: ahead, last }: Added) {
  const own =
    typeof system === 'string' ? [toBlock({ type: 'text', text: system })] : toList(system)
  const place = typeof system === 'string' ? 0 : Math.max(0, own.indexOf(first?.vendor))
  return [...own.slice(0, place), ...ahead.map(toBlock), ...own.slice(place), ...last.map(toBlock)]
}

const toBlock = ({ text }: TextPart): JsonObject => ({ type: 'text', text })

function listOf(value: unknown): readonly unknown[] | undefined {
  if (typeof value === 'string') return [{ type: 'message', role: 'user', content: value }]
  return Array.isArray(value) ? value : undefined
}

interface Added {
  readonly first: readonly TextPart[]
  readonly last: readonly TextPart[]
}

/** What stands before and behind those that were there; `undefined` where one of them is gone. */
function addedTo(before: readonly TextPart[], after: readonly TextPart[]): Added | undefined {
  const [one] = before
  if (one === undefined) return { first: [], last: after }
  const start = after.indexOf(one)
  if (start === -1 || !before.every((part, at) => part === after[start + at])) return undefined
  return { first: after.slice(0, start), last: after.slice(start + before.length) }
}

/** Without the turns that are gone, and with those that are new, each behind the one that it follows. */
function changeList(
  list: readonly unknown[],
  { before, after }: Change,
  write: (turn: Turn) => readonly unknown[] | undefined,
): readonly unknown[] | undefined {
  const owners = ownersIn(list)
  const entriesOf = (turn: Turn): readonly unknown[] => {
    const own = turn.vendor === undefined ? undefined : owners.get(turn.vendor)
    if (own !== undefined) return [own]
    const found = turn.parts.map(({ vendor }) => vendor && owners.get(vendor))
    return [...new Set(found.filter((one) => one !== undefined))]
  }
  const old = new Set(before.turns)
  const staying = new Set(after.turns.filter((turn) => old.has(turn)))
  const gone = new Set(before.turns.filter((turn) => !staying.has(turn)).flatMap(entriesOf))
  const fresh = new Map<unknown, unknown[]>()
  const head = list.findIndex((entry) => !isSystem(entry))
  let anchor: unknown = list[(head === -1 ? list.length : head) - 1]
  for (const turn of after.turns) {
    if (staying.has(turn)) {
      anchor = entriesOf(turn).at(-1) ?? anchor
      continue
    }
    const written = write(turn)
    if (written === undefined) return undefined
    const waiting = fresh.get(anchor)
    if (waiting === undefined) fresh.set(anchor, [...written])
    else waiting.push(...written)
  }
  return [
    ...(fresh.get(undefined) ?? []),
    ...list.flatMap((entry) => [...(gone.has(entry) ? [] : [entry]), ...(fresh.get(entry) ?? [])]),
  ]
}

/** Which entry of the list each object stands in. */
function ownersIn(list: readonly unknown[]): ReadonlyMap<object, unknown> {
  const owners = new Map<object, unknown>()
  const open = list.map((entry) => ({ one: entry, entry }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { one, entry } = next
    if (isObject(one)) owners.set(one, entry)
    const inside: readonly unknown[] = isObject(one) ? Object.values(one) : toList(one)
    for (const value of inside) open.push({ one: value, entry })
  }
  return owners
}

const isSystem = (entry: unknown): boolean =>
  isObject(entry) && (entry['role'] === 'system' || entry['role'] === 'developer')
