/**
 * Events to Responses frames. Neighbours: `../encoder.ts` lets frames pass that nobody touched and
 * calls this writer for the rest; `item-writer.ts` writes the items; `response.ts` the envelope. Owns
 * the grammar of the wire: created first, dense indices, sequence numbers, every item with its
 * lifecycle, and a terminal event that repeats all of them (reference `wire-formats.md` 5).
 */
import { createFragments, type Fragments } from '../../base/fragments.ts'
import { parseObject, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import type { EventOf, Step, StreamEvent, WireName } from '../../event/event.ts'
import type { StreamFault } from '../../event/fault.ts'
import { cutReason, laterReason, noteFinishLoss, type FinishReason } from '../../event/finish.ts'
import { createLossList } from '../../event/loss.ts'
import { mergeUsage, type Usage } from '../../event/usage.ts'
import { writeComment, writeEvent, type Written } from '../../sse/encode.ts'
import { createEncoder as createModes, type Writer } from '../encoder.ts'
import { ANY_ID, createToolIds, randomId, toId } from '../ids.ts'
import { streamCodeOf } from '../openai-errors.ts'
import type { Encoder, EncoderOptions } from '../wire.ts'
import { createItemWriter } from './item-writer.ts'
import { NAME, type PartJson } from './json.ts'
import { KNOWN_EVENTS } from './rules.ts'
import { createResponse } from './response.ts'
import { writeError, writeIncomplete, writeUsage } from './terms.ts'

export const createEncoder = (options: EncoderOptions = {}): Encoder =>
  createModes(NAME, createWriter(options))

/** What left as it came, as far as it is needed to go on from there. Read only when that happens. */
interface Tracked {
  /** Steps whose frames hold whole items. */
  readonly done: Step[]
  /** The block that is open, and the step that opened it. */
  open: { info: BlockInfo; step: Step; text: Fragments } | undefined
  /** Parts of the message whose item is not done yet. */
  parts: { info: BlockInfo; part: JsonObject; step: Step }[]
}

function createWriter(options: EncoderOptions): Writer {
  const createId = options.createId ?? randomId
  const now = options.now ?? (() => Math.floor(Date.now() / 1000))
  const losses = createLossList()
  const toolIds = createToolIds(ANY_ID, 64)
  const tracked: Tracked = { done: [], open: undefined, parts: [] }
  /** Items that are passed on: where they stood, where they stand now, and their id. */
  const passed = new Map<unknown, { index: number; id: string }>()
  const rawSteps = new WeakSet<Step>()
  const seen = new WeakSet<BlockInfo>()
  const done = new WeakSet<BlockInfo>()
  let source: WireName | undefined
  let response: JsonObject | undefined
  let isStarted = false
  let isResumed = false
  let isOver = false
  let sequence = 0
  let reason: FinishReason | undefined
  let finish: EventOf<'finish'> | undefined
  let usage: Usage | undefined
  let out: Written[] = []

  const emit = (type: string, payload: object): void => {
    out.push(writeEvent(type, JSON.stringify({ type, sequence_number: sequence++, ...payload })))
  }

  const emitRaw = (type: string, payload: string): void => {
    out.push(`event: ${type}\ndata: {"type":"${type}","sequence_number":${sequence++},${payload}}\n\n`)
  }

  const items = createItemWriter({
    emit,
    emitRaw,
    losses,
    source: () => source,
    takeToolId: (id) => toolIds.take(id),
    responseKey: () => (toText(response?.['id']) ?? '').replace(/^resp_/, '').slice(0, 40),
  })

  function start(event?: EventOf<'message-start'>): void {
    if (isStarted) return
    isStarted = true
    const vendor = event?.wire === NAME ? event.vendor : undefined
    const id = toText(vendor?.['id']) ?? toId('resp_', event?.id ?? '', createId)
    response = { ...createResponse({ id, model: event?.model ?? '', created: now() }), ...vendor, output: [], status: 'in_progress' }
    emit('response.created', { response })
    emit('response.in_progress', { response })
  }

  /** The first word of ours behind frames that left as they came: take up where they stopped. */
  function resume(): void {
    if (isResumed) return
    isResumed = true
    for (const step of tracked.done) {
      const json = parseObject(step.frame.data ?? '')
      const index = json?.['output_index']
      if (typeof index !== 'number') continue
      const item = toObject(json?.['item'])
      items.output[index] = item
      items.takeId(toText(item?.['id']) ?? '')
      while (items.output.length > 0 && indexTaken < index + 1) indexTaken = items.takeIndex() + 1
    }
    const open = tracked.open ?? tracked.parts.at(-1)
    const json = open === undefined ? undefined : parseObject(open.step.frame.data ?? '')
    const index = json?.['output_index']
    if (open === undefined || typeof index !== 'number') return
    if (isPassedOn(open.info)) {
      while (indexTaken < index + 1) indexTaken = items.takeIndex() + 1
      passed.set(index, { index, id: items.takeId(toText(open.info.vendor?.['id']) ?? '') })
      return
    }
    const itemId = toText(json?.['item_id']) ?? toText(toObject(json?.['item'])?.['id']) ?? open.info.id
    const parts = tracked.parts.map(({ part }) => part as unknown as PartJson)
    const text = 'text' in open ? open.text.toString() : undefined
    items.resume({ info: open.info, index, itemId, text, parts })
  }
  let indexTaken = 0

  /** Kinds that only pass or fall as a whole: on their own wire their frames are kept. */
  const isPassedOn = (info: BlockInfo): boolean =>
    info.type === 'thinking' || info.type === 'opaque' || info.type === 'server-tool' || info.type === 'tool-result'

  /** Writes the frame of that event again, with the place and number that it has now. */
  function passOn(step: Step): void {
    if (rawSteps.has(step)) return
    rawSteps.add(step)
    const json = parseObject(step.frame.data ?? '')
    const type = toText(json?.['type'])
    if (json === undefined || type === undefined || !KNOWN_EVENTS.has(type)) return
    const { type: _type, sequence_number: _number, output_index: from, item_id: _id, ...rest } = json
    const item = toObject(rest['item'])
    let place = passed.get(from)
    if (place === undefined) {
      place = { index: items.takeIndex(), id: items.takeId(toText(item?.['id']) ?? `item_${sequence}`) }
      passed.set(from, place)
    }
    const { index, id } = place
    const named = item === undefined ? undefined : { ...item, id }
    if (named !== undefined) items.output[index] = named
    emit(type, {
      ...(json['item_id'] === undefined ? {} : { item_id: id }),
      output_index: index,
      ...rest,
      ...(named === undefined ? {} : { item: named }),
    })
  }

  /** What the provider said of its refusal, as the part that this wire has for it. */
  function sayRefusal(text: string): void {
    const block: BlockInfo = { id: 'refusal', index: 0, type: 'refusal' }
    items.grow(block, { type: 'text', text })
  }

  function stop(): void {
    start()
    if (source !== NAME && finish?.explanation !== undefined) sayRefusal(finish.explanation)
    items.close()
    isOver = true
    const because = cutReason(reason ?? 'stop', items.hasCutCall && source !== NAME)
    if (source !== NAME) noteFinishLoss(losses, because, finish?.vendorReason)
    const incomplete = writeIncomplete(because)
    const vendor = source === NAME ? finish?.vendor : undefined
    const status = incomplete === undefined ? 'completed' : 'incomplete'
    const body = {
      ...response,
      ...vendor,
      status,
      incomplete_details:
        incomplete === undefined ? null : (vendor?.['incomplete_details'] ?? { reason: incomplete }),
      completed_at: vendor?.['completed_at'] ?? (incomplete === undefined ? now() : null),
      output: items.output.filter((item) => item !== undefined),
      usage: vendor?.['usage'] ?? (usage === undefined ? null : writeUsage(usage)),
    }
    emit(`response.${status}`, { response: body })
  }

  function fail(error: StreamFault): void {
    if (isOver) return
    start()
    isOver = true
    const own = source === NAME ? error.vendor : undefined
    const code = toText(own?.['code']) ?? streamCodeOf(error)
    const flat = { code, message: error.message, param: null }
    // Both shapes in one: the nested one makes every SDK throw, the flat one is the published type.
    emit('error', { ...flat, error: { ...toObject(writeError(error)['error']), ...own, code } })
    const output = items.output.filter((item) => item !== undefined)
    emit('response.failed', {
      response: { ...response, status: 'failed', error: { code, message: error.message }, output },
    })
  }

  function note(event: StreamEvent): void {
    if (event.type === 'message-start') {
      source = event.wire
      usage = mergeUsage(usage, event.usage)
    } else if (event.type === 'usage') usage = mergeUsage(usage, event.usage)
    else if (event.type === 'finish') {
      reason = laterReason(reason, event.reason)
      finish = event
    }
  }

  function track(event: StreamEvent): void {
    const { step } = event
    if (step === undefined) return
    if (step.events[0] === event && step.frame.data !== undefined && step.frame.data !== '[DONE]') sequence += 1
    if (event.type !== 'block-delta') note(event)
    switch (event.type) {
      case 'message-start':
        isStarted = true
        response = { ...event.vendor, output: [] }
        return
      case 'block-start':
        seen.add(event.block)
        tracked.open = { info: event.block, step, text: createFragments() }
        if (event.block.type === 'tool-call') toolIds.take(event.block.id)
        return
      case 'block-delta':
        if (tracked.open?.info === event.block && 'text' in event.delta) tracked.open.text.add(event.delta.text)
        return
      case 'block-stop':
        done.add(event.block)
        tracked.open = undefined
        if ((event.block.type === 'text' || event.block.type === 'refusal') && event.vendor !== undefined)
          tracked.parts.push({ info: event.block, part: event.vendor, step })
        trackDone(step)
        return
      case 'other':
        trackDone(step)
        return
      case 'message-stop':
      case 'error':
        isOver = true
        return
      case 'finish':
      case 'usage':
      case 'ping':
    }
  }

  function trackDone(step: Step): void {
    if (step.frame.data?.includes('"response.output_item.done"') !== true) return
    if (tracked.done.at(-1) !== step) tracked.done.push(step)
    tracked.parts = []
  }

  function writeBlock(event: EventOf<'block-start' | 'block-delta' | 'block-stop'>): void {
    const { block } = event
    if (done.has(block)) return
    if (source === NAME && isPassedOn(block) && event.step?.wire === NAME) return passOn(event.step)
    if (!seen.has(block)) {
      seen.add(block)
      items.start(block)
    }
    if (event.type === 'block-delta') items.grow(block, event.delta)
    else if (event.type === 'block-stop') {
      done.add(block)
      items.stop(block, event.vendor)
    }
  }

  function say(event: StreamEvent): void {
    switch (event.type) {
      case 'message-start':
        return start(event)
      case 'block-start':
      case 'block-delta':
      case 'block-stop':
        start()
        return writeBlock(event)
      case 'message-stop':
        return stop()
      case 'error':
        return fail(event.error)
      case 'other':
        if (source === NAME && event.block !== undefined && isPassedOn(event.block) && event.step !== undefined)
          passOn(event.step)
        return
      case 'finish':
      case 'usage':
      case 'ping':
    }
  }

  return {
    track,
    write(event, to) {
      if (isOver) return
      if ((event.choice ?? 0) !== 0) {
        if (event.type === 'block-start') losses.add('dropped', 'choice')
        return
      }
      out = to
      note(event)
      resume()
      say(event)
    },
    close(to) {
      out = to
      resume()
      fail({ kind: 'cut', message: 'The upstream ended before its response was completed' })
    },
    keepalive: () => writeComment('keepalive'),
    losses: () => losses.list(),
  }
}
