/**
 * One choice of a Chat stream: what its deltas say, block by block. Neighbours: `decode.ts` has one per
 * choice, `calls.ts` tells the tool calls apart. A block is over when the next one begins or the
 * choice finishes; there is no other sign on this wire.
 */
import { append, FewSet, NOTHING } from '../../base/few.ts'
import { toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import { UNNAMED, type BlockInfo } from '../../event/block.ts'
import type { Delta } from '../../event/event.ts'
import { CUT_SHORT } from '../../event/finish.ts'
import { createDecoding, type Decoding, type OpenStep } from '../decoding.ts'
import { createCalls, type Call, type Calls } from './calls.ts'
import { hasReasoning, readContent, readReasoning } from './delta.ts'
import { NAME } from './json.ts'
import { readFinish } from './terms.ts'

export interface Choice {
  /**
   * Reads what a chunk says of this choice: `'broken'` when it says that the answer broke off,
   * `'contradicted'` when it goes back on a call that was over.
   */
  read(json: JsonObject, step: OpenStep): 'broken' | 'contradicted' | undefined
  /** More of the text that it said last. */
  again(text: string, step: OpenStep): 'contradicted' | undefined
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

/** Between two frames. */
export const NO_STEP: OpenStep = createDecoding(NAME).begin()

/** Where the one call of the old form stands, apart from those of the new. */
const LEGACY = -1

export const createChoice = (options: ChoiceOptions): Choice => new Deltas(options)

/** A class, and not functions around what they share: every answer that is read has one, for as long as it takes. */
class Deltas implements Choice {
  hasFinish = false
  private readonly decoding: Decoding
  private readonly number: number
  private readonly of: { choice?: number }
  private readonly calls: Calls
  /** Blocks that have begun and not ended, in order; more than one only while calls overlap. */
  private readonly open = new FewSet<BlockInfo>()
  private ran: Set<unknown> | undefined
  private plain: BlockInfo | undefined
  private lastCall: Call | undefined
  private count = 0
  private grown: BlockInfo | undefined
  private said: Delta | undefined
  private isContradicted = false
  private hasContent = false
  private step = NO_STEP

  constructor({ decoding, number, messageId, createId }: ChoiceOptions) {
    this.decoding = decoding
    this.number = number
    this.of = number === 0 ? {} : { choice: number }
    this.calls = createCalls(messageId, createId)
  }

  read(json: JsonObject, current: OpenStep): 'broken' | 'contradicted' | undefined {
    this.step = current
    const said = this.readJson(json)
    // The next chunk may be long in coming, and a step holds what was read with its frame.
    this.step = NO_STEP
    return said
  }

  private readJson(json: JsonObject): 'broken' | 'contradicted' | undefined {
    // A server that streams nothing may put the whole message where the delta should be.
    const delta =
      toObject(json['delta']) ?? (this.hasContent ? undefined : toObject(json['message']))
    if (delta !== undefined) {
      if (hasReasoning(delta)) {
        const { text, seals } = readReasoning(delta)
        if (text !== undefined) this.growPlain('thinking', { type: 'thinking', text })
        for (const signature of seals) this.growPlain('thinking', { type: 'signature', signature })
      }
      const { content } = delta
      if (typeof content === 'string') {
        if (content !== '') this.growPlain('text', { type: 'text', text: content })
      } else if (content !== undefined)
        readContent(content, (type, piece) => this.growPlain(type, piece))
      const refusal = toText(delta['refusal'])
      if (refusal !== undefined) this.growPlain('refusal', { type: 'text', text: refusal })
      for (const one of toList(delta['annotations'])) {
        const citation = toObject(one)
        if (citation !== undefined && this.plain?.type === 'text')
          this.grow(this.plain, { type: 'citation', citation })
      }
      if (delta['executed_tools'] !== undefined) this.readExecuted(delta)
      this.readCalls(delta)
    }
    this.checkMessage(json)
    if (this.isContradicted) return 'contradicted'
    const word = toText(json['finish_reason'])
    if (word === undefined) return undefined
    const finish = readFinish(word, json)
    if (finish === 'broken') return finish
    this.closeAll(CUT_SHORT.has(finish.reason))
    this.hasFinish = true
    this.decoding.emit({
      type: 'finish',
      ...finish,
      vendorReason: word,
      vendor: json,
      ...this.of,
      step: this.step,
    })
    return undefined
  }

  again(text: string, current: OpenStep): 'contradicted' | undefined {
    const { grown, said } = this
    if (grown === undefined || said === undefined || !('text' in said)) return undefined
    this.step = current
    const call = this.calls.of(grown)
    call?.add(text)
    if (call === undefined) this.grow(grown, { ...said, text })
    else this.growCall(call, grown, text)
    this.step = NO_STEP
    return this.isContradicted ? 'contradicted' : undefined
  }

  close(current: OpenStep): void {
    this.step = current
    this.closeAll()
  }

  private base(id: string | undefined): { id: string; index: number; choice?: number } {
    return { id: id ?? `block_${this.count}`, index: this.count++, ...this.of }
  }

  private start(info: BlockInfo, vendor?: JsonObject): BlockInfo {
    this.open.add(info)
    this.hasContent = true
    this.decoding.emit({
      type: 'block-start',
      block: info,
      ...this.of,
      ...(vendor === undefined ? {} : { vendor }),
      step: this.step,
    })
    return info
  }

  /** Written out, since a spread in a literal that is made for every chunk costs (`bench/core.ts`). */
  private grow(block: BlockInfo, delta: Delta): void {
    this.grown = block
    this.said = delta
    if (this.number === 0)
      this.decoding.emit({ type: 'block-delta', block, delta, step: this.step })
    else
      this.decoding.emit({
        type: 'block-delta',
        block,
        delta,
        choice: this.number,
        step: this.step,
      })
  }

  /** `isShort`: the whole answer was cut off here. JSON shows by itself that it breaks off, a free text does not. */
  private stop(block: BlockInfo, isShort = false): void {
    if (!this.open.delete(block)) return
    if (this.plain === block) this.plain = undefined
    const isCut = isShort && block.type === 'tool-call' && block.dialect === 'custom'
    this.decoding.emit({
      type: 'block-stop',
      block,
      ...(isCut ? { isCut } : {}),
      ...this.of,
      step: this.step,
    })
  }

  /**
   * Another block is about to begin: what is over ends. A call whose arguments go on stays open, and is
   * looked at again when its next piece comes.
   */
  private yieldTo(): void {
    if (this.plain !== undefined) this.stop(this.plain)
    if (this.lastCall?.info !== undefined && this.lastCall.isWhole()) this.stop(this.lastCall.info)
  }

  private growPlain(type: Plain, delta: Delta): void {
    if (this.plain?.type !== type) {
      this.yieldTo()
      this.plain = this.start(
        type === 'thinking'
          ? { ...this.base(undefined), type, redacted: false }
          : { ...this.base(undefined), type },
      )
    }
    this.grow(this.plain, delta)
  }

  private readCalls(delta: JsonObject): void {
    const fragments = toList(delta['tool_calls'])
    fragments.forEach((one, position) => {
      const fragment = toObject(one)
      if (fragment !== undefined) this.readFragment(fragment, position - fragments.length)
    })
    if (delta['function_call'] == null) return
    const legacy = toObject(delta['function_call'])
    if (
      legacy !== undefined &&
      (toText(legacy['name']) ?? toText(legacy['arguments'])) !== undefined
    )
      this.readFragment({ index: LEGACY, function: legacy }, -1)
  }

  private readFragment(fragment: JsonObject, fromEnd: number): void {
    const { call, text, isContradiction } = this.calls.read(fragment, fromEnd)
    if (call.info !== undefined) this.lastCall = call
    if (isContradiction) this.isContradicted = true
    else if (call.info === undefined && call.name !== undefined) this.startCall(call, fragment)
    else if (call.info === undefined) this.holdCall(call)
    else if (text === '')
      this.decoding.emit({ type: 'other', block: call.info, ...this.of, step: this.step })
    else this.growCall(call, call.info, text)
  }

  private growCall(call: Call, block: BlockInfo, text: string): void {
    if (this.open.has(block)) {
      this.grow(block, { type: 'arguments', text })
      // Only matters while another block waits for this one, and then it is what lets it go.
      if (this.open.size > 1 && call.isWhole()) this.stop(block)
    } else if (text.trim() !== '') this.isContradicted = true
  }

  /**
   * Some servers put a whole message beside the delta, and an SDK believes it. Its calls must be those
   * of the delta, or those that came before.
   */
  private checkMessage(json: JsonObject): void {
    const delta = toObject(json['delta'])
    const told = toObject(json['message'])?.['tool_calls']
    if (delta === undefined || !Array.isArray(told) || told.length === 0) return
    if (JSON.stringify(told) === JSON.stringify(delta['tool_calls'])) return
    const known = told.every((one) => this.calls.knows(toObject(one) ?? {}))
    if (!known) this.isContradicted = true
  }

  private startCall(call: Call, vendor: JsonObject): void {
    this.yieldTo()
    const info: BlockInfo = {
      ...this.base(call.id),
      type: 'tool-call',
      name: call.name ?? UNNAMED,
      dialect: call.isCustom ? 'custom' : 'function',
      vendor,
    }
    this.calls.name(call, info)
    this.start(info, vendor)
    this.lastCall = call
    const { heldSteps } = call
    call.heldSteps = NOTHING
    for (const held of heldSteps)
      this.decoding.emit({ type: 'other', block: info, ...this.of, step: held })
    const text = call.text.toString()
    if (text !== '') this.grow(info, { type: 'arguments', text })
  }

  /** A head without a name: nothing can be said of the call yet, and its frame must not leave alone. */
  private holdCall(call: Call): void {
    if (call.heldSteps.at(-1) === this.step) return
    call.heldSteps = append(call.heldSteps, this.step)
    this.decoding.hold(this.step)
  }

  /** Tools that the server ran by itself (Groq's compound models). */
  private readExecuted(delta: JsonObject): void {
    const ran = (this.ran ??= new Set())
    for (const one of toList(delta['executed_tools'])) {
      const tool = toObject(one)
      if (tool === undefined) continue
      const name = toText(tool['type']) ?? 'tool'
      const key = `${String(tool['index'])} ${name}`
      const output = toText(tool['output'])
      if (!ran.has(key)) {
        ran.add(key)
        this.yieldTo()
        const call = this.start(
          { ...this.base(undefined), type: 'server-tool', name, vendor: tool },
          tool,
        )
        const text = toText(tool['arguments'])
        if (text !== undefined) this.grow(call, { type: 'arguments', text })
        this.stop(call)
      }
      if (output !== undefined && !ran.has(`${key} result`)) {
        ran.add(`${key} result`)
        this.yieldTo()
        const result = this.start(
          { ...this.base(undefined), type: 'tool-result', name, callId: key, vendor: tool },
          tool,
        )
        this.grow(result, { type: 'text', text: output })
        this.stop(result)
      }
    }
  }

  private closeAll(isShort = false): void {
    for (const call of this.calls.unnamed()) {
      call.name = UNNAMED
      this.startCall(call, {})
    }
    for (const block of this.open.keys()) this.stop(block, isShort)
  }
}
