import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { fetchRaw, sendRaw, sendRequest } from '../../test/support/raw-client.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { demoSettings } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import { closeListener, createListener, listen } from './listener.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function open(
  more: Partial<Settings> = {},
  handle: Parameters<typeof createListener>[1] = (_, response) => response.end('served'),
): Promise<{ server: Server; url: string; address: AddressInfo }> {
  const settings = { ...demoSettings(), listen: { host: '127.0.0.1', port: 0 }, ...more }
  const server = createListener(settings, handle)
  servers.push(server)
  const address = await listen(server, settings)
  return { server, address, url: `http://127.0.0.1:${address.port}` }
}

describe('what is no HTTP', () => {
  test.each([
    ['GARBAGE\r\n\r\n', '400 Bad Request'],
    [`GET / HTTP/1.1\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`, '431 Request Header Fields Too Large'],
    ['CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n', '405 Method Not Allowed'],
  ])('gets JSON that clients of all wires can read: %#', async (sent, status) => {
    const { url } = await open()
    const { text, closedAt } = await sendRaw(url, sent)
    expect(text.startsWith(`HTTP/1.1 ${status}\r\n`)).toBe(true)
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.any(String) as string },
    })
    expect(closedAt).toBeDefined()
  })

  test('does not disturb the next client, nor one that leaves in the middle', async () => {
    const { url } = await open()
    await Promise.all(
      Array.from({ length: 20 }, () => sendRaw(url, 'GET / HTTP/1.1\r\nhost', { wait: 5 })),
    )
    expect((await fetchRaw(url, { method: 'GET' })).body.toString()).toBe('served')
  })
})

test('says what is wrong with an address', async () => {
  const { address } = await open()
  const sentence = async (host: string, port: number): Promise<string> => {
    const error: unknown = await open({ listen: { host, port } }).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(SluiceError)
    return (error as Error).message
  }
  expect(await sentence('127.0.0.1', address.port)).toBe(
    `Cannot listen on 127.0.0.1:${address.port}: another program listens there; choose another port with --port`,
  )
  expect(await sentence('192.0.2.1', 0)).toContain('this machine has no such address')
})

describe('closing', () => {
  const IDLE = (): Promise<void> => Promise.resolve()

  test('ends connections with nothing under way at once', async () => {
    const { server, url } = await open()
    const { text } = await Promise.all([
      sendRaw(url, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n', { wait: 3000 }),
      new Promise((resolve) => setTimeout(resolve, 100)).then(() =>
        closeListener(server, 1000, IDLE),
      ),
    ]).then(([talk]) => talk)
    expect(text).toContain('served')
    expect((await fetchRaw(url, { method: 'GET' })).end).toBe('failed')
  })

  test('waits for what is under way, as long as it may', async () => {
    let finish = (): void => {}
    const { server, url } = await open({}, (_, response) => {
      response.write('first')
      finish = () => response.end('last')
    })
    const call = sendRequest(url, { method: 'GET' })
    await call.received(1)
    const closing = closeListener(server, 10_000, IDLE)
    finish()
    expect((await call.answer).body.toString()).toBe('firstlast')
    await closing
  })

  test('ends what goes on for longer', async () => {
    const { server, url } = await open({}, (_, response) => void response.write('first'))
    const call = sendRequest(url, { method: 'GET' })
    await call.received(1)
    await closeListener(server, 50, IDLE)
    expect((await call.answer).end).toBe('cut')
  })
})
