import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { heldBytes } from '../../test/support/heap.ts'
import { listen } from './listen.ts'

/** A gateway that says one thing and then nothing, and tells when whoever listens has left. */
async function startSilent(): Promise<{ url: string; left: Promise<unknown>; stop(): void }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('event: state\ndata: {"n":1}\n\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const left = once(server, 'connection').then(([socket]) => once(socket, 'close'))
  const { port } = server.address() as AddressInfo
  const stop = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}`, left, stop }
}

// A signal alone is not enough: what a request makes of it may be collected while its answer goes on.
test.each(['by leaving the loop', 'by the signal'])(
  'who leaves %s leaves the gateway',
  async (how) => {
    const { url, left, stop } = await startSilent()
    try {
      const over = new AbortController()
      const heard = listen(
        () => ({ url, token: 't' }),
        { path: '/' },
        {
          signal: over.signal,
        },
      )
      const first = await heard.next()
      expect(first.value).toMatchObject({ event: 'state' })
      for (let turn = 0; turn < 5; turn++) {
        await sleep(20)
        heldBytes()
      }
      const next = how === 'by the signal' ? heard.next() : heard.return(undefined)
      over.abort()
      expect(await Promise.race([next, sleep(2000, 'waits')])).toMatchObject({ done: true })
      expect(await Promise.race([left, sleep(2000, 'stays')])).not.toBe('stays')
    } finally {
      stop()
    }
  },
)
