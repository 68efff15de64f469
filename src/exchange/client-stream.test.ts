import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClientStream, type ClientStream } from './client-stream.ts'

let say = (_to: ClientStream): void => {}
const server = createServer((_request, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/plain' })
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
        for (const [text, isText] of pieces)
          if (isText) stream.writeText(text, Buffer.byteLength(text))
          else stream.write(Buffer.from(text))
      })
      expect(got).toBe(Buffer.from(pieces.map(([text]) => text).join('')).toString())
    },
  )
  await fc.assert(property, { numRuns: 60 })
})

test('a text of a megabyte, with letters of several bytes, is whole', async () => {
  const text = 'Grüße 🦉 '.repeat(100_000)
  const got = await read((stream) => {
    stream.write(Buffer.from('head'))
    stream.writeText(text, Buffer.byteLength(text))
  })
  expect(got === `head${text}`).toBe(true)
})
