/**
 * `redact` between real bodies and streams of all wires: nothing of a secret reaches the other side, whatever a wire
 * repeats, and what comes out is legal there.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  textBlock,
  toolCallBlock,
  WIRE_NAMES,
  type StreamEvent,
  type WireName,
} from '../../src/index.ts'
import type { Policy } from '../../src/policy/policy.ts'
import type { ModelRequest } from '../../src/request/request.ts'
import { redact } from '../../src/stock/redact/redact.ts'
import { toUtf8 } from '../support/bytes.ts'
import { assemble, encode, lint, readEvents } from '../support/pipeline.ts'
import { fixtureBodies } from '../support/redact-bodies.ts'
import { read, TARGETS, write } from '../support/requests.ts'
import { cuts, saltedText } from '../support/secrets.ts'
import { filterEvents, runPolicy } from '../support/stock-policy.ts'

const TOKEN = `ghp_${'aB3'.repeat(12)}`
const MARK = '[redacted:github-token]'
const mark = (kind: string): string => `[redacted:${kind}]`
const POLICY = redact()
const PAIRS = WIRE_NAMES.flatMap((from) => WIRE_NAMES.map((to) => [from, to] as const))

/** An answer of an upstream of that wire: a text and a call, in those pieces. */
function answerOf(wire: WireName, text: readonly string[], args: readonly string[]): Uint8Array {
  const inPieces = (events: readonly StreamEvent[], pieces: readonly string[]): StreamEvent[] =>
    events.flatMap((event) =>
      event.type === 'block-delta' && 'text' in event.delta
        ? pieces.map(
            (piece) => ({ ...event, delta: { ...event.delta, text: piece } }) as StreamEvent,
          )
        : [event],
    )
  return encode(wire, [
    { type: 'message-start', id: 'm_1', model: 'owl' },
    ...inPieces(textBlock('x'), text),
    ...inPieces(toolCallBlock({ id: 'call_1', name: 'run', args: 'x' }), args),
    { type: 'finish', reason: 'tool-calls' },
    { type: 'usage', usage: { inputTokens: 1, outputTokens: 2 } },
    { type: 'message-stop' },
  ]).bytes
}

describe.each(PAIRS)('an answer from %s to %s', (from, to) => {
  test('has nothing left of its secrets, and is legal', async () => {
    const answers = fc.tuple(saltedText(3, mark), saltedText(3, mark), cuts)
    await fc.assert(
      fc.asyncProperty(answers, async ([text, args, cut]) => {
        const json = JSON.stringify({ command: args.text })
        const bytes = answerOf(from, cut(text.text), cut(json))
        const sent = await filterEvents(POLICY, readEvents(from, [bytes]))
        const out = encode(to, sent)
        const said = assemble(readEvents(to, [out.bytes]))
        const [first, second] = said.blocks
        expect(first?.type === 'text' && first.text.trim()).toBe(text.hidden.trim())
        expect(second?.type === 'tool-call' && second.args()).toEqual({ command: args.hidden })
        expect(lint(to, out.bytes).filter(({ severity }) => severity === 'error')).toEqual([])
        for (const { value } of [...text.secrets, ...args.secrets])
          if (value.length > 8) expect(out.text).not.toContain(value)
        if (from === to && text.secrets.length + args.secrets.length === 0)
          expect([out.isVerbatim, Buffer.compare(out.bytes, bytes)]).toEqual([true, 0])
      }),
      { numRuns: 15 },
    )
  })
})

async function changed(policy: Policy, request: ModelRequest): Promise<ModelRequest> {
  const verdict = await policy.onRequest?.(request, runPolicy(policy).ctx)
  return verdict?.type === 'change' ? verdict.request : request
}

describe.each(WIRE_NAMES)('a request of %s', (wire) => {
  const body = fixtureBodies(TOKEN)[wire]

  test('reaches no upstream with a secret in it', async () => {
    const request = await changed(redact({ system: true }), read(wire, body))
    for (const target of TARGETS) {
      const written = JSON.stringify(write(request, target).body)
      expect([target, written.includes(TOKEN)]).toEqual([target, false])
      // What was said, in a list and as it is, the call and its result.
      expect(written.split(MARK).length).toBeGreaterThanOrEqual(5)
    }
  })

  test('keeps everything else, to the letter', async () => {
    const request = await changed(redact({ system: true }), read(wire, body))
    const [own] = TARGETS.filter((target) => target.wire === wire)
    if (own === undefined) throw new Error('No target')
    const before = write(read(wire, fixtureBodies(MARK)[wire]), own).body
    expect(write(request, own).body).toEqual(before)
  })

  test('keeps the secret in its system prompt, unless told otherwise', async () => {
    const { system } = await changed(POLICY, read(wire, body))
    expect(JSON.stringify(system)).toContain(TOKEN)
  })
})

test('bytes that are no stream pass', async () => {
  const events = readEvents('openai-chat', [toUtf8('data: {"x":1}\n\ndata: [DONE]\n\n')])
  expect(await filterEvents(POLICY, events)).toEqual(events)
})
