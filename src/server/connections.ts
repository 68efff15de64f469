/**
 * Which connections of a server have an answer on its way out, and which can be closed. Node takes a
 * connection for idle as soon as its answer was said to the end, though most of it may still lie in our
 * memory because the client reads slowly; and one on which nothing was ever asked it takes for busy.
 * Neighbours: `listener.ts` closes by it.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createBag } from '../base/bag.ts'

/** Gives the server's own methods for closing connections that meaning. */
export function followConnections(server: Server, isTls: boolean): void {
  const all = createBag<Socket>()
  const ready = createBag<Socket>()

  server.on('connection', (socket: Socket) => {
    const place = all.add(socket)
    socket.once('close', () => all.remove(place))
  })
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Followed) => {
    socket[OPEN] = 0
    const place = ready.add(socket)
    socket.once('close', () => ready.remove(place))
  })
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const socket: Followed = request.socket
    socket[OPEN] = (socket[OPEN] ?? 0) + 1
    response.once('close', () => {
      socket[OPEN] = (socket[OPEN] ?? 1) - 1
    })
  }
  server.on('request', onRequest)
  server.on('checkExpectation', onRequest)

  server.closeIdleConnections = () => {
    ready.forEach((socket: Followed) => {
      if (socket[OPEN] === 0) socket.destroy()
    })
  }
  // Also those that have not shaken hands yet, which Node does not count.
  server.closeAllConnections = () => {
    all.forEach((socket) => socket.destroy())
  }
}

/** How many answers are on their way on a connection. */
const OPEN = Symbol('open answers')
type Followed = Socket & { [OPEN]?: number }
