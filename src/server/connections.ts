/**
 * Which connections of a server have an answer on its way out, and which can be closed. Node takes a
 * connection for idle as soon as its answer was said to the end, though most of it may still lie in our
 * memory because the client reads slowly; and one on which nothing was ever asked it takes for busy.
 * Neighbours: `listener.ts` closes by it.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Gives the server's own methods for closing connections that meaning. */
export function followConnections(server: Server, isTls: boolean): void {
  const all = new Set<Socket>()
  /** How many answers are on their way. */
  const open = new Map<Socket, number>()

  server.on('connection', (socket: Socket) => {
    all.add(socket)
    socket.once('close', () => all.delete(socket))
  })
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.set(socket, 0)
    socket.once('close', () => open.delete(socket))
  })
  const onRequest = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    open.set(socket, (open.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const count = open.get(socket)
      if (count !== undefined) open.set(socket, count - 1)
    })
  }
  server.on('request', onRequest)
  server.on('checkExpectation', onRequest)

  server.closeIdleConnections = () => {
    for (const [socket, count] of open) if (count === 0) socket.destroy()
  }
  // Also those that have not shaken hands yet, which Node does not count.
  server.closeAllConnections = () => {
    for (const socket of all) socket.destroy()
  }
}
