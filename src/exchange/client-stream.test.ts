import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClientStream, type ClientStream } from './client-stream.ts'

let say = (_to: ClientStream): void => {}
let last: ServerResponse | undefined
const server = createServer((_request, response: ServerResponse) => {
  last = response
  response.writeHead(200, { 'content-type': 'text/plain', 'x-long': 'x'.repeat(500) })
  const stream = createClientStream(response)
  say(stream)
  stream.end()
})
beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')))
afterAll(() => void server.close())

async function read(told: (to: ClientStream) => void): Promise<string> {
  say = told
  const { port } = server.address() as AddressInfo
  return await (await fetch(`http://127.0.0.1:${port}/`)).text()
}

const piece = fc.oneof(
  fc.string({ minLength: 1, maxLength: 300 }),
  fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' }),
  fc.string({ minLength: 1, maxLength: 3, unit: 'binary' }),
)

test('text and bytes arrive as they were said, in their order', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.tuple(piece, fc.boolean()), { minLength: 1, maxLength: 12 }),
    async (pieces) => {
      const got = await read((stream) => {
        for (const [words, isText] of pieces)
          if (isText) stream.writeText(words, Buffer.byteLength(words))
          else stream.write(Buffer.from(words))
      })
      expect(got).toBe(Buffer.from(pieces.map(([words]) => words).join('')).toString())
    },
  )
  await fc.assert(property, { numRuns: 60 })
})

test('a text of a megabyte, with letters of several bytes, is whole', async () => {
  const said = 'Grüße 🦉 '.repeat(100_000)
  const got = await read((stream) => {
    stream.write(Buffer.from('head'))
    stream.writeText(said, Buffer.byteLength(said))
  })
  expect(got === `head${said}`).toBe(true)
})

test('a head that was sent is not held, and every client has got it: also the second in a pipeline, and one of HTTP/1.0', async () => {
  say = (stream) => {
    stream.write(Buffer.from('one'))
    stream.writeText('two', 3)
  }
  const { port } = server.address() as AddressInfo
  const ask = async (request: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1')
    socket.write(request)
    return await text(socket)
  }
  const both = await ask(
    'GET /a HTTP/1.1\r\nhost: x\r\n\r\nGET /b HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  )
  const long = `x-long: ${'x'.repeat(500)}\r\n`
  expect(both.split(long)).toHaveLength(3)
  expect(both.split('3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n')).toHaveLength(3)
  const old = await ask('GET / HTTP/1.0\r\n\r\n')
  expect(old).toContain(long)
  expect(old.endsWith('\r\n\r\nonetwo')).toBe(true)
  expect(last?.headersSent).toBe(true)
  expect((last as unknown as { _header: string })._header.length).toBeLessThan(10)
})
