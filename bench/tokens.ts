/**
 * Token counts against a plain `JSON.parse` of the same request, which a gateway has to pay anyway. An
 * item is 1 KiB of the body, so that 100 KB of a coding agent's request cost a hundred times what is shown.
 */
import { estimateTokens } from '../src/tokens/estimate.ts'
import type { Benchmark } from './core.ts'

export function tokenBenchmarks(): Benchmark[] {
  const body = makeRequest()
  const text = JSON.stringify(body)
  const items = Math.round(new TextEncoder().encode(text).length / 1024)
  const counted = (isRight: boolean): number => (isRight ? items : 0)
  return [
    {
      name: `counting tokens, a request of ${items} KiB; a frame here is 1 KiB of it`,
      aims: { estimate: 4 },
      contenders: [
        { name: 'JSON.parse', run: () => counted(typeof JSON.parse(text) === 'object') },
        { name: 'estimate', run: () => counted(estimateTokens(body) > 0) },
      ],
    },
  ]
}

/** As a coding agent sends it: a long prompt, a dozen tools, turns with code in them. */
function makeRequest() {
  const prose = 'You help with software. Read the file before you change it, and run the tests.\n'
  const code =
    'export const add = (one: number, other: number): number => {\n  return one + other\n}\n'
  const tools = Array.from({ length: 12 }, (_, at) => ({
    name: `tool_${at}`,
    description: prose.repeat(15),
    input_schema: {
      type: 'object',
      properties: {
        file_path: { type: 'string', description: 'The absolute path of the file' },
        limit: { type: 'number', description: 'How many lines to read' },
      },
      required: ['file_path'],
    },
  }))
  const messages = Array.from({ length: 40 }, (_, at) =>
    at % 2 === 0
      ? { role: 'user', content: [{ type: 'text', text: prose.repeat(8) }] }
      : {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I write the file now.' },
            { type: 'tool_use', id: `t${at}`, name: 'Write', input: { content: code.repeat(20) } },
          ],
        },
  )
  return { model: 'm', system: [{ type: 'text', text: prose.repeat(200) }], tools, messages }
}
