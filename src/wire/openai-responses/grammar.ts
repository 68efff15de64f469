/**
 * The automaton of this wire: what may follow what, event by event. Neighbours: `rules.ts` says each
 * rule in words, `grammar-items.ts` looks at the items, `sluice lint` shows the findings, tests hold
 * our encoder to them.
 */
import { toObject, toText, type JsonObject } from '../../base/json.ts'
import { createFindings, readPayload, type Grammar } from '../grammar.ts'
import { createItemsGrammar } from './grammar-items.ts'
import { isItemEvent, KNOWN_EVENTS, RULES } from './rules.ts'

const TERMINAL = new Set(['response.completed', 'response.incomplete', 'response.failed'])
const LIFECYCLE = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
  ...TERMINAL,
])

export function createGrammar(): Grammar {
  const findings = createFindings(RULES)
  const { add } = findings
  const items = createItemsGrammar(add)
  let isStarted = false
  let isOver = false
  let isFailed = false
  let responseId: unknown
  let hasResponse = false
  let sequence = 0
  let countsSequence = true

  function readResponse(type: string, json: JsonObject): void {
    if (!LIFECYCLE.has(type)) return
    const isTerminal = TERMINAL.has(type)
    const response = toObject(json['response'])
    if (response === undefined) return add(isTerminal ? 'C16' : 'C21', `${type} has no response`)
    if (!hasResponse) responseId = response['id']
    else if (responseId !== response['id']) add('C3', `${type} has another response id`)
    hasResponse = true
    if (isTerminal) {
      if (type !== 'response.failed') items.end(response['output'])
    } else if (!Array.isArray(response['output'])) add('C21', `${type} has no output list`)
    else if (response['output'].length < items.count())
      add('C22', `${type} came when there were items`)
  }

  function readSequence(json: JsonObject): void {
    if (!countsSequence) return
    if (json['sequence_number'] !== sequence) {
      countsSequence = false
      const found = json['sequence_number']
      add(
        'C2',
        typeof found === 'number'
          ? `${found} came where ${sequence} was due`
          : 'there is no sequence_number',
      )
    }
    sequence += 1
  }

  function readJson(json: JsonObject, type: string): void {
    if (!KNOWN_EVENTS.has(type)) add('C18', `${type} is unknown to them`)
    readSequence(json)
    if (isOver) return add('C17', `${type} came after the terminal event`)
    if (!isStarted) {
      if (type !== 'response.created' && type !== 'error') add('C1', `the first event is ${type}`)
      isStarted = true
    }
    if (type === 'error') isFailed = true
    else if (isFailed && type !== 'response.failed') add('C17', `${type} came after an error`)
    readResponse(type, json)
    if (TERMINAL.has(type)) isOver = true
    else if (typeof json['output_index'] === 'number') items.read(json, type, json['output_index'])
    else if (isItemEvent(type)) add('C4', `${type} says no output_index`)
  }

  return {
    push(frame) {
      const payload = readPayload(frame)
      const wasOver = isOver
      if (payload.type !== 'nothing') findings.nextFrame()
      if (frame.stray !== undefined) add('S4', 'a line that is no field')
      switch (payload.type) {
        case 'nothing':
          break
        case 'empty':
          add('S3', 'an event without data')
          break
        case 'done':
          add('S7', '[DONE] is not of this wire')
          break
        case 'broken':
          add('S2', 'the data is no JSON object')
          break
        case 'json': {
          const own = toText(payload.json['type'])
          const type = own ?? frame.event ?? ''
          if (own === undefined) add('S6-type', 'the data has no type')
          else if (!frame.isLine && frame.event !== type)
            add(
              'S6',
              frame.event === undefined
                ? `${type} without an event line`
                : `${type} under "event: ${frame.event}"`,
            )
          readJson(payload.json, type)
        }
      }
      if (!frame.isEnded && !frame.isLine && !wasOver && payload.type !== 'nothing')
        add('S1', 'the last frame has no blank line behind it')
      return findings.take()
    },
    end() {
      if (isOver || isFailed) return []
      if (!isStarted) add('C1', 'there is no response.created')
      add('C15', 'the stream ended without a terminal event')
      return findings.take()
    },
  }
}
