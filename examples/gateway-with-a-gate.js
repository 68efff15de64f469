/**
 * A gateway of your own in one file: the stock one, with a policy of yours before those of the config. Here, no
 * client hears of a call to `delete_everything`, on whatever wire it speaks, streamed or not.
 *
 *   npm run build && node examples/gateway-with-a-gate.js
 */
import { definePolicy, deny, install, pass } from 'sluice/policy'
import { demoSettings, startGateway } from 'sluice/server'

const gate = definePolicy({
  name: 'nothing-is-deleted',
  judge: (call) => (call.name === 'delete_everything' ? deny('Nothing is deleted here.') : pass()),
})

export const start = (listen = { host: '127.0.0.1', port: 4141 }) =>
  startGateway({ ...demoSettings(), listen }, { policies: [install(gate)] })

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const gateway = await start()
  console.log(`Listening on ${gateway.url}`)
}
