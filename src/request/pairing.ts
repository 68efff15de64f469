/**
 * Calls and their results, brought together. Histories come with results that are missing, said twice, left
 * over or late: clients compact, abort and edit, and servers restart their ids with every turn. Every API
 * refuses such a history for ever, so it is mended here, the same way on every request. Neighbours: each
 * wire's request writer calls it first. Knows no wire, and not what an id may look like.
 */
import type { LossList } from '../event/loss.ts'
import type { Part, TextPart, ToolCallPart, ToolResultPart } from './part.ts'
import type { Turn } from './request.ts'

/**
 * The same conversation with every call answered once, in the turn right behind it; what was repaired is in
 * `losses`. Assistant turns in a row count as one. Where in that turn results stand is the writer's business.
 * A conversation that is whole comes back as it is, and so does every part that nobody had to touch.
 */
export function pairCalls(turns: readonly Turn[], losses: LossList): readonly Turn[] {
  const { drafts, runs } = match(turns, losses)
  const homes = new Map<number, Run>()
  for (const run of runs) {
    const missing = run.calls.filter(({ answer }) => answer === undefined)
    for (const _ of missing) losses.add('approximated', 'missing tool result')
    if (missing.length + run.loose.length > 0) run.isMended = true
    if (run.calls.length + run.loose.length > 0) homes.set(run.last + 1, run)
  }

  const out: Turn[] = []
  for (let at = 0; at <= turns.length; at++) {
    const turn = turns[at]
    const draft = drafts[at]
    const run = homes.get(at)
    const moved = run === undefined ? [] : [...run.answers(), ...run.loose]
    const isHome = turn?.role === 'user' && moved.length > 0
    if (!isHome && moved.length > 0) out.push({ role: 'user', parts: moved })
    if (turn === undefined || draft === undefined) continue
    if (!draft.isTouched && !(isHome && run?.isMended === true)) out.push(turn)
    else if (isHome) out.push({ ...turn, parts: [...moved, ...draft.rest] })
    else if (draft.rest.length > 0) out.push({ ...turn, parts: draft.rest })
    if (draft.after.length > 0) out.push({ role: 'user', parts: draft.after })
  }
  // The last word was a result that now stands further up: it is still the model's turn to speak.
  if (turns.at(-1)?.role === 'user' && out.at(-1)?.role === 'assistant')
    out.push({ role: 'user', parts: [{ type: 'text', text: ABOVE }] })
  return out.length === turns.length && out.every((turn, at) => turn === turns[at]) ? turns : out
}

const NO_RESULT = 'No result was recorded for this call'
const ORPHAN = 'Result of a tool call that is no longer in the conversation:'
const ABOVE = 'The result of the tool call stands above'

/** A call, and what it is answered with. */
interface Call {
  readonly part: ToolCallPart
  /** Under which it and its answer go from here. */
  readonly id: string
  answer: ToolResultPart | undefined
}

/** Assistant turns in a row: one step of the model's, whose calls are answered together. */
interface Run {
  last: number
  readonly calls: Call[]
  /** By the id that the client gave. Several have the same where a server numbers badly. */
  readonly byId: Map<string, { readonly calls: Call[]; answered: number }>
  /** What is to stand behind the run beside its results. */
  readonly loose: Part[]
  /** Whether a result comes from elsewhere, or from nowhere. */
  isMended: boolean
  /** One for each call, in the order of the calls. */
  answers(): readonly ToolResultPart[]
}

/** A turn without the results that are a run's. */
interface Draft {
  readonly rest: Part[]
  readonly after: Part[]
  isTouched: boolean
}

function match(turns: readonly Turn[], losses: LossList): { drafts: Draft[]; runs: Run[] } {
  const freshId = createFreshIds(turns)
  const runs: Run[] = []
  /** The last run that has a call of that id: a result speaks of that one. */
  const latest = new Map<string, Run>()

  function readCall(part: ToolCallPart, run: Run, turn: number): ToolCallPart {
    const id = freshId(part.id, turn)
    const call: Call = { part, id, answer: undefined }
    const same = run.byId.get(part.id)
    if (same === undefined) run.byId.set(part.id, { calls: [call], answered: 0 })
    else same.calls.push(call)
    run.calls.push(call)
    latest.set(part.id, run)
    return id === part.id ? part : { ...part, id }
  }

  /** What stands in the place of a result; `undefined` where it answers its call from where it is. */
  function readResult(part: ToolResultPart, turn: number): readonly Part[] | undefined {
    const run = latest.get(part.callId)
    const same = run?.byId.get(part.callId)
    if (run === undefined || same === undefined) {
      losses.add('approximated', 'orphaned tool result')
      return toWords(part)
    }
    const call = same.calls[same.answered]
    if (call === undefined) {
      losses.add('dropped', 'duplicate tool result')
      return []
    }
    same.answered += 1
    const isSame = call.id === part.callId && call.part.dialect === part.dialect
    call.answer = isSame ? part : { ...part, callId: call.id, dialect: call.part.dialect }
    if (isSame && turn === run.last + 1 && turns[turn]?.role === 'user') return undefined
    run.isMended = true
    return []
  }

  const drafts = turns.map((turn, at): Draft => {
    const draft: Draft = { rest: [], after: [], isTouched: false }
    const run = turn.role === 'assistant' ? openRun(turns, at, runs) : undefined
    // Words of a tool are the user's, never the model's own.
    const words = run?.loose ?? (turn.role === 'system' ? draft.after : draft.rest)
    for (const part of turn.parts) {
      if (part.type === 'tool-call' && run !== undefined) {
        const read = readCall(part, run, at)
        if (read !== part) draft.isTouched = true
        draft.rest.push(read)
      } else if (part.type === 'tool-result') {
        const instead = readResult(part, at)
        if (instead === undefined) continue
        draft.isTouched = true
        for (const word of instead) words.push(word)
      } else draft.rest.push(part)
    }
    return draft
  })
  return { drafts, runs }
}

function openRun(turns: readonly Turn[], at: number, runs: Run[]): Run {
  const before = runs.at(-1)
  if (before !== undefined && turns[at - 1]?.role === 'assistant') {
    before.last = at
    return before
  }
  const calls: Call[] = []
  const answers = (): readonly ToolResultPart[] =>
    calls.map((call) => call.answer ?? toMissing(call))
  const run: Run = { last: at, calls, byId: new Map(), loose: [], isMended: false, answers }
  runs.push(run)
  return run
}

/**
 * The first call of an id keeps it. A later one gets the number of its turn, which is the same on every
 * request as long as the client only adds to its history: caches and results stay valid.
 */
function createFreshIds(turns: readonly Turn[]): (id: string, turn: number) => string {
  const given = new Set<string>()
  for (const turn of turns)
    for (const part of turn.parts) if (part.type === 'tool-call') given.add(part.id)
  const used = new Set<string>()
  const counts = new Map<string, number>()

  return (id, turn) => {
    if (!used.has(id)) {
      used.add(id)
      return id
    }
    const base = `${id}_t${turn}`
    let count = counts.get(base) ?? 1
    let fresh = count === 1 ? base : `${base}_${count}`
    while (used.has(fresh) || given.has(fresh)) fresh = `${base}_${++count}`
    counts.set(base, count)
    used.add(fresh)
    return fresh
  }
}

const toMissing = ({ id, part }: Call): ToolResultPart => ({
  type: 'tool-result',
  callId: id,
  dialect: part.dialect,
  parts: [{ type: 'text', text: NO_RESULT }],
  isError: true,
})

function toWords({ parts, cache }: ToolResultPart): readonly Part[] {
  const [first, ...others] = parts
  const lead: TextPart =
    first?.type === 'text'
      ? { type: 'text', text: `${ORPHAN} ${first.text}` }
      : { type: 'text', text: ORPHAN }
  const rest = first === undefined || first.type === 'text' ? others : [first, ...others]
  const last = rest.at(-1) ?? lead
  if (cache === undefined) return [lead, ...rest]
  return [lead, ...rest].map((part) => (part === last ? { ...part, cache } : part))
}
