import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { makeCertificate } from '../../test/support/certificate.ts'
import { httpUpstream } from '../../test/support/gateway.ts'
import { startUpstream, type TestUpstream } from '../../test/support/upstream.ts'
import { afterRead, createConnector } from './direct-reads.ts'
import { createHttpUpstream } from './http.ts'
import type { Upstream, UpstreamCall } from './upstream.ts'

const REQUEST = {
  method: 'GET',
  wire: 'openai-chat',
  path: '/x',
  query: '',
  headers: {},
  body: undefined,
} as const

/** What came, as it came, and how it ended. */
interface Answer {
  readonly chunks: Buffer[]
  readonly call: UpstreamCall
  readonly over: Promise<string>
}

function ask(upstream: Upstream, onData: (answer: Answer) => void = () => {}): Answer {
  let end = (_how: string): void => {}
  const over = new Promise<string>((resolve) => (end = resolve))
  const chunks: Buffer[] = []
  const call = upstream.send(REQUEST, {
    onHead() {},
    onData(chunk) {
      chunks.push(chunk)
      onData(answer)
    },
    onEnd: () => end('end'),
    onError: ({ kind }) => end(kind),
  })
  const answer = { chunks, call, over }
  return answer
}

/** Bytes in which every place looks different. */
const noise = (size: number, seed: number): Buffer => {
  const bytes = Buffer.alloc(size)
  for (let at = 0, state = seed + 1; at < size; at++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    bytes[at] = state >>> 16
  }
  return bytes
}

const certificate = makeCertificate()

describe.each([
  { how: 'plain', tls: undefined },
  { how: 'with TLS', tls: certificate },
])('a connection, $how', ({ tls }) => {
  let server: TestUpstream
  let upstream: Upstream
  beforeAll(async () => {
    server = await startUpstream(tls === undefined ? {} : { tls })
    upstream = createHttpUpstream(httpUpstream(server.url, { ca: tls?.cert }), { env: {} })
  })
  afterAll(async () => {
    await upstream.close()
    await server.close()
  })

  test('brings all bytes in order, however often it is paused, and several do not mix', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 300_000 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 7 }),
      async (sizes, every) => {
        const bodies = sizes.map(noise)
        for (const [at, body] of bodies.entries())
          server.next({ body, framing: at % 2 === 0 ? 'chunked' : 'content-length' })
        let seen = 0
        const answers: Answer[] = []
        for (let at = 0; at < bodies.length; at++) {
          const before = server.requests.length
          const answer = ask(upstream, ({ call }) => {
            if (seen++ % every !== 0) return
            call.pause()
            setImmediate(() => call.resume())
          })
          answers.push(answer)
          await vi.waitFor(() => expect(server.requests.length).toBe(before + 1))
        }
        expect(await Promise.all(answers.map(({ over }) => over))).toEqual(sizes.map(() => 'end'))
        for (const [at, { chunks }] of answers.entries())
          expect(Buffer.concat(chunks).equals(bodies[at] ?? Buffer.alloc(0))).toBe(true)
      },
    )
    await fc.assert(property, { numRuns: 15 })
  })

  test('is read no further while nobody takes what came', async () => {
    const size = 64 * 1024 * 1024
    server.next({ body: Buffer.alloc(size, 'x') })
    const answer = ask(upstream, ({ call }) => call.pause())
    await vi.waitFor(() => expect(answer.chunks.length).toBeGreaterThan(0))
    await sleep(300)
    const held = Buffer.concat(answer.chunks).length
    expect(held).toBeLessThan(256 * 1024)
    // What the system holds for a connection is some megabytes.
    expect(server.requests.at(-1)?.sent).toBeLessThan(size / 2)
    answer.call.abort()
  })

  test('that is closed while it is paused still brings what had come', async () => {
    const body = noise(200_000, 1)
    server.next({ body, ending: 'destroy' })
    let isFirst = true
    const answer = ask(upstream, ({ call }) => {
      if (!isFirst) return
      isFirst = false
      call.pause()
      setTimeout(() => call.resume(), 100)
    })
    expect(await answer.over).toBe('cut')
    expect(Buffer.concat(answer.chunks).equals(body)).toBe(true)
  })
})

/** A connection on which all of those bytes come. */
async function connectTo(body: Buffer): Promise<Socket> {
  const server = createServer((socket) => socket.end(body))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const socket = await new Promise<Socket>((resolve, reject) =>
    createConnector({ timeout: 1000 })(
      { hostname: '127.0.0.1', protocol: 'http:', port: String(port) },
      (error, made) => (error === null ? resolve(made) : reject(error)),
    ),
  )
  server.close()
  return socket
}

describe('is a stream like any other', () => {
  const body = noise(150_000, 2)

  test('for whoever reads it in a loop', async () => {
    const chunks: Buffer[] = []
    for await (const chunk of await connectTo(body)) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks).equals(body)).toBe(true)
  })

  test('for whoever listens for data', async () => {
    const chunks: Buffer[] = []
    const socket = await connectTo(body)
    socket.on('data', (chunk) => chunks.push(chunk))
    await once(socket, 'end')
    expect(Buffer.concat(chunks).equals(body)).toBe(true)
  })
})

describe('who waits for all that is read at once', () => {
  test('is told once, behind the last piece of it and before anything else happens', async () => {
    const told: string[] = []
    const pieces = Array.from({ length: 5 }, (_, at) => `1\r\n${at}\r\n`).join('')
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
    const server = createServer((socket) => socket.once('data', () => socket.write(head + pieces)))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const upstream = createHttpUpstream(httpUpstream(`http://127.0.0.1:${port}`), { env: {} })
    const answer = ask(upstream, ({ chunks }) => {
      told.push(String(chunks.at(-1)))
      if (chunks.length > 1) return
      process.nextTick(() => told.push('tick'))
      afterRead({ wasRead: () => told.push('all') })
    })
    await vi.waitFor(() => expect(told).toContain('tick'))
    expect(told).toEqual(['0', '1', '2', '3', '4', 'all', 'tick'])
    answer.call.abort()
    server.close()
  })

  test('is told at the next tick where nothing is being read', async () => {
    const told: string[] = []
    afterRead({ wasRead: () => told.push('all') })
    expect(told).toEqual([])
    await new Promise(process.nextTick)
    expect(told).toEqual(['all'])
  })
})
