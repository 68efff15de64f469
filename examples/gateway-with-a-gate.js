/**
 * A gateway of your own in one file: the stock one, with somebody who acts on every answer. Here, no
 * client hears of a call to `delete_everything`, on whatever wire it speaks, streamed or not.
 *
 *   npm run build && node examples/gateway-with-a-gate.js
 */
import { createStreamProcessor, textBlock } from 'sluice'
import { demoSettings, startGateway } from 'sluice/server'

/** Called once for each answer. */
const createGate = () =>
  createStreamProcessor({
    async onChunk(chunk, state, context) {
      const call = state.currentBlock
      if (call?.type !== 'tool-call') return context.send(chunk)
      const held = context.state(call.id, () => [])
      held.push(chunk)
      if (state.justCompleted !== call) return
      const isAllowed = call.name !== 'delete_everything'
      await context.send(...(isAllowed ? held : textBlock(`${call.name} is not allowed here.`)))
    },
  })

export const start = (listen = { host: '127.0.0.1', port: 4141 }) =>
  startGateway({ ...demoSettings(), listen }, { actorFor: () => createGate })

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const gateway = await start()
  console.log(`Listening on ${gateway.url}`)
}
