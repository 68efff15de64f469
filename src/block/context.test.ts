import { describe, expect, test } from 'vitest'
import type { BlockInfo } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'
import { textBlock } from '../event/make.ts'
import { createStreamContext, type StreamContext } from './context.ts'

const START: StreamEvent = { type: 'message-start', id: 'm1', model: 'owl-1' }
const text: BlockInfo = { type: 'text', id: 'block_0', index: 0 }

function createOut(): { context: StreamContext; types: () => string[]; sent: StreamEvent[] } {
  const sent: StreamEvent[] = []
  const context = createStreamContext({ send: (event) => void sent.push(event) })
  return { context, sent, types: () => sent.map(({ type }) => type) }
}

describe('sending', () => {
  test('sends events in the order in which they are named, one after another', async () => {
    const order: string[] = []
    const context = createStreamContext({
      async send(event) {
        order.push(`${event.type} begins`)
        await Promise.resolve()
        order.push(`${event.type} ends`)
      },
    })
    await context.send(START, { type: 'ping' })
    expect(order).toEqual([
      'message-start begins',
      'message-start ends',
      'ping begins',
      'ping ends',
    ])
  })

  test('does not send the same event twice, but an equal one', async () => {
    const { context, types } = createOut()
    await context.send(START, START)
    await context.send(START)
    await context.send({ ...START })
    expect(types()).toEqual(['message-start', 'message-start'])
  })

  test('hands on what the way out throws', async () => {
    const context = createStreamContext({ send: () => Promise.reject(new Error('gone')) })
    await expect(context.send(START)).rejects.toThrow('gone')
  })
})

describe('ending an answer early', () => {
  test('says a well-formed end once, with the reason that was given first', async () => {
    const { context, sent, types } = createOut()
    await context.send(START, { type: 'block-start', block: text })
    expect(context.isTerminated).toBe(false)
    context.terminate('content-filter')
    context.terminate('stop')
    expect(context.isTerminated).toBe(true)
    await context.close()
    await context.close()
    expect(types()).toEqual([
      'message-start',
      'block-start',
      'block-stop',
      'finish',
      'message-stop',
    ])
    expect(sent[3]).toMatchObject({ reason: 'content-filter' })
  })

  test('stops a block of another choice in that choice', async () => {
    const { context, sent } = createOut()
    await context.send(START, { type: 'block-start', block: { ...text, choice: 1 }, choice: 1 })
    context.terminate()
    await context.close()
    expect(sent[2]).toMatchObject({ type: 'block-stop', choice: 1 })
    expect(sent[3]).toMatchObject({ type: 'finish', reason: 'stop' })
  })

  test('says nothing by itself when nobody terminated it', async () => {
    const { context, types } = createOut()
    await context.send(START)
    await context.close()
    expect(types()).toEqual(['message-start'])
  })

  test('says nothing more after the stop or an error', async () => {
    for (const last of [
      { type: 'message-stop' },
      { type: 'error', error: { kind: 'cut', message: 'Gone' } },
    ] as const) {
      const { context, types } = createOut()
      await context.send(START, last)
      context.terminate()
      await context.close()
      expect(types()).toEqual(['message-start', last.type])
    }
  })

  test('does not say another finish when one has been sent', async () => {
    const { context, types } = createOut()
    await context.send(START, { type: 'finish', reason: 'refusal' })
    context.terminate()
    await context.close()
    expect(types()).toEqual(['message-start', 'finish', 'message-stop'])
  })

  test('ends a free text as one that was cut', async () => {
    const sent: StreamEvent[] = []
    const context = createStreamContext({ send: (event) => void sent.push(event) })
    const block = {
      type: 'tool-call',
      id: 'c',
      index: 0,
      name: 'patch',
      dialect: 'custom',
    } as const
    await context.send(START, { type: 'block-start', block })
    context.terminate()
    await context.close()
    expect(sent[2]).toEqual({ type: 'block-stop', block, isCut: true })
  })

  test('says an end also when nothing had been sent before', async () => {
    const { context, types } = createOut()
    context.terminate()
    await context.close()
    expect(types()).toEqual(['finish', 'message-stop'])
  })
})

describe('what belongs to an exchange', () => {
  test('makes one value per key, on first use', () => {
    const { context } = createOut()
    const first = context.state('seen', () => [1])
    expect(context.state('seen', () => [2])).toBe(first)
    expect(context.state(Symbol('seen'), () => [3])).toEqual([3])
  })

  test('keeps a value that is undefined', () => {
    const { context } = createOut()
    let made = 0
    const make = (): undefined => void made++
    context.state('nothing', make)
    context.state('nothing', make)
    expect(made).toBe(1)
  })

  test('shares nothing with another exchange', () => {
    expect(createOut().context.state('seen', () => 1)).toBe(1)
    expect(createOut().context.state('seen', () => 2)).toBe(2)
  })

  test('has a signal, its own or the one that it was given', () => {
    const controller = new AbortController()
    expect(createStreamContext({ send() {}, signal: controller.signal }).signal).toBe(
      controller.signal,
    )
    expect(createOut().context.signal.aborted).toBe(false)
  })

  test('gives a sign of life where there is a way to, and is silent where not', async () => {
    let signs = 0
    await createStreamContext({ send() {}, keepalive: () => void signs++ }).keepalive()
    await createOut().context.keepalive()
    expect(signs).toBe(1)
  })

  test('sends made blocks like any other', async () => {
    const { context, types } = createOut()
    await context.send(...textBlock('No.'))
    context.terminate()
    await context.close()
    expect(types()).toEqual(['block-start', 'block-delta', 'block-stop', 'finish', 'message-stop'])
  })
})
