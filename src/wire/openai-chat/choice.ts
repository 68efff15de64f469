/**
 * One choice of a Chat stream: what its deltas say, block by block. Neighbours: `decode.ts` has one per
 * choice, `calls.ts` tells the tool calls apart. A block is over when the next one begins or the
 * choice finishes; there is no other sign on this wire.
 */
import { toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import { UNNAMED, type BlockInfo } from '../../event/block.ts'
import type { Delta } from '../../event/event.ts'
import { CUT_SHORT } from '../../event/finish.ts'
import type { Decoding, OpenStep } from '../decoding.ts'
import { createCalls, type Call } from './calls.ts'
import { hasReasoning, readContent, readReasoning } from './delta.ts'
import { readFinish } from './terms.ts'

export interface Choice {
  /**
   * Reads what a chunk says of this choice: `'broken'` when it says that the answer broke off,
   * `'contradicted'` when it goes back on a call that was over.
   */
  read(json: JsonObject, step: OpenStep): 'broken' | 'contradicted' | undefined
  /** Completes what is still open. */
  close(step: OpenStep): void
  readonly hasFinish: boolean
}

export interface ChoiceOptions {
  readonly decoding: Decoding
  readonly number: number
  readonly messageId: string
  /** For calls without an id. */
  readonly createId: (() => string) | undefined
}

type Plain = 'text' | 'thinking' | 'refusal'

/** Where the one call of the old form stands, apart from those of the new. */
const LEGACY = -1

export function createChoice({ decoding, number, messageId, createId }: ChoiceOptions): Choice {
  const of = number === 0 ? {} : { choice: number }
  const calls = createCalls(messageId, createId)
  /** Blocks that have begun and not ended, in order; more than one only while calls overlap. */
  const open = new Set<BlockInfo>()
  const ran = new Set<unknown>()
  let plain: BlockInfo | undefined
  let lastCall: Call | undefined
  let count = 0
  let isContradicted = false
  let hasContent = false
  let step: OpenStep

  const base = (id: string | undefined): { id: string; index: number; choice?: number } => ({
    id: id ?? `block_${count}`,
    index: count++,
    ...of,
  })

  function start(info: BlockInfo, vendor?: JsonObject): BlockInfo {
    open.add(info)
    hasContent = true
    decoding.emit({
      type: 'block-start',
      block: info,
      ...of,
      ...(vendor === undefined ? {} : { vendor }),
      step,
    })
    return info
  }

  /** Written out, since a spread in a literal that is made for every chunk costs (`bench/core.ts`). */
  const grow = (block: BlockInfo, delta: Delta): void =>
    number === 0
      ? decoding.emit({ type: 'block-delta', block, delta, step })
      : decoding.emit({ type: 'block-delta', block, delta, choice: number, step })

  /** `isShort`: the whole answer was cut off here. JSON shows by itself that it breaks off, a free text does not. */
  function stop(block: BlockInfo, isShort = false): void {
    if (!open.delete(block)) return
    if (plain === block) plain = undefined
    const isCut = isShort && block.type === 'tool-call' && block.dialect === 'custom'
    decoding.emit({ type: 'block-stop', block, ...(isCut ? { isCut } : {}), ...of, step })
  }

  /**
   * Another block is about to begin: what is over ends. A call whose arguments go on stays open, and is
   * looked at again when its next piece comes.
   */
  function yieldTo(): void {
    if (plain !== undefined) stop(plain)
    if (lastCall?.info !== undefined && lastCall.isWhole()) stop(lastCall.info)
  }

  function growPlain(type: Plain, delta: Delta): void {
    if (plain?.type !== type) {
      yieldTo()
      plain = start(
        type === 'thinking'
          ? { ...base(undefined), type, redacted: false }
          : { ...base(undefined), type },
      )
    }
    grow(plain, delta)
  }

  function readCalls(delta: JsonObject): void {
    const fragments = toList(delta['tool_calls'])
    fragments.forEach((one, position) => {
      const fragment = toObject(one)
      if (fragment !== undefined) readFragment(fragment, position - fragments.length)
    })
    if (delta['function_call'] == null) return
    const legacy = toObject(delta['function_call'])
    if (
      legacy !== undefined &&
      (toText(legacy['name']) ?? toText(legacy['arguments'])) !== undefined
    )
      readFragment({ index: LEGACY, function: legacy }, -1)
  }

  function readFragment(fragment: JsonObject, fromEnd: number): void {
    const { call, text, isContradiction } = calls.read(fragment, fromEnd)
    if (call.info !== undefined) lastCall = call
    if (isContradiction) isContradicted = true
    else if (call.info === undefined && call.name !== undefined) startCall(call, fragment)
    else if (call.info === undefined) holdCall(call)
    else if (text === '') decoding.emit({ type: 'other', block: call.info, ...of, step })
    else if (open.has(call.info)) {
      grow(call.info, { type: 'arguments', text })
      // Only matters while another block waits for this one, and then it is what lets it go.
      if (open.size > 1 && call.isWhole()) stop(call.info)
    } else if (text.trim() !== '') isContradicted = true
  }

  /**
   * Some servers put a whole message beside the delta, and an SDK believes it. Its calls must be those
   * of the delta, or those that came before.
   */
  function checkMessage(json: JsonObject): void {
    const delta = toObject(json['delta'])
    const told = toObject(json['message'])?.['tool_calls']
    if (delta === undefined || !Array.isArray(told) || told.length === 0) return
    if (JSON.stringify(told) === JSON.stringify(delta['tool_calls'])) return
    const known = told.every((one) => calls.knows(toObject(one) ?? {}))
    if (!known) isContradicted = true
  }

  function startCall(call: Call, vendor: JsonObject): void {
    yieldTo()
    const info: BlockInfo = {
      ...base(call.id),
      type: 'tool-call',
      name: call.name ?? UNNAMED,
      dialect: call.isCustom ? 'custom' : 'function',
      vendor,
    }
    calls.name(call, info)
    start(info, vendor)
    lastCall = call
    for (const held of call.heldSteps.splice(0))
      decoding.emit({ type: 'other', block: info, ...of, step: held })
    const text = call.text.toString()
    if (text !== '') grow(info, { type: 'arguments', text })
  }

  /** A head without a name: nothing can be said of the call yet, and its frame must not leave alone. */
  function holdCall(call: Call): void {
    if (call.heldSteps.at(-1) === step) return
    call.heldSteps.push(step)
    decoding.hold(step)
  }

  /** Tools that the server ran by itself (Groq's compound models). */
  function readExecuted(delta: JsonObject): void {
    for (const one of toList(delta['executed_tools'])) {
      const tool = toObject(one)
      if (tool === undefined) continue
      const name = toText(tool['type']) ?? 'tool'
      const key = `${String(tool['index'])} ${name}`
      const output = toText(tool['output'])
      if (!ran.has(key)) {
        ran.add(key)
        yieldTo()
        const call = start({ ...base(undefined), type: 'server-tool', name, vendor: tool }, tool)
        const text = toText(tool['arguments'])
        if (text !== undefined) grow(call, { type: 'arguments', text })
        stop(call)
      }
      if (output !== undefined && !ran.has(`${key} result`)) {
        ran.add(`${key} result`)
        yieldTo()
        const result = start(
          { ...base(undefined), type: 'tool-result', name, callId: key, vendor: tool },
          tool,
        )
        grow(result, { type: 'text', text: output })
        stop(result)
      }
    }
  }

  function close(isShort = false): void {
    for (const call of calls.unnamed()) {
      call.name = UNNAMED
      startCall(call, {})
    }
    for (const block of open) stop(block, isShort)
  }

  const choice: Choice & { hasFinish: boolean } = {
    hasFinish: false,
    read(json, current) {
      step = current
      // A server that streams nothing may put the whole message where the delta should be.
      const delta = toObject(json['delta']) ?? (hasContent ? undefined : toObject(json['message']))
      if (delta !== undefined) {
        if (hasReasoning(delta)) {
          const { text, seals } = readReasoning(delta)
          if (text !== undefined) growPlain('thinking', { type: 'thinking', text })
          for (const signature of seals) growPlain('thinking', { type: 'signature', signature })
        }
        const { content } = delta
        if (typeof content === 'string') {
          if (content !== '') growPlain('text', { type: 'text', text: content })
        } else if (content !== undefined) readContent(content, growPlain)
        const refusal = toText(delta['refusal'])
        if (refusal !== undefined) growPlain('refusal', { type: 'text', text: refusal })
        for (const one of toList(delta['annotations'])) {
          const citation = toObject(one)
          if (citation !== undefined && plain?.type === 'text')
            grow(plain, { type: 'citation', citation })
        }
        if (delta['executed_tools'] !== undefined) readExecuted(delta)
        readCalls(delta)
      }
      checkMessage(json)
      if (isContradicted) return 'contradicted'
      const word = toText(json['finish_reason'])
      if (word === undefined) return undefined
      const finish = readFinish(word, json)
      if (finish === 'broken') return finish
      close(CUT_SHORT.has(finish.reason))
      choice.hasFinish = true
      decoding.emit({ type: 'finish', ...finish, vendorReason: word, vendor: json, ...of, step })
      return undefined
    },
    close(current) {
      step = current
      close()
    },
  }
  return choice
}
