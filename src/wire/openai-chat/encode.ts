/**
 * Events to Chat frames. Neighbours: `../encoder.ts` lets frames pass that nobody touched and calls
 * this writer for the rest; `choice-writer.ts` writes each choice. Together they own the grammar of
 * the wire: the role once and first, dense indices for calls, id, type and name once, the finish alone
 * in its chunk, usage last, then `[DONE]`.
 */
import { parseObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { EventOf, StreamEvent, WireName } from '../../event/event.ts'
import type { StreamFault } from '../../event/fault.ts'
import { createLossList } from '../../event/loss.ts'
import { mergeUsage, type Usage } from '../../event/usage.ts'
import { writeComment, writeData, type Written } from '../../sse/encode.ts'
import { createEncoder as createModes, type Writer } from '../encoder.ts'
import { ANY_ID, createToolIds, randomId, toAnswerId } from '../ids.ts'
import type { Encoder, EncoderOptions } from '../wire.ts'
import { createChoiceWriter, type ChoiceWriter } from './choice-writer.ts'
import { NAME } from './json.ts'
import { writeError, writeUsage } from './terms.ts'

export const createEncoder = (options: EncoderOptions = {}): Encoder =>
  createModes(NAME, createWriter(options))

function createWriter(options: EncoderOptions): Writer {
  const createId = options.createId ?? randomId
  const now = options.now ?? (() => Math.floor(Date.now() / 1000))
  const withUsage = options.includeUsage ?? true
  const losses = createLossList()
  const toolIds = createToolIds(ANY_ID, 40, options.usedIds)
  /** On their own wire ids stay as they are, however long. */
  const ownIds = createToolIds(ANY_ID, 1000)
  const choices = new Map<number, ChoiceWriter>()
  let first: ChoiceWriter | undefined
  let source: WireName | undefined
  let envelope: JsonObject | undefined
  let isOver = false
  let fault: StreamFault | undefined
  let usage: Usage | undefined
  let usageVendor: JsonObject | undefined
  let hasSaidUsage = false
  let hasNewUsage = false
  let out: Written[] = []

  function choiceOf(number = 0): ChoiceWriter {
    if (number === 0 && first !== undefined) return first
    let choice = choices.get(number)
    if (choice === undefined) {
      choice = createChoiceWriter({
        emit: (delta) => emitChunk(number, delta, 'null'),
        emitFinish: (word) => emitChunk(number, '{}', JSON.stringify(word)),
        losses,
        source: () => source,
        issuer: options.issuer,
        takeToolId: (id) => (source === NAME ? ownIds : toolIds).take(id),
        keepsCustom: options.customTools ?? false,
      })
      choices.set(number, choice)
      if (number === 0) first = choice
    }
    return choice
  }

  function envelopeOf(event?: EventOf<'message-start'>): JsonObject {
    if (envelope !== undefined) return envelope
    const vendor = event?.wire === NAME ? event.vendor : undefined
    const { created, service_tier, system_fingerprint } = vendor ?? {}
    envelope = {
      id:
        toText(vendor?.['id']) ?? toAnswerId(event, { prefix: 'chatcmpl-', wire: NAME, createId }),
      object: 'chat.completion.chunk',
      created: typeof created === 'number' ? created : (event?.created ?? now()),
      model: event?.model ?? '',
      ...(service_tier === undefined ? {} : { service_tier }),
      ...(system_fingerprint === undefined ? {} : { system_fingerprint }),
    }
    return envelope
  }

  /**
   * A chunk around a delta that is JSON already. Everything else in it is the same for the whole
   * answer, so it is written once: there are thousands of these (`bench/core.ts`).
   */
  function emitChunk(number: number, delta: string, finish: string): void {
    head ??= `data: ${JSON.stringify(envelopeOf()).slice(0, -1)},"choices":[`
    // A null would take back what was said already.
    const usageField = withUsage && !hasSaidUsage ? ',"usage":null' : ''
    const choice = `{"index":${number},"delta":${delta},"logprobs":null,"finish_reason":${finish}}`
    out.push(`${head}${choice}]${usageField}}\n\n`)
  }
  let head: string | undefined

  function stop(): void {
    isOver = true
    if (choices.size === 0) choiceOf(0)
    for (const choice of choices.values()) choice.finish()
    if (withUsage && usage !== undefined && (!hasSaidUsage || hasNewUsage))
      out.push(
        writeData(
          JSON.stringify({ ...envelopeOf(), choices: [], usage: usageVendor ?? writeUsage(usage) }),
        ),
      )
    out.push(writeData('[DONE]'))
  }

  function fail(error: StreamFault): void {
    if (isOver) return
    fault = error
    isOver = true
    const body =
      source === NAME && error.vendor !== undefined ? { error: error.vendor } : writeError(error)
    out.push(writeData(JSON.stringify(body)))
  }

  function note(event: StreamEvent): void {
    if (event.type === 'message-start') {
      source = event.wire
      usage = mergeUsage(usage, event.usage)
      envelopeOf(event)
    } else if (event.type === 'usage') {
      usage = mergeUsage(usage, event.usage)
      usageVendor = source === NAME ? toObject(event.vendor?.['usage']) : undefined
    } else if (event.type === 'finish') choiceOf(event.choice).note(event)
  }

  function trackRoles({ step, type }: StreamEvent): void {
    if (type !== 'message-start' && type !== 'block-start' && type !== 'other') return
    if (step?.frame.data?.includes('"role":"assistant"') !== true) return
    for (const one of toList(parseObject(step.frame.data)?.['choices'])) {
      const choice = toObject(one)
      const hasRole = toObject(choice?.['delta'])?.['role'] === 'assistant'
      if (hasRole && typeof choice?.['index'] === 'number') choiceOf(choice['index']).noteRole()
    }
  }

  return {
    track(event) {
      // Nearly all events are these, and this path is taken when nobody does anything.
      if (event.type === 'block-delta') return choiceOf(event.choice).track(event)
      note(event)
      trackRoles(event)
      if (event.type === 'usage') hasSaidUsage = true
      else if (event.type === 'message-stop' || event.type === 'error') isOver = true
      else choiceOf(event.choice).track(event)
    },
    write(event, to) {
      if (isOver) return
      if (source !== NAME && (event.choice ?? 0) !== 0) {
        if (event.type === 'block-start') losses.add('dropped', 'choice')
        return
      }
      out = to
      note(event)
      switch (event.type) {
        case 'usage':
          hasNewUsage = true
          return
        case 'message-start':
          return choiceOf(event.choice).giveRole()
        case 'block-start':
          return choiceOf(event.choice).start(event.block)
        case 'block-delta':
          return choiceOf(event.choice).grow(event.block, event.delta)
        case 'block-stop':
          return choiceOf(event.choice).stop(event.block, event.vendor, event.isCut)
        case 'message-stop':
          return stop()
        case 'error':
          return fail(event.error)
        case 'finish':
        case 'ping':
        case 'other':
      }
    },
    close(to) {
      out = to
      fail({ kind: 'cut', message: 'The upstream ended before it gave a finish_reason' })
    },
    keepalive: () => writeComment('keepalive'),
    losses: () => losses.list(),
    fault: () => fault,
  }
}
