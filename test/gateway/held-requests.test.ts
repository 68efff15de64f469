/**
 * What an upstream has got is not held while it answers: an agent sends some hundred kilobytes with every turn, and its
 * answer takes minutes.
 */
import { once } from 'node:events'
import { createServer, request, type ClientRequest, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { framesOf } from '../support/connections.ts'
import { allTo, httpUpstream, PATHS, startTestGateway } from '../support/gateway.ts'
import { heldBytes } from '../support/heap.ts'

const STREAMS = 40
const KB = 1024

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

/** A provider that reads what it is sent, keeps nothing, and begins to answer. */
async function startProvider(wire: WireName): Promise<{ url: string; open: ServerResponse[] }> {
  const frames = framesOf(wire)
  const text = frames.findIndex((frame) => frame.includes('It rains.'))
  const open: ServerResponse[] = []
  const server = createServer((incoming, response) => {
    incoming.resume()
    incoming.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(frames.slice(0, text + 1).join(''))
      open.push(response)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, open }
}

/** One request of that size, up to the first bytes of its answer. */
async function open(port: number, wire: WireName, body: Buffer): Promise<ClientRequest> {
  const asked = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: PATHS[wire],
    headers: { 'content-type': 'application/json' },
    agent: false,
  })
  asked.on('error', () => {})
  asked.end(body)
  const [answer] = await once(asked, 'response')
  await once(answer, 'data')
  return asked
}

function bodyOf(wire: WireName, size: number): Buffer {
  const content = 'words '.repeat(size / 6)
  const said = [{ role: 'user', content }]
  // A Responses answer that is to be stored can be named later, and its request with it.
  const more =
    wire === 'openai-responses' ? { input: said, store: false } : { messages: said, max_tokens: 10 }
  return Buffer.from(JSON.stringify({ model: 'm', stream: true, ...more }))
}

async function heldWith(
  wires: { readonly from: WireName; readonly to: WireName },
  size: number,
): Promise<number> {
  const provider = await startProvider(wires.to)
  const gateway = await startTestGateway({
    ...allTo(httpUpstream(provider.url, { wires: [wires.to] })),
  })
  stops.push(() => gateway.close())
  const body = bodyOf(wires.from, size)
  const asked = [await open(gateway.port, wires.from, body)]
  const before = heldBytes()
  while (asked.length < STREAMS) asked.push(await open(gateway.port, wires.from, body))
  const held = (heldBytes() - before) / (STREAMS - 1)
  for (const one of asked) one.destroy()
  return held
}

const ANTHROPIC = 'anthropic-messages'
const CHAT = 'openai-chat'
const RESPONSES = 'openai-responses'

/** Both ends of an exchange are in this process too, and each keeps the buffer that it read last. */
const BUFFERS = 2 * 64 * KB

describe('an open stream holds nothing of its request', () => {
  test.each([
    ['that came in one piece', { from: ANTHROPIC, to: ANTHROPIC }, 60, 40 * KB],
    ['that came in many', { from: ANTHROPIC, to: ANTHROPIC }, 900, BUFFERS],
    ['that was translated', { from: CHAT, to: ANTHROPIC }, 900, BUFFERS],
    ['of a Responses client', { from: RESPONSES, to: CHAT }, 900, BUFFERS],
  ] as const)('%s', async (_what, wires, size, limit) => {
    // What is compiled and loaded on the way counts with neither.
    await heldWith(wires, KB)
    const small = await heldWith(wires, KB)
    expect((await heldWith(wires, size * KB)) - small).toBeLessThan(limit)
  })
})
