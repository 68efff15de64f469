/**
 * Events to Responses frames. Neighbours: `../encoder.ts` lets frames pass that nobody touched and
 * calls this writer for the rest; `item-writer.ts` writes the items, `tracking.ts` knows what passed
 * before, `response.ts` is the envelope. Owns
 * the grammar of the wire: created first, dense indices, sequence numbers, every item with its
 * lifecycle, and a terminal event that repeats all of them (reference `wire-formats.md` 5).
 */
import { parseObject, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import type { EventOf, Step, StreamEvent, WireName } from '../../event/event.ts'
import type { StreamFault } from '../../event/fault.ts'
import { cutReason, laterReason, noteFinishLoss, type FinishReason } from '../../event/finish.ts'
import { createLossList } from '../../event/loss.ts'
import { mergeUsage, type Usage } from '../../event/usage.ts'
import { writeComment, writeEvent, type Written } from '../../sse/encode.ts'
import { createEncoder as createModes, type Writer } from '../encoder.ts'
import { ANY_ID, createToolIds, randomId, toAnswerId } from '../ids.ts'
import { streamCodeOf, writeErrorValue } from '../openai-errors.ts'
import type { Encoder, EncoderOptions } from '../wire.ts'
import { createItemWriter, outputOf } from './item-writer.ts'
import { NAME } from './json.ts'
import { KNOWN_EVENTS } from './rules.ts'
import { createResponse } from './response.ts'
import { writeIncomplete, writeUsage } from './terms.ts'
import { createTracking } from './tracking.ts'

export const createEncoder = (options: EncoderOptions = {}): Encoder =>
  createModes(NAME, createWriter(options))

function createWriter(options: EncoderOptions): Writer {
  const createId = options.createId ?? randomId
  const now = options.now ?? (() => Math.floor(Date.now() / 1000))
  const losses = createLossList()
  const toolIds = createToolIds(ANY_ID, 64, options.usedIds)
  const tracking = createTracking()
  /** Items that are passed on: where they stood, where they stand now, and their id. */
  const passed = new Map<unknown, { index: number; id: string }>()
  const rawSteps = new WeakSet<Step>()
  /** Where the blocks that are passed on stood. */
  const origins = new Map<BlockInfo, number>()
  const seen = new Set<BlockInfo>()
  const replaced = new Set<BlockInfo>()
  const done = new Set<BlockInfo>()
  let source: WireName | undefined
  let response: JsonObject | undefined
  let isStarted = false
  let isResumed = false
  let isOver = false
  let fault: StreamFault | undefined
  let sequence = 0
  let reason: FinishReason | undefined
  let finish: EventOf<'finish'> | undefined
  let usage: Usage | undefined
  let out: Written[] = []
  let terminal: JsonObject | undefined
  /** What stays the same of the response, as JSON without its last brace: it is said thrice. */
  let envelope = ''

  const emit = (type: string, payload: object): void => {
    emitRaw(type, JSON.stringify(payload).slice(1, -1))
  }

  const emitRaw = (type: string, payload: string): void => {
    out.push(
      `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequence++},${payload}}\n\n`,
    )
  }

  const items = createItemWriter({
    emit,
    emitRaw,
    losses,
    source: () => source,
    issuer: options.issuer,
    showsThinking: options.showsThinking ?? true,
    takeToolId: (id) => toolIds.take(id),
    responseKey: () => (toText(response?.['id']) ?? '').replace(/^resp_/, '').slice(0, 40),
  })

  function start(event?: EventOf<'message-start'>): void {
    if (isStarted) return
    isStarted = true
    const vendor = event?.wire === NAME ? withoutSaid(event.vendor) : undefined
    const id =
      toText(vendor?.['id']) ?? toAnswerId(event, { prefix: 'resp_', wire: NAME, createId })
    response = {
      ...createResponse({
        id,
        model: event?.model ?? '',
        created: event?.created ?? now(),
        echo: vendor === undefined ? options.echo : undefined,
      }),
      ...vendor,
      output: [],
      status: 'in_progress',
    }
    envelope = rawEnvelope(response)
    const payload = `"response":${envelope},"status":"in_progress","incomplete_details":null,"usage":null,"output":[]}`
    emitRaw('response.created', payload)
    emitRaw('response.in_progress', payload)
  }

  /** The first word of ours behind frames that left as they came: take up where they stopped. */
  function resume(): void {
    if (isResumed) return
    isResumed = true
    sequence = nextSequence()
    const before = tracking.read()
    for (const { info, index, id } of before.items) {
      items.keep(index, id)
      if (!isPassedOn(info)) continue
      passed.set(index, { index, id })
      origins.set(info, index)
      if (info.vendor !== undefined) items.output.set(index, { ...info.vendor, id })
    }
    for (const [index, item] of before.output) items.output.set(index, item)
    const { open } = before
    if (open !== undefined && !isPassedOn(open.info)) items.resume(open)
  }

  function nextSequence(): number {
    const last = options.lastSequence?.()
    return last === undefined ? sequence : last + 1
  }

  /** Kinds that only pass or fall as a whole: on their own wire their frames are kept. */
  const isPassedOn = (info: BlockInfo): boolean =>
    info.type === 'thinking' ||
    info.type === 'opaque' ||
    info.type === 'server-tool' ||
    info.type === 'tool-result'

  /**
   * Writes the frame of that event again, with the place and number that it has now, if it is a frame
   * of that block: what completes a block may have been read from the first frame of another.
   */
  function passOn(block: BlockInfo, step: Step): void {
    const json = rawSteps.has(step) ? undefined : parseObject(step.frame.data ?? '')
    if (json === undefined) return
    const { type, sequence_number: _number, output_index: from, item_id: itemId, ...rest } = json
    if (
      typeof type !== 'string' ||
      typeof from !== 'number' ||
      (origins.get(block) ?? from) !== from
    )
      return
    rawSteps.add(step)
    origins.set(block, from)
    const item = toObject(rest['item'])
    let place = passed.get(from)
    if (place === undefined) {
      place = { index: items.takeIndex(), id: items.takeId(toText(item?.['id']) ?? `item_${from}`) }
      passed.set(from, place)
    }
    const { index, id } = place
    const named = item === undefined ? {} : { item: { ...item, id } }
    if (named.item !== undefined) items.output.set(index, named.item)
    if (!KNOWN_EVENTS.has(type)) return
    emit(type, {
      ...(itemId === undefined ? {} : { item_id: id }),
      output_index: index,
      ...rest,
      ...named,
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
    const because = cutReason(reason ?? 'stop', items.hasCutCall() && source !== NAME)
    if (source !== NAME) noteFinishLoss(losses, because, finish?.vendorReason)
    const incomplete = writeIncomplete(because)
    const vendor = source === NAME ? withoutSaid(finish?.vendor) : undefined
    const status = incomplete === undefined ? 'completed' : 'incomplete'
    const said = {
      status,
      incomplete_details:
        incomplete === undefined
          ? null
          : (vendor?.['incomplete_details'] ?? { reason: incomplete }),
      completed_at: vendor?.['completed_at'] ?? (incomplete === undefined ? now() : null),
      usage: vendor?.['usage'] ?? (usage === undefined ? null : writeUsage(usage)),
    }
    const id = response?.['id']
    terminal = { ...response, ...vendor, id, ...said, output: outputOf(items.output) }
    if (vendor !== undefined || envelope === '')
      envelope = rawEnvelope({ ...response, ...vendor, id })
    const rest = JSON.stringify(said).slice(1, -1)
    emitRaw(`response.${status}`, `"response":${envelope},${rest},"output":${items.rawOutput()}}`)
  }

  function fail(error: StreamFault): void {
    if (isOver) return
    fault = error
    start()
    isOver = true
    const own = source === NAME ? error.vendor : undefined
    const code = toText(own?.['code']) ?? streamCodeOf(error)
    const said: JsonObject = { ...writeErrorValue(error), ...own, code }
    const message = toText(said['message']) ?? error.message
    // Both shapes in one: the nested one makes every SDK throw, the flat one is the published type.
    emit('error', { code, message, param: null, error: said })
    const output = outputOf(items.output)
    emit('response.failed', {
      response: { ...response, status: 'failed', error: { code, message }, output },
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
    const data = step?.frame.data
    if (step?.events[0] === event && data !== undefined && data !== '[DONE]')
      sequence += step.frame.frames
    tracking.track(event)
    switch (event.type) {
      case 'message-start':
        isStarted = true
        response = { ...withoutSaid(event.vendor), output: [] }
        return note(event)
      case 'block-start':
        seen.add(event.block)
        if (event.block.type === 'tool-call') toolIds.take(event.block.id)
        return
      case 'block-stop':
        done.add(event.block)
        return
      case 'message-stop':
      case 'error':
        isOver = true
        return
      case 'finish':
      case 'usage':
        return note(event)
      case 'block-delta':
      case 'other':
      case 'ping':
    }
  }

  /**
   * Whether somebody says other things of a block that was being passed on. Nothing of the original
   * leaves from there on: the item is closed as it was opened.
   */
  function isReplaced(event: EventOf<'block-start' | 'block-delta' | 'block-stop'>): boolean {
    const { block, step } = event
    if (step?.events.includes(event) === true) return false
    const place = passed.get(origins.get(block))
    if (place === undefined) return step !== undefined || seen.has(block)
    done.add(block)
    replaced.add(block)
    const item = { ...block.vendor, id: place.id }
    items.output.set(place.index, item)
    emit('response.output_item.done', { output_index: place.index, item })
    return true
  }

  function writeBlock(event: EventOf<'block-start' | 'block-delta' | 'block-stop'>): void {
    const { block } = event
    if (done.has(block)) return
    if (source === NAME && isPassedOn(block) && !isReplaced(event)) {
      if (event.step?.wire === NAME) passOn(block, event.step)
      const place = passed.get(origins.get(block))
      // What only the terminal event told of an item that its upstream never closed.
      if (place !== undefined && event.type === 'block-stop' && event.vendor !== undefined)
        items.output.set(place.index, { ...event.vendor, id: place.id })
      if (place !== undefined) return
    }
    if (!seen.has(block)) {
      seen.add(block)
      items.start(block)
    }
    if (done.has(block)) return
    if (event.type === 'block-delta') items.grow(block, event.delta)
    else if (event.type === 'block-stop') {
      done.add(block)
      items.stop(block, event.vendor, event.isCut)
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
        if (
          source === NAME &&
          event.block !== undefined &&
          isPassedOn(event.block) &&
          !replaced.has(event.block) &&
          event.step !== undefined
        )
          passOn(event.block, event.step)
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
    // Codex counts events and not comments, so that only this one resets its clock.
    terminal: () => terminal,
    skip(frames) {
      sequence += frames
    },
    keepalive(asEvent) {
      if (!asEvent || !isStarted || isOver || response === undefined)
        return writeComment('keepalive')
      const type = 'response.in_progress'
      // Among frames that pass, the upstream goes on counting from where it was.
      const number = isResumed ? sequence++ : nextSequence()
      const body = { ...response, output: outputOf(items.output), status: 'in_progress' }
      return writeEvent(type, JSON.stringify({ type, sequence_number: number, response: body }))
    },
    losses: () => losses.list(),
    fault: () => fault,
  }
}

/** All but what its end says anew. */
const rawEnvelope = (response: JsonObject): string =>
  JSON.stringify({
    object: 'response',
    ...response,
    status: undefined,
    incomplete_details: undefined,
    completed_at: undefined,
    usage: undefined,
    output: undefined,
  }).slice(0, -1)

/** Some servers tell the whole text once more beside the items. */
function withoutSaid(response: JsonObject | undefined): JsonObject | undefined {
  if (response === undefined || !('output_text' in response)) return response
  const { output_text: _text, ...rest } = response
  return rest
}
