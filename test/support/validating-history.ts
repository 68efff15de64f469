/**
 * What a provider said must come back with the next turn: its calls by the ids and names it gave them, with the
 * same arguments, and right before them what it thought, sealed as it was. Neighbours: `validating-upstream.ts`
 * asks; `scripted.ts` says what was said.
 */
import { isDeepStrictEqual } from 'node:util'
import type { WireName } from '../../src/event/event.ts'
import { collect, isObject, toObjects, type Finding, type Json, type Report } from './api-rules.ts'
import type { Issued } from './scripted.ts'

/**
 * `others`: ids of calls that other providers made; what belongs to those is not this one's to check. `mayLack`: not all
 * that was said must come back, yet what does, in its order.
 */
export function checkHistory(
  wire: WireName,
  body: Json,
  issued: readonly Issued[],
  { others, mayLack }: { readonly others: ReadonlySet<string>; readonly mayLack: boolean },
): Finding[] {
  return collect((found) => {
    const report: Report = (path, message) => {
      if (mayLack && message === LACKS) return
      const isOthers = [...others].some((id) => message === `${UNKNOWN}${id}`)
      if (!isOthers) found(path, message)
    }
    switch (wire) {
      case 'anthropic-messages':
        return checkMessages(body, issued, report)
      case 'openai-chat':
        return checkChat(body, issued, report)
      case 'openai-responses':
        return checkResponses(body, issued, report)
    }
  })
}

const LACKS = 'What was thought before the calls did not all come back'
const DIFFERS = 'What was thought before the calls did not come back as it was'

/** Whether it is the same with some of it left out. */
function isWithin(some: readonly unknown[], all: readonly unknown[]): boolean {
  let at = 0
  for (const one of all) if (at < some.length && isDeepStrictEqual(some[at], one)) at += 1
  return at === some.length
}

const UNKNOWN = 'A call that was not made here: '

interface Back {
  readonly path: string
  readonly id: unknown
  readonly name: unknown
  readonly args: unknown
}

/** The turn that a call is of; what is wrong with the call is told. */
function checkCall(back: Back, issued: readonly Issued[], report: Report): Issued | undefined {
  const { path, id, name, args } = back
  const turn = issued.find(({ calls }) => calls.some((call) => call.id === id))
  const call = turn?.calls.find((one) => one.id === id)
  if (call === undefined) {
    report(path, `${UNKNOWN}${String(id)}`)
    return undefined
  }
  if (call.name !== name)
    report(path, `The call was of "${call.name}", and is of "${String(name)}"`)
  if (!isDeepStrictEqual(call.args, args)) report(path, 'The arguments are not those of the call')
  return turn
}

/** Thoughts and calls of one turn, as they came back: all that was said, in its order. */
function checkSequence(
  sequence: readonly unknown[],
  turn: Issued | undefined,
  where: { readonly path: string; readonly report: Report },
): void {
  if (turn === undefined || isDeepStrictEqual(sequence, turn.sequence)) return
  where.report(where.path, isWithin(sequence, turn.sequence) ? LACKS : DIFFERS)
}

function checkMessages(body: Json, issued: readonly Issued[], report: Report): void {
  toObjects(body['messages']).forEach((message, i) => {
    const blocks = toObjects(message['content'])
    const path = `messages[${i}]`
    const [turn] = blocks
      .filter((block) => block['type'] === 'tool_use')
      .map(({ id, name, input: args }) => checkCall({ path, id, name, args }, issued, report))
    const sequence = blocks
      .filter(({ type }) => type === 'tool_use' || String(type).endsWith('thinking'))
      .map((block) => (block['type'] === 'tool_use' ? block['id'] : block))
    checkSequence(sequence, turn, { path, report })
  })
}

function checkChat(body: Json, issued: readonly Issued[], report: Report): void {
  toObjects(body['messages']).forEach((message, i) => {
    const path = `messages[${i}]`
    const calls = toObjects(message['tool_calls'])
    const [turn] = calls.map(({ id, function: fn }) => {
      const { name, arguments: text } = fn as { name: string; arguments: string }
      return checkCall({ path, id, name, args: JSON.parse(text) }, issued, report)
    })
    const thought = message['reasoning_content']
    // What says nothing stands for calls without a thought.
    const isThought = typeof thought === 'string' && thought.trim() !== ''
    const sequence = [...(isThought ? [thought] : []), ...calls.map(({ id }) => id)]
    checkSequence(sequence, turn, { path, report })
  })
}

function checkResponses(body: Json, issued: readonly Issued[], report: Report): void {
  for (const { from, items } of answersIn(toObjects(body['input']))) {
    const path = `input[${from}]`
    const [turn] = items
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id: id, name, arguments: text }) =>
        checkCall({ path, id, name, args: JSON.parse(String(text)) }, issued, report),
      )
    const sequence = items
      .filter(({ type }) => type === 'reasoning' || type === 'function_call')
      .map((item) => (item['type'] === 'reasoning' ? withoutId(item) : item['call_id']))
    const said = turn?.sequence.map((one) => (isObject(one) ? withoutId(one) : one)) ?? []
    checkSequence(sequence, turn && { ...turn, sequence: said }, { path, report })
  }
}

/** Ids may be left out where nothing is stored. */
const withoutId = (item: Json): Json => ({ ...item, id: undefined })

/** The runs of items that the model said: what others said stands between them. */
function answersIn(input: readonly Json[]): { from: number; items: Json[] }[] {
  const runs: { from: number; items: Json[] }[] = []
  let isOpen = false
  input.forEach((item, from) => {
    const isSaid =
      item['role'] === 'assistant' ||
      item['type'] === 'reasoning' ||
      item['type'] === 'function_call'
    if (isSaid && isOpen) runs.at(-1)?.items.push(item)
    else if (isSaid) runs.push({ from, items: [item] })
    isOpen = isSaid
  })
  return runs
}
