/**
 * The automaton of this wire: what may follow what, chunk by chunk. Neighbours: `rules.ts` says each
 * rule in words, `grammar-choice.ts` looks at one choice, `sluice lint` shows the findings, tests hold
 * our encoder to them.
 */
import { isObject, toObject, toText, type JsonObject } from '../../base/json.ts'
import { createFindings, readPayload, type Grammar } from '../grammar.ts'
import { createChoiceGrammar, type ChoiceGrammar } from './grammar-choice.ts'
import { RULES } from './rules.ts'

export function createGrammar(): Grammar {
  const findings = createFindings(RULES)
  const { add } = findings
  const choices = new Map<number, ChoiceGrammar>()
  let id: string | undefined
  let model: string | undefined
  let hasUsage = false
  let isDone = false
  let isFailed = false
  let hasChunk = false

  function readNames(chunk: JsonObject): void {
    const nextId = typeof chunk['id'] === 'string' ? chunk['id'] : undefined
    const nextModel = typeof chunk['model'] === 'string' ? chunk['model'] : undefined
    if (id !== undefined && nextId !== undefined && id !== nextId) add('B1', 'the id changes')
    if (model !== undefined && nextModel !== undefined && model !== nextModel)
      add('B1', 'the model changes')
    id = nextId ?? id
    model = nextModel ?? model
  }

  function readUsage(chunk: JsonObject, choiceCount: number): void {
    if (isObject(chunk['usage'])) {
      hasUsage = true
      if (choiceCount > 0) add('B12-place', 'usage in a chunk with choices')
    } else if (chunk['usage'] === null && hasUsage && toText(chunk['id']) !== undefined) {
      hasUsage = false
      add('B12', 'usage is null after it was given')
    }
  }

  function readChunk(chunk: JsonObject): void {
    hasChunk = true
    if (isDone) return add('B13-late', 'a chunk after [DONE]')
    if (isFailed) return add('B18', 'a chunk after an error')
    if (chunk['error'] != null && chunk['error'] !== false) {
      isFailed = true
      return
    }
    readNames(chunk)
    const list = chunk['choices']
    if (!Array.isArray(list)) return add('B14', 'a chunk without choices')
    for (const one of list) {
      const choice = toObject(one) ?? {}
      const number = choice['index']
      if (typeof number !== 'number' || !Number.isInteger(number) || number < 0 || number > 127) {
        add(
          'B15',
          number === undefined
            ? 'a choice without an index'
            : `a choice with index ${JSON.stringify(number)}`,
        )
        continue
      }
      let grammar = choices.get(number)
      if (grammar === undefined) choices.set(number, (grammar = createChoiceGrammar(number, add)))
      grammar.read(choice)
    }
    readUsage(chunk, list.length)
  }

  return {
    push(frame) {
      const payload = readPayload(frame)
      if (payload.type !== 'nothing') findings.nextFrame()
      if (frame.stray !== undefined) add('S4', 'a line that is no field')
      if (frame.event !== undefined) add('S5', `an event line: ${frame.event}`)
      switch (payload.type) {
        case 'nothing':
          break
        case 'empty':
          if (!isDone) add('S3', 'an event without data')
          break
        case 'done':
          isDone = true
          break
        case 'broken':
          if (isDone) add('B13-late', 'data after [DONE]')
          else add('S2', 'the data is no JSON object')
          break
        case 'json':
          readChunk(payload.json)
      }
      if (!frame.isEnded && !frame.isLine && payload.type !== 'nothing')
        add(isDone ? 'S1-done' : 'S1', 'the last frame has no blank line behind it')
      return findings.take()
    },
    end() {
      if (isFailed) return []
      if (!hasChunk || choices.size === 0) add('B4', 'there is no choice')
      for (const number of choices.keys()) {
        if (number > 0 && !choices.has(number - 1))
          add('B15', `there is a choice ${number} and no ${number - 1}`)
      }
      for (const choice of choices.values()) choice.end()
      if (!isDone) add('B13', 'the stream ended without [DONE]')
      return findings.take()
    },
  }
}
