/**
 * The end of an answer whose client does not read it: what was said to the last byte may still lie here,
 * with its connection, and nobody waits for it any more. Neighbours: `exchange.ts` calls it last.
 */
import type { ServerResponse } from 'node:http'

/** Gives a client so long to take the next bytes; then the connection is closed. */
export function dropUnread(response: ServerResponse, patienceMs: number): void {
  // Mostly all of it is out.
  if (isOut(response)) return
  setImmediate(() => {
    // The socket's own clock knows whether bytes still leave; without a listener it ends the socket.
    if (!response.writableFinished && response.writableEnded)
      response.socket?.setTimeout(patienceMs)
  })
}

/** Whether the system has every byte of it. One that waits in a pipeline has no connection yet. */
function isOut(response: ServerResponse): boolean {
  if (response.writableFinished) return true
  const { socket } = response
  return socket !== null && socket.writableLength === 0 && response.writableLength === 0
}
