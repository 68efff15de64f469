/**
 * The thread that reads: a connection of its own, so that no search stands in the way of a write. Neighbours:
 * `worker.ts` runs it, `client.ts` asks.
 */
import type { MessagePort } from 'node:worker_threads'
import type { ToThread } from './message.ts'
import { answerCall, leave, openFor, type OwnData, type Send } from './port.ts'

export async function runReader(port: MessagePort, data: OwnData): Promise<void> {
  const send: Send = (message) => port.postMessage(message)
  const store = await openFor(data, send)
  if (store === undefined) return port.close()
  port.on('message', (message: ToThread) => {
    if (message.type === 'call') void answerCall(store, message, send)
    else if (message.type === 'close') void leave(port, store)
  })
  send({ type: 'ready' })
}
