/**
 * Real provider streams through the whole core, judged by the official SDKs. Skipped, and said so,
 * where the recordings are absent.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { textBlock } from '../../src/event/make.ts'
import type { BlockInfo } from '../../src/event/block.ts'
import type { StreamEvent, WireName } from '../../src/event/event.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { openCourt, type Court } from '../support/judges.ts'
import {
  assemble,
  canonical,
  cut,
  encode,
  essence,
  lint,
  readEvents,
  squeeze,
} from '../support/pipeline.ts'
import { absent, hasRecordings, readRecordings } from '../support/recordings.ts'
import type { Judgement } from '../support/judge.ts'

const recordings = readRecordings()

describe.skipIf(!hasRecordings)(hasRecordings ? 'recordings' : `recordings: ${absent}`, () => {
  let court: Court
  beforeAll(async () => {
    court = await openCourt()
  })
  afterAll(async () => await court.close())

  test('leave byte for byte as they came, however they are cut', () => {
    for (const { wire, name, bytes, isLines } of recordings) {
      for (const stride of [1, 3, 7, 61, 1400, bytes.length]) {
        const places = Array.from(
          { length: Math.floor(bytes.length / stride) },
          (_, i) => (i + 1) * stride,
        )
        const pieces = stride === 1 && bytes.length > 60_000 ? [bytes] : cut(bytes, places)
        const { bytes: back, isVerbatim } = encode(wire, readEvents(wire, pieces, isLines))
        expect({
          name,
          stride,
          isSame: Buffer.from(back).equals(Buffer.from(bytes)),
          isVerbatim,
        }).toEqual({
          name,
          stride,
          isSame: true,
          isVerbatim: true,
        })
      }
    }
  })

  test.each(WIRE_NAMES)('become legal streams of %s that its SDKs read right', async (to) => {
    for (const { wire, name, bytes, isLines } of recordings) {
      if (wire === to) continue
      const events = readEvents(wire, [bytes], isLines)
      const state = assemble(events)
      const encoded = encode(to, events)
      expect({ name, findings: lint(to, encoded.bytes) }).toEqual({ name, findings: [] })
      for (const [sdk, judgement] of Object.entries(
        await court.hear(to, encoded.bytes, [100, 1000, 5000]),
      )) {
        expect({ name, sdk, ...verdict(judgement, to) }).toEqual({
          name,
          sdk,
          ...expected(state, to),
        })
      }
    }
  })

  test('have lint errors just where an official client breaks on them or misreads them', async () => {
    for (const { wire, name, bytes, sse, isLines } of recordings) {
      const state = assemble(readEvents(wire, [bytes], isLines))
      const errors = lint(wire, bytes, isLines).filter(({ severity }) => severity === 'error')
      const judgements = Object.values(await court.hear(wire, sse))
      const isBroken = judgements.some(
        (judgement) => judgement.error !== undefined || misreads(judgement, state),
      )
      // An upstream that says its error in the wire's own form is right, and the client is right to throw.
      const saysError =
        state.error !== undefined && state.error.vendor !== undefined && errors.length === 0
      expect({ name, isBroken: isBroken && !saysError }).toEqual({
        name,
        isBroken: errors.length > 0,
      })
    }
  })

  test('end as an error wherever they are cut', () => {
    for (const { wire, name, bytes, isLines } of recordings) {
      const events = readEvents(wire, [bytes], isLines)
      const finish = events.find(
        (event) => event.type === (wire === 'openai-chat' ? 'finish' : 'message-stop'),
      )
      if (finish?.step === undefined) continue
      // Up to the frame that says the end: behind it a Chat stream without [DONE] is whole.
      const end = frameStart(events, finish)
      for (let place = 1; place < end; place += Math.max(1, Math.floor(end / 50))) {
        const state = assemble(readEvents(wire, [bytes.subarray(0, place)], isLines))
        expect({ name, place, isError: state.error !== undefined }).toEqual({
          name,
          place,
          isError: true,
        })
      }
    }
  })

  test.each(WIRE_NAMES)(
    'lose every tool call without a trace when all are denied, on %s',
    async (to) => {
      for (const { wire, name, sse } of recordings) {
        const events = readEvents(wire, [sse])
        const state = assemble(events)
        const calls = state.blocks.filter((block) => block.type === 'tool-call')
        if (calls.length === 0) continue
        const { bytes: out, text } = encode(to, denyCalls(events))
        // What left as it came before the first denial keeps the faults of its upstream.
        const before = new Set(wire === to ? lint(wire, sse).map(({ rule }) => rule) : [])
        expect({ name, findings: lint(to, out).filter(({ rule }) => !before.has(rule)) }).toEqual({
          name,
          findings: [],
        })
        for (const call of calls)
          if (call.arguments.length > 12)
            expect({ name, leaks: text.includes(call.arguments) }).toEqual({ name, leaks: false })
        if (state.error !== undefined || before.size > 0) continue
        for (const [sdk, judgement] of Object.entries(await court.hear(to, out))) {
          expect({ name, sdk, error: judgement.error, calls: judgement.calls }).toEqual({
            name,
            sdk,
            error: undefined,
            calls: [],
          })
          expect({ name, finish: judgement.finish }).not.toEqual({
            name,
            finish: to === 'openai-chat' ? 'tool_calls' : 'tool_use',
          })
        }
      }
    },
  )
})

function* denyCalls(events: readonly StreamEvent[]): Generator<StreamEvent> {
  const denied = new Set<BlockInfo>()
  for (const event of events) {
    const block = 'block' in event ? event.block : undefined
    if (block?.type !== 'tool-call') {
      yield event
      continue
    }
    if (event.type === 'block-stop' && !denied.has(block)) {
      denied.add(block)
      yield* textBlock(`The call to ${block.name} is not allowed.`, block.choice)
    }
  }
}

/** Where the frame of that event begins. */
function frameStart(events: readonly StreamEvent[], event: StreamEvent): number {
  const steps = new Map(
    events.flatMap(({ step }) => (step === undefined ? [] : [[step.number, step]])),
  )
  let start = 0
  for (const [number, step] of steps)
    if (number < (event.step?.number ?? 0)) start += step.frame.raw.length
  return start
}

interface Verdict {
  isError: boolean
  text?: string
  thinking?: string
  calls?: readonly { name: string; arguments: string }[]
}

function verdict(judgement: Judgement, wire: WireName): Verdict {
  if (judgement.error !== undefined) return { isError: true }
  return {
    isError: false,
    text: squeeze(judgement.text),
    thinking: squeeze(judgement.thinking),
    calls: judgement.calls.map((call) => ({
      name: call.name,
      arguments: wholeArguments(call.arguments, wire),
    })),
  }
}

function expected(state: ReturnType<typeof assemble>, to: WireName): Verdict {
  if (state.error !== undefined) return { isError: true }
  const { text, thinking, calls } = essence(state)
  const refusals = state.blocks
    .map((block) => (block.type === 'refusal' && (block.choice ?? 0) === 0 ? block.text : ''))
    .join('')
  const isCustomNative = to === 'openai-responses'
  return {
    isError: false,
    text: to === 'anthropic-messages' ? text + squeeze(refusals) : text,
    thinking,
    calls: calls.map(({ name, arguments: value }) => ({
      name,
      arguments: wholeArguments(isCustomNative ? unwrap(value) : value, to),
    })),
  }
}

/** Free text stays free text where the wire has tools for it. */
const unwrap = (value: string): string => value

/** Arguments that the limit cut off: Anthropic's SDK makes up an end, so only their being cut counts. */
function wholeArguments(value: string, wire: WireName): string {
  if (value.startsWith('cut ')) return wire === 'anthropic-messages' ? '{}' : value
  const whole = canonical(value)
  return wire === 'anthropic-messages' && whole.startsWith('cut ') ? '{}' : whole
}

function misreads(judgement: Judgement, state: ReturnType<typeof assemble>): boolean {
  const { text, calls } = essence(state)
  const names = calls.map(({ name }) => name).join()
  const isShort =
    judgement.calls.length <
    state.blocks.filter(
      (block) =>
        block.type === 'tool-call' && block.dialect === 'function' && (block.choice ?? 0) === 0,
    ).length
  return (
    isShort ||
    (judgement.calls.length > 0 && !names.includes(judgement.calls[0]?.name ?? '')) ||
    (squeeze(judgement.text).includes('[objectObject]') && !text.includes('[objectObject]'))
  )
}
