/** A JSON answer from which somebody took a block keeps nothing of it: no field of the vendor's tells it again. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import type { BlockInfo, StreamBlock } from '../../src/event/block.ts'
import type { WireName } from '../../src/event/event.ts'
import { WIRE_NAMES, WIRES } from '../../src/wire/wires.ts'
import { CHAT, MESSAGES, RESPONSES } from '../support/json-answers.ts'
import { assemble } from '../support/pipeline.ts'

function textOf(wire: WireName, json: unknown): string {
  const { blocks } = assemble(WIRES[wire].readAnswer(json as JsonObject))
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

const ANSWERS: Readonly<Record<WireName, Readonly<Record<string, unknown>>>> = {
  'anthropic-messages': MESSAGES,
  'openai-chat': {
    ...CHAT,
    told_again: {
      ...CHAT.plain,
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          logprobs: {
            content: [{ token: 'Secretword', logprob: -1, bytes: null, top_logprobs: [] }],
          },
          message: {
            role: 'assistant',
            content: 'Secretword',
            reasoning: 'Secretthought',
            reasoning_content: 'Secretthought',
            function_call: { name: 'secret_tool', arguments: '{"a":"Secretargument"}' },
            tool_calls: [
              {
                id: 'call_9',
                type: 'function',
                function: { name: 'secret_tool', arguments: '{"a":"Secretargument"}' },
              },
            ],
          },
        },
      ],
    },
  },
  'openai-responses': {
    ...RESPONSES,
    told_again: { ...RESPONSES.plain, output_text: textOf('openai-responses', RESPONSES.plain) },
  },
}

/** Words that only this block says. */
function wordsOf(block: StreamBlock): readonly string[] {
  switch (block.type) {
    case 'text':
    case 'refusal':
    case 'thinking':
      return [block.text]
    case 'tool-call':
      return [block.name, block.arguments]
    case 'server-tool':
    case 'tool-result':
    case 'opaque':
      return []
  }
}

const withoutOthers = (words: readonly string[], rest: string): readonly string[] =>
  words
    .map((word) => JSON.stringify(word).slice(1, -1))
    .filter((word) => word.length > 3 && !rest.includes(word))

for (const wire of WIRE_NAMES) {
  describe(`a JSON answer of ${wire}`, () => {
    test.each(Object.keys(ANSWERS[wire]))(
      'keeps nothing of a block that was taken out: %s',
      (name) => {
        const json = ANSWERS[wire][name] as JsonObject
        const events = WIRES[wire].readAnswer(json)
        const { blocks } = assemble(events)
        for (const block of blocks) {
          const isOf = (info: BlockInfo | undefined): boolean => info === block.info
          const left = events.filter((event) => !('block' in event && isOf(event.block)))
          const state = assemble(left)
          const others = JSON.stringify(state.blocks.map(wordsOf))
          const { body } = WIRES[wire].writeAnswer(state)
          const text = JSON.stringify(body)
          for (const word of withoutOthers(wordsOf(block), others)) expect(text).not.toContain(word)
        }
      },
    )
  })
}
