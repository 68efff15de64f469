import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { inflate } from './inflate.ts'
import type { Headers } from './upstream.ts'

/** An unpacker, what it gave out, and the promise of its end. */
function start(encoding: string, maxBytes = 1e6) {
  const got: { text: string; headers?: Headers; calls: number; aborts: number } = {
    text: '',
    calls: 0,
    aborts: 0,
  }
  let finish: (how: string) => void = () => {}
  const over = new Promise<string>((resolve) => (finish = resolve))
  const unpacker = inflate({
    encoding,
    maxBytes,
    name: 'up',
    abort: () => (got.aborts += 1),
    sink: {
      onHead: (_, headers) => (got.headers = headers),
      onData(chunk) {
        got.text += chunk.toString()
        got.calls += 1
      },
      onEnd: () => finish('end'),
      onError: ({ message }) => finish(message),
    },
  })
  return { unpacker, got, over }
}

const TEXT = 'data: {"a":1}\n\n'.repeat(500)

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  [' GZip ', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('unpacks %s, however it is cut', async (encoding, pack) => {
  const { unpacker, got, over } = start(encoding)
  unpacker.onHead(200, { 'content-encoding': encoding, 'content-length': '9', 'x-a': 'b' })
  for (const byte of pack(TEXT)) unpacker.onData(Buffer.from([byte]))
  unpacker.onEnd()
  expect(await over).toBe('end')
  expect(got.text).toBe(TEXT)
  expect(got.headers).toEqual({ 'x-a': 'b' })
})

test('gives out each piece as soon as it is there', async () => {
  const { unpacker, got } = start('gzip')
  const zip = createGzip()
  zip.on('data', (chunk: Buffer) => unpacker.onData(chunk))
  zip.write('data: one\n\n')
  await new Promise<void>((resolve) => zip.flush(() => resolve()))
  await sleep(30)
  expect(got.text).toBe('data: one\n\n')
  unpacker.stop()
  zip.destroy()
})

test('cuts off what grows beyond the limit', async () => {
  const { unpacker, got, over } = start('gzip', 100_000)
  unpacker.onData(gzipSync(Buffer.alloc(50_000_000)))
  expect(await over).toMatch(/more than 100000 bytes/)
  expect(got.text.length).toBeLessThanOrEqual(100_000)
  expect(got.aborts).toBe(1)
})

test('says what is not packed as it was said to be', async () => {
  const { unpacker, over } = start('gzip')
  unpacker.onData(Buffer.from('plain text'))
  expect(await over).toMatch(/no valid gzip/)
})

test('says what it cannot unpack', async () => {
  const { unpacker, got, over } = start('zstd')
  unpacker.onHead(200, {})
  expect(await over).toMatch(/"zstd", unasked/)
  expect(got.aborts).toBe(1)
})

test('waits with whoever reads, and gives nothing out after it was stopped', async () => {
  const { unpacker, got } = start('gzip', 1e9)
  unpacker.onData(gzipSync(Buffer.alloc(20_000_000, 'x')))
  unpacker.pause()
  await sleep(50)
  const before = got.text.length
  await sleep(50)
  expect(got.text.length).toBe(before)
  expect(before).toBeLessThan(1_000_000)
  unpacker.resume()
  await sleep(20)
  expect(got.text.length).toBeGreaterThan(before)
  unpacker.stop()
  const { calls } = got
  await sleep(30)
  expect(got.calls).toBe(calls)
})
