/**
 * A thousand streams at once through the real command, and then the sudden end of each of the three that
 * take part. The provider and the clients are in this process, the gateway is one of its own.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { endOf, start } from '../support/command.ts'
import { ask, PATHS } from '../support/gateway.ts'
import { fetchRaw } from '../support/raw-client.ts'

const STREAMS = 1000
const PACE_MS = 200
const FRAMES = 15
/** So many are enough to see a sudden end. */
const SOME = 400
const MB = 1024 * 1024

/** One frame of an answer that no other stream has. */
const frame = (stream: number, index: number): string => {
  const content = `${stream}.${index} ${'words '.repeat(8)}`
  const choices = [
    { index: 0, delta: { content }, finish_reason: index === FRAMES ? 'stop' : null },
  ]
  return `data: ${JSON.stringify({ id: `c${stream}`, object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`
}
const DONE = 'data: [DONE]\n\n'
const sha = (text: string): string => createHash('sha256').update(text).digest('hex')
const wholeOf = (stream: number): string =>
  Array.from({ length: FRAMES + 1 }, (_, index) => frame(stream, index)).join('') + DONE

/** A provider with one clock for all its answers. */
const open = new Map<ServerResponse, { readonly stream: number; index: number }>()
const sockets = new Set<Socket>()
const provider = createServer((incoming, response) => {
  const pieces: Buffer[] = []
  incoming.on('data', (piece: Buffer) => pieces.push(piece))
  incoming.on('end', () => {
    const { user } = JSON.parse(Buffer.concat(pieces).toString()) as { user: string }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(frame(Number(user), 0))
    open.set(response, { stream: Number(user), index: 0 })
    response.on('close', () => open.delete(response))
  })
})
provider.on('connection', (socket) => {
  sockets.add(socket)
  socket.on('error', () => {})
  socket.on('close', () => sockets.delete(socket))
})
/** It goes on with its answers only once a test says so: to begin a thousand takes a while. */
let isGoing = false
const clock = setInterval(() => {
  if (!isGoing) return
  for (const [response, answer] of open) {
    answer.index += 1
    const text = frame(answer.stream, answer.index)
    if (answer.index < FRAMES) response.write(text)
    else response.end(text + DONE)
    if (answer.index >= FRAMES) open.delete(response)
  }
}, PACE_MS)

const folder = mkdtempSync(join(tmpdir(), 'sluice-endurance-'))
let providerUrl = ''
beforeAll(async () => {
  provider.listen(0, '127.0.0.1', 2048)
  await once(provider, 'listening')
  providerUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
})
afterAll(() => {
  clearInterval(clock)
  for (const socket of sockets) socket.destroy()
  provider.close()
  rmSync(folder, { recursive: true })
})

let child: ChildProcessWithoutNullStreams
let url = ''
let said = ''
beforeEach(async () => {
  isGoing = false
  const file = join(folder, 'sluice.yaml')
  writeFileSync(
    file,
    `upstreams:\n  up: { wire: openai-chat, baseUrl: "${providerUrl}" }\nlog: { level: warn, format: json }\n`,
  )
  child = start('serve', '--port', '0', '--config', file)
  said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  url = await new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]
      if (found !== undefined) resolve(found)
    })
  })
})
afterEach(() => {
  child.kill('SIGKILL')
})

interface Got {
  readonly end: 'whole' | 'cut' | 'failed'
  readonly text: string
}

interface Client {
  readonly got: Promise<Got>
  readonly begun: Promise<void>
  leave(): void
}

/** As light as a client can be: a thousand of them share this process. */
function startClient(stream: number): Client {
  let text = ''
  let begin: () => void = () => {}
  const begun = new Promise<void>((resolve) => (begin = resolve))
  const outgoing = request(url + PATHS['openai-chat'], { method: 'POST', agent: false })
  const got = new Promise<Got>((resolve) => {
    const finish = (end: Got['end']): void => {
      begin()
      resolve({ end, text })
    }
    outgoing.on('error', () => finish('failed'))
    outgoing.on('response', (incoming) => {
      incoming.setEncoding('utf8')
      incoming.on('data', (piece: string) => {
        text += piece
        begin()
      })
      incoming.on('end', () => finish(incoming.complete ? 'whole' : 'cut'))
      incoming.on('error', () => finish('cut'))
    })
  })
  outgoing.end(ask('openai-chat', { stream: true, user: String(stream) }))
  return { got, begun, leave: () => outgoing.destroy() }
}

async function startClients(count: number): Promise<readonly Client[]> {
  const clients: Client[] = []
  for (let i = 0; i < count; i++) {
    clients.push(startClient(i))
    // In groups: the system refuses more at once than fit into its queue.
    if (i % 100 === 99) await sleep(20)
  }
  await Promise.all(clients.map(({ begun }) => begun))
  return clients
}

/** The memory of the gateway, in bytes, where the system tells. */
function memory(): number {
  if (process.platform !== 'linux') return 0
  const pages = readFileSync(`/proc/${child.pid}/statm`, 'utf8').split(' ')[1]
  return Number(pages) * 4096
}

/** How many connections the gateway has open, where the system tells. */
async function streamsOpen(): Promise<number> {
  const { body } = await fetchRaw(`${url}/health`, { method: 'GET' })
  return (JSON.parse(body.toString()) as { open: number }).open
}

async function until(look: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let i = 0; i < 60; i++) {
    if (await look()) return
    await sleep(50)
  }
  throw new Error(`Waited in vain for ${what}: ${said}`)
}

test('a thousand streams arrive whole, and the memory stays bounded', async () => {
  const before = memory()
  const clients = await startClients(STREAMS)
  expect(await streamsOpen()).toBe(STREAMS)
  isGoing = true
  let most = memory()
  const look = setInterval(() => (most = Math.max(most, memory())), 200)
  const got = await Promise.all(clients.map((client) => client.got))
  clearInterval(look)
  for (const [stream, { end, text }] of got.entries()) {
    expect(end).toBe('whole')
    expect(sha(text)).toBe(sha(wholeOf(stream)))
  }
  expect(most - before).toBeLessThan(200 * MB)
  process.stdout.write(
    `${STREAMS} streams: memory ${Math.round(before / MB)} MB idle, ${Math.round(most / MB)} MB at most\n`,
  )

  // More of them need no more: nothing was kept.
  await Promise.all((await startClients(SOME)).map((client) => client.got))
  expect(memory() - most).toBeLessThan(60 * MB)
  expect(await streamsOpen()).toBe(0)
})

test('when the provider dies, all clients are told, and the gateway goes on', async () => {
  const clients = await startClients(SOME)
  for (const socket of sockets) socket.destroy()
  const got = await Promise.all(clients.map((client) => client.got))
  for (const { end, text } of got) {
    expect(end).toBe('whole')
    expect(text).toMatch(/"error":\{[^\n]*closed the connection[^\n]*\n\n$/)
  }
  expect(await streamsOpen()).toBe(0)
  isGoing = true
  const again = await startClient(7).got
  expect(again).toEqual({ end: 'whole', text: wholeOf(7) })
  expect(child.exitCode).toBe(null)
})

test('when all clients leave, the provider is left too, and the gateway goes on', async () => {
  const clients = await startClients(SOME)
  for (const client of clients) client.leave()
  await until(() => open.size === 0, 'the provider to be left')
  await until(async () => (await streamsOpen()) === 0, 'the gateway to notice')
  isGoing = true
  const again = await startClient(7).got
  expect(again).toEqual({ end: 'whole', text: wholeOf(7) })
  child.kill('SIGTERM')
  expect(await endOf(child, 3000)).toBe(0)
})

test('when the gateway is killed, both sides hear of it at once', async () => {
  const clients = await startClients(SOME)
  child.kill('SIGKILL')
  const got = await Promise.all(clients.map((client) => client.got))
  expect(new Set(got.map(({ end }) => end))).toEqual(new Set(['cut']))
  await until(() => open.size === 0 && sockets.size === 0, 'the provider to be left')
})
