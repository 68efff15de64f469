/**
 * The automaton of this wire: what may follow what, event by event. Neighbours: `rules.ts` says each
 * rule in words, `grammar-items.ts` looks at the items, `sluice lint` shows the findings, tests hold
 * our encoder to them.
 */
import { toObject, toText, type JsonObject } from '../../base/json.ts'
import { createFindings, readPayload, type Grammar } from '../grammar.ts'
import { createItemsGrammar } from './grammar-items.ts'
import { KNOWN_EVENTS, RULES } from './rules.ts'

const TERMINAL = new Set(['response.completed', 'response.incomplete', 'response.failed'])

export function createGrammar(): Grammar {
  const findings = createFindings(RULES)
  const { add } = findings
  const items = createItemsGrammar(add)
  let isStarted = false
  let isOver = false
  let isFailed = false
  let responseId: unknown
  let sequence = 0
  let countsSequence = true

  function readResponse(type: string, json: JsonObject): void {
    const response = toObject(json['response'])
    if (response === undefined) return
    if (responseId === undefined) responseId = response['id']
    else if (responseId !== response['id']) add('C3', `${type} has another response id`)
    const isTerminal = TERMINAL.has(type)
    if (!isTerminal && !Array.isArray(response['output'])) add('C21', `${type} has no output list`)
    if (isTerminal && type !== 'response.failed') items.end(response['output'])
  }

  function readSequence(json: JsonObject): void {
    if (!countsSequence) return
    if (json['sequence_number'] !== sequence) {
      countsSequence = false
      add('C2', json['sequence_number'] === undefined ? 'there is no sequence_number' : `${String(json['sequence_number'])} came where ${sequence} was due`)
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
  }

  return {
    push(frame) {
      const payload = readPayload(frame)
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
          const type = toText(payload.json['type']) ?? frame.event ?? ''
          if (!frame.isLine && frame.event !== type) add('S6', frame.event === undefined ? `${type} without an event line` : `${type} under "event: ${frame.event}"`)
          readJson(payload.json, type)
        }
      }
      if (!frame.isEnded && !frame.isLine && payload.type !== 'nothing') add('S1', 'the last frame has no blank line behind it')
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
