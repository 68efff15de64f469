/**
 * Stock policies through the engine, on all three wires: what leaves is legal, and nothing leaves that should not.
 */
import { describe, expect, test } from 'vitest'
import { createAssembler } from '../../src/block/assemble.ts'
import type { StreamEvent, WireName } from '../../src/event/event.ts'
import { textBlock, toolCallBlock } from '../../src/event/make.ts'
import { Contexts, createEngine } from '../../src/policy/engine.ts'
import type { PolicyHost } from '../../src/policy/host.ts'
import type { Policy, VerdictRecord } from '../../src/policy/policy.ts'
import { limit } from '../../src/stock/limit.ts'
import { loopBreaker } from '../../src/stock/loop-breaker.ts'
import { observe } from '../../src/stock/observe.ts'
import { replaceText } from '../../src/stock/replace-text.ts'
import { assemble, encode, lint, readEvents } from '../support/pipeline.ts'
import { runPolicy } from '../support/stock-policy.ts'

const WIRES = ['anthropic-messages', 'openai-chat', 'openai-responses'] as const

function hostOf(policy: Policy, records: VerdictRecord[]): PolicyHost {
  const { ctx } = runPolicy(policy)
  return {
    exchangeId: ctx.exchangeId,
    client: ctx.client,
    request: ctx.request,
    now: () => 0,
    tick: () => 0,
    onLeave: () => () => undefined,
    log: () => ctx.log,
    memoryOf: () => ctx.memory,
    callModel: ctx.callModel,
    ask: () => Promise.reject(new Error('Nobody')),
    checkArguments: () => undefined,
    haltedBy: () => undefined,
    onVerdict: (record) => void records.push(record),
  }
}

interface Through {
  readonly text: string
  readonly bytes: Uint8Array
  readonly state: ReturnType<typeof assemble>
  readonly records: readonly VerdictRecord[]
  readonly isVerbatim: boolean
}

/** An answer as bytes of a wire through policies and out again. */
async function through(
  wire: WireName,
  policies: readonly { readonly policy: Policy; readonly isShadow?: boolean }[],
  blocks: readonly StreamEvent[],
): Promise<Through> {
  const isCalling = blocks.some((event) => 'block' in event && event.block?.type === 'tool-call')
  const given = encode(wire, [
    { type: 'message-start', id: 'msg_1', model: 'm' },
    ...blocks,
    { type: 'finish', reason: isCalling ? 'tool-calls' : 'stop' },
    { type: 'message-stop' },
  ]).bytes
  const records: VerdictRecord[] = []
  const sent: StreamEvent[] = []
  const [first] = policies
  if (first === undefined) throw new Error('No policy')
  const host = hostOf(first.policy, records)
  const assembler = createAssembler()
  await new Promise<void>((resolve) => {
    const engine = createEngine(
      {
        installed: policies.map(({ policy, isShadow = false }) => ({
          policy,
          onError: 'deny',
          timeoutMs: 1000,
          isShadow,
        })),
        host,
        contexts: new Contexts(host),
        leavesTogether: wire === 'anthropic-messages',
      },
      {
        state: assembler.state,
        send(event) {
          assembler.apply(event)
          sent.push(event)
        },
        done: resolve,
        halt: () => undefined,
        pause: () => undefined,
        resume: () => undefined,
      },
    )
    for (const event of readEvents(wire, [given])) engine.push(event)
    engine.end()
  })
  const out = encode(wire, sent)
  expect(lint(wire, out.bytes)).toEqual([])
  return {
    text: out.text,
    bytes: out.bytes,
    state: assemble(readEvents(wire, [out.bytes])),
    records,
    isVerbatim: Buffer.from(out.bytes).equals(Buffer.from(given)),
  }
}

const call = (id: string, args: Readonly<Record<string, unknown>>): readonly StreamEvent[] =>
  toolCallBlock({ id, name: 'Bash', args })

const namesOf = ({ state }: Through): readonly string[] =>
  state.blocks.map((block) =>
    block.type === 'tool-call' ? JSON.stringify(block.args()) : block.type,
  )

describe.each(WIRES)('on %s', (wire) => {
  test('replace-text changes what is said and what is called, and nothing of the old leaves', async () => {
    const policy = replaceText({
      replace: [{ words: ['Acme'], with: 'us' }],
      in: ['text', 'arguments'],
    })
    const made = await through(
      wire,
      [{ policy }],
      [...textBlock('Hello Acme, I call.'), ...call('call_1', { command: 'mail Acme' })],
    )
    expect(made.text).not.toContain('Acme')
    expect(made.state.blocks[0]).toMatchObject({ text: 'Hello us, I call.' })
    expect(namesOf(made)).toEqual(['text', '{"command":"mail us"}'])
    expect(made.state.finishReason).toBe('tool-calls')
  })

  test('replace-text leaves an answer without a match as it came', async () => {
    const policy = replaceText({
      replace: [{ words: ['zebra'], with: '' }],
      in: ['text', 'arguments'],
    })
    const made = await through(
      wire,
      [{ policy }],
      [...textBlock('quiz ze'), ...call('call_1', { command: 'ls' })],
    )
    expect(made.isVerbatim).toBe(true)
  })

  test('loop-breaker denies the fourth same call, and the others go on', async () => {
    const made = await through(
      wire,
      [{ policy: loopBreaker() }],
      ['a', 'b', 'c', 'd'].flatMap((id) => call(`call_${id}`, { command: 'ls' })),
    )
    expect(namesOf(made).filter((name) => name !== 'text')).toHaveLength(3)
    expect(made.text).toContain('3 times in a row')
    expect(made.state.finishReason).toBe('tool-calls')
    expect(made.records.filter(({ type }) => type === 'deny')).toHaveLength(1)
  })

  test('limit denies one call too many, and a single one that is denied ends the turn', async () => {
    const policy = limit({ calls: [{ perAnswer: 0 }] })
    const made = await through(wire, [{ policy }], call('call_1', { command: 'ls' }))
    expect(namesOf(made)).toEqual(['text'])
    expect(made.state.finishReason).toBe('stop')
    expect(made.text).toContain('One answer may have 0 calls')
  })

  test('limit ends an answer that is too long, well-formed', async () => {
    const policy = limit({ output: 20 })
    const made = await through(
      wire,
      [{ policy }],
      [...textBlock('short'), ...textBlock('and this is much too long')],
    )
    expect(made.text).not.toContain('much too long')
    expect(made.text).toContain('longer than the 20 characters')
    expect(made.state.isStopped).toBe(true)
  })

  test('observe changes nothing', async () => {
    const made = await through(wire, observe({ except: ['check-arguments'] }), [
      ...textBlock('My key is AKIAIOSFODNN7EXAMPLE'),
      ...call('call_1', { command: 'rm -rf /' }),
    ])
    expect(made.isVerbatim).toBe(true)
  })
})
