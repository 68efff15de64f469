/**
 * A request → keys by which it is found again, from the strictest to the loosest. What changes on every run is left
 * out: ids, dates, cache marks, sealed thinking, who is billed. Neighbours: `match-recordings.ts` compares, the wires
 * read. Keeps digests and no content.
 */
import { createHash } from 'node:crypto'
import { parseObject, type JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'
import type { Part, ToolResultPart } from '../request/part.ts'
import type { ModelRequest, Turn } from '../request/request.ts'
import { toBareText } from '../upstream/demo/bare-text.ts'
import { WIRES } from '../wire/wires.ts'
import { withoutMoments, withoutPlaces } from './match-texts.ts'

/** How alike two requests are; the strictest first. */
export const LIKENESS = [
  'the same request',
  'the same conversation',
  'the same calls, with other results',
  'the same place in a conversation',
  'the same conversation, asked of another model',
  'the same calls, with other results, asked of another model',
  'the same place in a conversation, asked of another model',
] as const
export type Likeness = (typeof LIKENESS)[number]

export interface MatchKeys {
  /** One for each of `LIKENESS`. */
  readonly keys: readonly string[]
  /** A digest of each turn, so that it can be said how far two go together. */
  readonly turns: readonly string[]
  /** The answer that it goes on from by its id. */
  readonly previous: string | undefined
  readonly model: string | undefined
  /** What was read, for whoever must know more. */
  readonly json: JsonObject | undefined
}

/** The digests of texts that were seen: a conversation says everything again on every turn. */
export interface TextDigests {
  strict(text: string): string
  loose(text: string): string
}

export function toMatchKeys(wire: WireName, body: Uint8Array, digests: TextDigests): MatchKeys {
  const json = parseObject(Buffer.from(body).toString('utf8'))
  const read = json === undefined ? undefined : WIRES[wire].readRequest(json)
  if (json === undefined || read?.ok !== true)
    return {
      keys: [digest('bytes', Buffer.from(body).toString('latin1'))],
      turns: [],
      previous: undefined,
      model: undefined,
      json,
    }
  const { request } = read
  const previous = json['previous_response_id']
  const loose = toLoose(request, digests)
  return {
    keys: toKeys(request, loose, digests),
    turns: loose.map((turn) => digest(...turn.said)),
    previous: typeof previous === 'string' ? previous : undefined,
    model: request.model,
    json,
  }
}

function toKeys(
  request: ModelRequest,
  loose: readonly LooseTurn[],
  digests: TextDigests,
): readonly string[] {
  const { model, tools, format } = request
  // A title that is asked for on the side begins as its conversation does, and has no tools.
  const kind = `${tools.length > 0} ${format?.type ?? ''}`
  const said = digest(kind, ...loose.flatMap((turn) => turn.said))
  const calls = digest(kind, ...loose.flatMap((turn) => turn.asked))
  const last = loose.at(-1)
  const place = digest(kind, String(loose.length), ...(last?.said ?? []))
  const ofModel = (key: string): string => digest(model, key)
  return [
    toStrict(request, digests),
    ofModel(said),
    ofModel(calls),
    ofModel(place),
    `said ${said}`,
    `calls ${calls}`,
    `place ${place}`,
  ]
}

function toStrict(request: ModelRequest, digests: TextDigests): string {
  const { model, isStream, tools, turns, format } = request
  const system = request.system.map(({ text }) => digests.strict(text))
  const said = turns.flatMap(({ role, parts }) => [
    role,
    ...parts.flatMap((part) => toWords(part, digests.strict)),
  ])
  const names = tools.map(({ name }) => name).toSorted()
  return digest(model, String(isStream), format?.type ?? '', ...system, ...names, ...said)
}

/** What somebody said in a row. */
interface LooseTurn {
  readonly role: Turn['role']
  readonly said: string[]
  /** Without results, and without what the model said beside its calls. */
  readonly asked: string[]
}

/** Turns of one role in a row are one: clients cut them differently. What agents put in by themselves does not count. */
function toLoose({ turns }: ModelRequest, digests: TextDigests): readonly LooseTurn[] {
  const loose: LooseTurn[] = []
  for (const { role, parts } of turns) {
    if (role === 'system') continue
    const ofText = (text: string): string =>
      digests.loose(role === 'user' ? toBareText(text) : text)
    const said = parts.flatMap((part) => toWords(part, ofText))
    if (said.length === 0) continue
    const asked = parts
      .filter(({ type }) => (role === 'user' ? type !== 'tool-result' : type === 'tool-call'))
      .flatMap((part) => toWords(part, ofText))
    const before = loose.at(-1)
    if (before?.role === role) {
      before.said.push(...said)
      before.asked.push(...asked)
    } else loose.push({ role, said: [role, ...said], asked: [role, ...asked] })
  }
  return loose
}

/** A part in digests; nothing, where it does not count. */
function toWords(part: Part, ofText: (text: string) => string): readonly string[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text.trim() === '' ? [] : notEmpty(ofText(part.text))
    case 'tool-call':
      return ['call', part.name, ofText(toSameJson(part.arguments))]
    case 'tool-result':
      return ['result', String(part.isError), ofText(textOf(part))]
    case 'image':
    case 'document':
      return [part.type, digest(JSON.stringify(part.source))]
    case 'audio':
      return [part.type, digest(part.data)]
    // What was thought is sealed anew on every run, and some clients leave it out later.
    case 'thinking':
      return []
    case 'opaque':
      return [part.what]
  }
}

const notEmpty = (text: string): readonly string[] => (text === '' ? [] : [text])

const textOf = ({ parts }: ToolResultPart): string =>
  parts
    .map((part) => {
      if (part.type === 'text') return part.text
      return part.type === 'opaque' ? part.what : JSON.stringify(part.source)
    })
    .join('\n')

/** Clients write the same arguments with other white space. */
function toSameJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

function digest(...words: readonly string[]): string {
  const hash = createHash('sha256')
  // With its length before it, so that two words are not taken for one.
  for (const word of words) hash.update(`${word.length} ${word}`)
  return hash.digest('base64url').slice(0, 22)
}

/** Short texts are cheaper to read again than to remember. */
const MIN_KEPT_CHARS = 200
const MAX_KEPT = 50_000

export function createTextDigests(): TextDigests {
  const kept = new Map<string, string>()
  const by = (how: string, reduce: (text: string) => string) => (text: string) => {
    if (text.length < MIN_KEPT_CHARS) return toDigest(reduce(text))
    const key = digest(how, text)
    const known = kept.get(key)
    if (known !== undefined) return known
    const made = toDigest(reduce(text))
    if (kept.size >= MAX_KEPT) kept.clear()
    kept.set(key, made)
    return made
  }
  return { strict: by('strict', withoutMoments), loose: by('loose', withoutPlaces) }
}

/** Nothing stays nothing. */
const toDigest = (text: string): string => (text === '' ? '' : digest(text))
