/** Clients that read slowly, or not at all: the upstream waits with them, and nothing piles up here. */
import { gzipSync } from 'node:zlib'
import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { install } from '../../src/policy/installed.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { ask, PATHS } from '../support/gateway.ts'
import { heldBytes } from '../support/heap.ts'
import { framesOf, LIMITS, withPair, type Pair } from '../support/connections.ts'

const MB = 1024 * 1024
/** What may lie between two sockets: the system's own buffers on loopback take up to 6 MB on each side. */
const BOUND = 32 * MB

const deltaOf = (wire: WireName, text: string): string =>
  (framesOf(wire).find((frame) => frame.includes('It rains.')) ?? '').replace('It rains.', text)

const beginOf = (wire: WireName): string => {
  const frames = framesOf(wire)
  return frames
    .slice(
      0,
      frames.findIndex((frame) => frame.includes('It rains.')),
    )
    .join('')
}
const endOf = (wire: WireName): string => {
  const frames = framesOf(wire)
  return frames.slice(frames.findIndex((frame) => frame.includes('It rains.'))).join('')
}

/** A client that sends its request and then never reads. */
async function neverReads(pair: Pair, wire: WireName, more: object): Promise<Socket> {
  const socket = connect(pair.gateway.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  const body = ask(wire, more)
  socket.write(
    `POST ${PATHS[wire]} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  return socket
}

/** Once it has stopped growing. */
async function sentAtLast(pair: Pair): Promise<number> {
  const request = await pair.upstream.request(0)
  for (let before = -1; before !== request.sent || before === 0; await sleep(250))
    before = request.sent
  return request.sent
}

const policies = [install({ name: 'test', onChunk: (chunk, _, ctx) => ctx.send(chunk) })]

describe.each(WIRE_NAMES)('a client of %s that does not read', (wire) => {
  test.each([
    ['that nobody acts on', {}],
    ['that somebody acts on', { policies }],
  ])('stops the flood of a stream %s, and is dropped in the end', async (_, options) => {
    const limits = { ...LIMITS, idle: 1500 }
    await withPair({ options, up: { limits } }, async (pair) => {
      const held = heldBytes()
      const flood = deltaOf(wire, 'x'.repeat(16 * 1024)).repeat(4)
      pair.upstream.next({ body: beginOf(wire), flood })
      const socket = await neverReads(pair, wire, { stream: true })
      expect(await sentAtLast(pair)).toBeLessThan(BOUND)
      expect(heldBytes() - held).toBeLessThan(BOUND)
      const report = await pair.gateway.report(0)
      expect(report.outcome).toBe('client-left')
      expect(report.durationMs).toBeGreaterThan(1400)
      expect(report.durationMs).toBeLessThan(6000)
      await (
        await pair.upstream.request(0)
      ).over
      expect(pair.upstream.requests[0]?.aborted).toBe(true)
      socket.destroy()
    })
  })
})

test('a packed stream for a client that does not read is not unpacked ahead of it', async () => {
  const wire = 'openai-chat'
  await withPair({}, async (pair) => {
    const body = gzipSync(beginOf(wire) + deltaOf(wire, 'x'.repeat(1000)).repeat(150_000))
    pair.upstream.next({ body, headers: { 'content-encoding': 'gzip' } })
    const held = heldBytes()
    const socket = await neverReads(pair, wire, { stream: true })
    await pair.upstream.request(0)
    await sleep(1500)
    expect(heldBytes() - held).toBeLessThan(BOUND)
    socket.destroy()
    expect((await pair.gateway.report(0)).outcome).toBe('client-left')
  })
})

test.each(WIRE_NAMES)(
  'a client of %s that reads slowly gets everything in the end',
  async (wire) => {
    await withPair({ up: { limits: { ...LIMITS, idle: 5000 } } }, async (pair) => {
      const piece = deltaOf(wire, 'slowly '.repeat(2000))
      const body = beginOf(wire) + piece.repeat(1500) + endOf(wire)
      pair.upstream.next({ body, cuts: Array.from({ length: 200 }, (_, i) => i * 100_000) })
      // Kept alive: a connection that is closed is over, read or not.
      const agent = new Agent({ keepAlive: true })
      const answer = await pair.post(wire, { stream: true }, { readPause: 4, agent }).answer
      agent.destroy()
      expect(answer.end).toBe('whole')
      expect(answer.body.equals(Buffer.from(body))).toBe(true)
      expect((await pair.gateway.report(0)).outcome).toBe('done')
    })
  },
)

test.each([
  ['as JSON', false],
  ['as a stream that was made from JSON', true],
])('a large answer that nobody fetches does not keep its connection: %s', async (_, stream) => {
  const limits = { ...LIMITS, idle: 500 }
  await withPair({ up: { limits } }, async (pair) => {
    const content = 'x'.repeat(20 * MB)
    const message = { role: 'assistant', content }
    pair.upstream.next({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
      }),
    })
    const socket = await neverReads(pair, 'openai-chat', { stream })
    const report = await pair.gateway.report(0)
    expect(report.outcome).toBe(stream ? 'client-left' : 'done')
    // The rest of it lies here until somebody gives up.
    let closed = false
    socket.on('close', () => (closed = true))
    for (let i = 0; i < 40 && !closed; i++) {
      await sleep(100)
      // Reading nothing, it can only learn of the close when it looks.
      if (i === 20) socket.resume()
    }
    expect(closed).toBe(true)
    expect(socket.bytesRead).toBeLessThan(content.length)
  })
})
