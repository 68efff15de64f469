/**
 * `sluice convert` as a process: every pair of wires, streams and JSON answers, broken sources.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { WIRE_NAMES, WIRES } from '../../src/wire/wires.ts'
import { toUtf8 } from '../support/bytes.ts'
import { sluice, type Ran } from '../support/command.ts'
import { CHAT, MESSAGES, RESPONSES } from '../support/json-answers.ts'
import { assemble, essence, lint, readEvents } from '../support/pipeline.ts'
import { SMALL, toLines } from '../support/small-streams.ts'

const PAIRS = WIRE_NAMES.flatMap((from) => WIRE_NAMES.map((to) => ({ from, to })))
const ACROSS = PAIRS.filter(({ from, to }) => from !== to)
const ANSWERS = {
  'anthropic-messages': MESSAGES,
  'openai-chat': CHAT,
  'openai-responses': RESPONSES,
}

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-convert-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const convert = (
  from: WireName,
  to: WireName,
  input: string,
  ...more: readonly string[]
): Promise<Ran> => sluice(['convert', '--from', from, '--to', to, ...more], input)

const stateOf = (wire: WireName, sse: string): ReturnType<typeof assemble> =>
  assemble(readEvents(wire, [toUtf8(sse)]))

describe('a stream', () => {
  test.each(PAIRS)(
    'from $from becomes one of $to, from a file and from standard input',
    async ({ from, to }) => {
      const file = join(folder, `${from}-${to}.sse`)
      await writeFile(file, SMALL[from])
      const fromFile = await sluice(['convert', '--from', from, '--to', to, file])
      expect({ code: fromFile.code, stderr: fromFile.stderr }).toEqual({ code: 0, stderr: '' })
      const state = stateOf(to, fromFile.stdout)
      expect(lint(to, toUtf8(fromFile.stdout))).toEqual([])
      expect(essence(state)).toEqual({
        text: 'Itrains.',
        thinking: '',
        calls: [{ name: 'weather', arguments: '{"city":"Bern"}' }],
      })
      expect(state).toMatchObject({
        finishReason: 'tool-calls',
        usage: { inputTokens: 12, outputTokens: 34 },
      })
      const fromInput = await convert(from, to, SMALL[from])
      const withoutTimes = ({ stdout }: Ran): string =>
        stdout.replace(/"(?:created|created_at|completed_at)":\d+/g, '')
      expect(withoutTimes(fromInput)).toBe(withoutTimes(fromFile))
      expect((await convert(from, to, SMALL[from], '-')).code).toBe(0)
    },
  )

  test.each(WIRE_NAMES)(
    'of %s leaves as it came on its own wire, whatever its lines look like',
    async (wire) => {
      const sse = SMALL[wire]
      const shapes = {
        crlf: sse.replaceAll('\n', '\r\n'),
        cr: sse.replaceAll('\n', '\r'),
        comments: sse.replaceAll('\n\n', '\n\n: keepalive\n\n'),
        bom: `\uFEFF${sse}`,
        'no last blank line': sse.slice(0, -1),
        'odd spaces': sse.replaceAll('data: ', 'data:'),
        lines: toLines(sse),
        'lines with CRLF': toLines(sse).replaceAll('\n', '\r\n'),
        'lines without a last one': toLines(sse).slice(0, -1),
      }
      for (const [shape, input] of Object.entries(shapes)) {
        const { code, stdout, stderr } = await convert(wire, wire, input)
        expect({ shape, code, stderr, isSame: stdout === input }).toEqual({
          shape,
          code: 0,
          stderr: '',
          isSame: true,
        })
      }
    },
  )

  test.each(ACROSS)('of JSON lines from $from becomes SSE of $to', async ({ from, to }) => {
    const { code, stdout } = await convert(from, to, toLines(SMALL[from]))
    expect(code).toBe(0)
    expect(lint(to, toUtf8(stdout))).toEqual([])
    expect(stateOf(to, stdout).finishReason).toBe('tool-calls')
  })

  test.each(WIRE_NAMES)('of JSON lines of %s becomes SSE with --stream', async (wire) => {
    const { code, stdout } = await convert(wire, wire, toLines(SMALL[wire]), '--stream')
    expect(code).toBe(0)
    expect(lint(wire, toUtf8(stdout))).toEqual([])
    expect(essence(stateOf(wire, stdout)).calls).toHaveLength(1)
  })

  test.each(PAIRS)(
    'from $from becomes one JSON answer of $to with --collect',
    async ({ from, to }) => {
      const { code, stdout } = await convert(from, to, SMALL[from], '--collect')
      expect(code).toBe(0)
      const body = JSON.parse(stdout) as Record<string, unknown>
      expect(WIRES[to].recognise(body)).toBe('answer')
      const state = assemble(WIRES[to].readAnswer(body))
      expect(essence(state).calls).toEqual([{ name: 'weather', arguments: '{"city":"Bern"}' }])
      expect(state).toMatchObject({
        finishReason: 'tool-calls',
        usage: { inputTokens: 12, outputTokens: 34 },
      })
    },
  )
})

describe('losses', () => {
  const rich = JSON.stringify(MESSAGES.rich)

  test('are listed on standard error, one a line, and are no failure', async () => {
    const { code, stderr } = await convert('anthropic-messages', 'openai-chat', rich)
    expect(code).toBe(0)
    expect(stderr.split('\n')).toEqual([
      'loss: dropped server-tool web_search',
      'loss: dropped tool-result web_search',
      'loss: dropped block container_upload',
      '',
    ])
  })

  test('are a failure with --strict, and the answer is written all the same', async () => {
    const strict = await convert('anthropic-messages', 'openai-chat', rich, '--strict')
    expect(strict.code).toBe(1)
    expect(JSON.parse(strict.stdout)).toMatchObject({ object: 'chat.completion' })
    const lossless = await convert(
      'anthropic-messages',
      'openai-chat',
      SMALL['anthropic-messages'],
      '--strict',
    )
    expect(lossless).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('a JSON answer', () => {
  test.each(ACROSS)(
    'from $from becomes a JSON answer of $to, or a stream with --stream',
    async ({ from, to }) => {
      const input = JSON.stringify(ANSWERS[from].plain, null, 2)
      const whole = await convert(from, to, input)
      expect(whole).toMatchObject({ code: 0, stderr: '' })
      expect(whole.stdout).toMatch(/^\{.*\}\n$/)
      expect(
        essence(assemble(WIRES[to].readAnswer(JSON.parse(whole.stdout) as Record<string, unknown>)))
          .text,
      ).toBe('Hello.')
      const stream = await convert(from, to, input, '--stream')
      expect(stream.code).toBe(0)
      expect(lint(to, toUtf8(stream.stdout))).toEqual([])
      expect(essence(stateOf(to, stream.stdout)).text).toBe('Hello.')
    },
  )

  test.each(WIRE_NAMES)('of %s leaves byte for byte on its own wire', async (wire) => {
    for (const input of [
      JSON.stringify(ANSWERS[wire].rich, null, 2),
      `\n ${JSON.stringify(ANSWERS[wire].plain)}\n`,
    ]) {
      expect(await convert(wire, wire, input)).toEqual({ code: 0, stdout: input, stderr: '' })
      expect(await convert(wire, wire, input, '--collect')).toEqual({
        code: 0,
        stdout: input,
        stderr: '',
      })
    }
  })

  test('whose arguments are no JSON object becomes an error where no client could read it', async () => {
    const { code, stdout, stderr } = await convert(
      'openai-chat',
      'anthropic-messages',
      JSON.stringify(CHAT.broken),
    )
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ type: 'error' })
    expect(stderr).toMatch(/broken: .*The arguments of the call "weather"/)
  })
})
