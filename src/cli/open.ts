/**
 * `sluice open`: the link to the page of a running gateway, and a browser with it. Neighbours: `api-client.ts` finds the
 * gateway, `page-link.ts` makes and opens the link.
 */
import { findGateway } from './api-client.ts'
import { readArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { openPage, toPageLink } from './page-link.ts'

export const open: Command = {
  help: `sluice open [--url URL] [--config FILE] [--print]

Prints the link to the page of the gateway that runs on this machine, and opens
it in a browser where there is a desktop. The link logs you in if the gateway
made its token itself; else the page asks for the admin token of its config.

  --url URL       the gateway; without it, the one that runs on this machine
  --config FILE   its config, to find it by
  --print         only print the link
`,
  async run(argv, { out }) {
    const { values } = readArguments(argv, {
      url: { type: 'string' },
      config: { type: 'string' },
      print: { type: 'boolean' },
    })
    const { url, config } = values
    const place = findGateway({ url, config, env: process.env, cwd: process.cwd() })
    await out.line(toPageLink(place))
    if (values.print !== true) openPage(place)
    return 0
  },
}
