/**
 * The five ways to use a stream processor, as the guide shows them, on all three wires: what they
 * promise, and that nothing of a denied call leaves, whatever the stream looks like.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { holdEachCall } from '../docs/guide/patterns/hold-each-call.ts'
import { holdEverything } from '../docs/guide/patterns/hold-everything.ts'
import { onBlock } from '../docs/guide/patterns/on-block.ts'
import { stopAtCall } from '../docs/guide/patterns/stop-at-a-call.ts'
import { watch } from '../docs/guide/patterns/watch.ts'
import {
  createFrameDecoder,
  WIRE_NAMES,
  WIRES,
  type BlockOf,
  type Finding,
  type StreamProcessor,
  type StreamState,
  type WireName,
} from '../src/index.ts'
import { fromUtf8, toUtf8 } from './support/bytes.ts'
import { decodeAll, processBody, stateOf } from './support/streams.ts'

type Judge = (call: BlockOf<'tool-call'>) => boolean

const TEXT = 'I will read the notes first.'
const deniesAll: Judge = () => true
const deniesNone: Judge = () => false
const deniesDelete: Judge = (call) => call.name === 'delete_files'
const deniesRead: Judge = (call) => call.name === 'read_file'

const fixture = (wire: WireName, name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`fixtures/${wire}/${name}.sse`, import.meta.url)))

/** What a client reads after the processor, and the text of the bytes. */
async function run(
  wire: WireName,
  processor: StreamProcessor,
  name = 'text-then-two-calls',
): Promise<{ state: StreamState; text: string; isVerbatim: boolean }> {
  const { body, isVerbatim } = await processBody(wire, fixture(wire, name), processor)
  expect(lint(wire, body).filter(({ severity }) => severity === 'error')).toEqual([])
  return { state: stateOf(wire, body), text: fromUtf8(body), isVerbatim }
}

function lint(wire: WireName, body: Uint8Array): Finding[] {
  const frames = createFrameDecoder()
  const grammar = WIRES[wire].createGrammar()
  const read = [...frames.push(body), ...frames.end()].flatMap((frame) => [...grammar.push(frame)])
  return [...read, ...grammar.end()]
}

const blocksOf = (state: StreamState): string[] =>
  state.blocks.map((block) =>
    block.type === 'tool-call'
      ? `call ${block.name} ${block.arguments}`
      : 'text' in block
        ? block.text
        : block.type,
  )

const GOOD = 'call read_file {"path":"notes.txt"}'
const EVIL = 'call delete_files {"path":"/secret-vault"}'

function expectNothingEvil(text: string): void {
  for (const word of ['evil2', 'delete_files"', 'secret', 'vault']) expect(text).not.toContain(word)
}

describe.each(WIRE_NAMES)('%s', (wire) => {
  const textOnly = wire === 'openai-chat' ? 'content-only' : 'text'

  describe('react to a completed tool call and stop', () => {
    test('ends the answer at the first denied call, well-formed', async () => {
      const { state, text } = await run(wire, stopAtCall(deniesDelete))
      expect(blocksOf(state)).toEqual([TEXT, GOOD])
      expect(state).toMatchObject({ isStopped: true, error: undefined, finishReason: 'tool-calls' })
      expectNothingEvil(text)
    })

    test('says why when it is the first call', async () => {
      const { state } = await run(wire, stopAtCall(deniesRead))
      expect(blocksOf(state).join('')).toBe(`${TEXT}read_file is not allowed here.`)
      expect(state).toMatchObject({ finishReason: 'stop', isStopped: true, error: undefined })
      expect(state.blocks.every(({ type }) => type === 'text')).toBe(true)
    })

    test('passes the bytes as they came when nothing is denied', async () => {
      const { text, isVerbatim } = await run(wire, stopAtCall(deniesNone))
      expect(isVerbatim).toBe(true)
      expect(text).toBe(fromUtf8(fixture(wire, 'text-then-two-calls')))
    })
  })

  describe('buffer everything until a tool call is judged', () => {
    test('lets nothing of the answer out before the first call is found good', async () => {
      const { state } = await run(wire, holdEverything(deniesAll))
      expect(blocksOf(state)).toEqual(['read_file is not allowed here.'])
      expect(state).toMatchObject({ finishReason: 'stop', isStopped: true, error: undefined })
    })

    test('lets out what stood before a denied call that is not the first', async () => {
      const { state, text } = await run(wire, holdEverything(deniesDelete))
      expect(blocksOf(state)).toEqual([TEXT, GOOD])
      expectNothingEvil(text)
    })

    test('does not keep an answer without a call', async () => {
      const { state } = await run(wire, holdEverything(deniesAll), textOnly)
      expect(blocksOf(state)).toEqual(blocksOf(stateOf(wire, fixture(wire, textOnly))))
      expect(state).toMatchObject({ finishReason: 'stop', isStopped: true, error: undefined })
    })
  })

  describe('buffer per tool call while content flows', () => {
    test('puts a text in the place of a denied call, before the calls that are left', async () => {
      const { state, text } = await run(wire, holdEachCall(deniesDelete))
      const blocks = blocksOf(state)
      expect(blocks.at(-1)).toBe(GOOD)
      expect(blocks.slice(0, -1).join('')).toBe(`${TEXT}delete_files is not allowed here.`)
      expect(state).toMatchObject({ finishReason: 'tool-calls', isStopped: true, error: undefined })
      for (const word of ['evil2', 'secret', 'vault']) expect(text).not.toContain(word)
    })

    test('keeps a later call when an earlier one is denied', async () => {
      const { state } = await run(wire, holdEachCall(deniesRead))
      expect(blocksOf(state).at(-1)).toBe(EVIL)
      expect(blocksOf(state).join('')).not.toContain('notes.txt')
    })

    test('ends normally when no call is left', async () => {
      const { state } = await run(wire, holdEachCall(deniesAll))
      expect(state.blocks.some(({ type }) => type === 'tool-call')).toBe(false)
      expect(state).toMatchObject({ finishReason: 'stop', isStopped: true, error: undefined })
    })

    test('passes the bytes as they came when nothing is denied', async () => {
      const { text } = await run(wire, holdEachCall(deniesNone))
      expect(text).toBe(fromUtf8(fixture(wire, 'text-then-two-calls')))
    })

    test('keeps the usage of the upstream', async () => {
      const { state } = await run(wire, holdEachCall(deniesDelete))
      expect(state.usage).toMatchObject(
        stateOf(wire, fixture(wire, 'text-then-two-calls')).usage ?? {},
      )
    })
  })

  describe('forward everything and only watch', () => {
    test('sees every block once, whole, and passes the bytes as they came', async () => {
      for (const name of fixturesOf(wire)) {
        const seen: boolean[] = []
        let ends = 0
        const bytes = fixture(wire, name)
        const processor = watch({
          onBlock: (block) => seen.push(block.isComplete),
          onEnd: () => ends++,
        })
        const { body } = await processBody(wire, bytes, processor)
        expect([name, fromUtf8(body)]).toEqual([name, fromUtf8(bytes)])
        expect(seen).toEqual(
          stateOf(wire, bytes).blocks.flatMap(({ isComplete }) => (isComplete ? [true] : [])),
        )
        expect(ends).toBe(1)
      }
    })
  })

  describe('block-level callbacks for any block type', () => {
    test('calls the callback of each type with the whole block', async () => {
      const seen: string[] = []
      const processor = onBlock({
        text: (block) => void seen.push(block.text),
        'tool-call': (block) => void seen.push(`${block.name} ${JSON.stringify(block.args())}`),
      })
      const { isVerbatim } = await run(wire, processor)
      expect(seen).toEqual([
        TEXT,
        'read_file {"path":"notes.txt"}',
        'delete_files {"path":"/secret-vault"}',
      ])
      expect(isVerbatim).toBe(true)
    })

    test('passes over types that nobody asked for', async () => {
      const seen: string[] = []
      await run(wire, onBlock({ refusal: (block) => void seen.push(block.text) }))
      await run(wire, onBlock({ refusal: (block) => void seen.push(block.text) }), 'refusal')
      expect(seen).toEqual(wire === 'anthropic-messages' ? [] : ['I will not.'])
    })
  })

  describe.each([
    ['react to a completed tool call and stop', stopAtCall],
    ['buffer everything until a tool call is judged', holdEverything],
    ['buffer per tool call while content flows', holdEachCall],
  ])('%s', (_pattern, create) => {
    test.each(fixturesOf(wire))('lets nothing of a denied call out of %s', async (name) => {
      const calls = stateOf(wire, fixture(wire, name)).blocks.filter(
        (block) => block.type === 'tool-call',
      )
      const body = await bodyAfter(name, deniesAll)
      const after = decodeAll(wire, [toUtf8(body)])
      expect(
        after.some((event) => event.type === 'block-start' && event.block.type === 'tool-call'),
      ).toBe(false)
      for (const call of calls) for (const word of wordsOf(call)) expect(body).not.toContain(word)
    })

    test.each(fixturesOf(wire))('lets nothing of one denied call out of %s', async (name) => {
      const calls = stateOf(wire, fixture(wire, name)).blocks.filter(
        (block) => block.type === 'tool-call',
      )
      for (const call of calls) {
        const body = await bodyAfter(name, ({ id }) => id === call.id)
        for (const word of wordsOf(call)) expect(body).not.toContain(word)
      }
    })

    const bodyAfter = async (name: string, judge: Judge): Promise<string> =>
      fromUtf8((await processBody(wire, fixture(wire, name), create(judge))).body)
  })
})

/** What gives a call away: its id, and its arguments as they stand in JSON, if they say something. */
const wordsOf = ({ id, arguments: text }: BlockOf<'tool-call'>): string[] => [
  `"${id}"`,
  ...(text.length > 2 ? [JSON.stringify(text).slice(1, -1)] : []),
]

function fixturesOf(wire: WireName): string[] {
  const files = readdirSync(new URL(`fixtures/${wire}/`, import.meta.url))
  return files.filter((file) => file.endsWith('.sse')).map((file) => file.slice(0, -'.sse'.length))
}
