/**
 * `GET /api/events`: what happens to approvals and to the kill switch, live, as server-sent events. The first says how
 * things stand, so that nobody who comes late or again has missed anything. Neighbours: `api.ts` has let them in.
 */
import type { Approvals } from '../approvals/approvals.ts'
import type { HaltSwitch } from '../approvals/halt.ts'
import { beginEvents, fail, send } from './api-answer.ts'
import type { Visit } from './visit.ts'

export interface ApiEvents {
  serve(visit: Visit): Promise<void>
  close(): void
}

const MAX_OPEN = 100
/** Under the idle limits of proxies. */
const ALIVE_MS = 15_000
/** Who is so far behind does not read. It comes back and hears how things stand. */
const MAX_BEHIND = 1024 * 1024

export function createApiEvents(approvals: Approvals, halt: HaltSwitch): ApiEvents {
  const open = new Set<() => void>()
  let isClosed = false

  async function serve(visit: Visit): Promise<void> {
    const { request, response, id } = visit
    if (open.size >= MAX_OPEN)
      return send(visit, fail(503, 'Too many listen already: close one and try again'))
    // What happens while the list is on its way is said after it.
    const early: (() => void)[] = []
    let isBegun = false
    const write = (type: string, data: unknown): void => {
      const put = (): void => {
        if (response.writableLength > MAX_BEHIND) response.destroy()
        else response.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
      }
      if (isBegun) put()
      else early.push(put)
    }
    const end = (): void => void response.end()
    open.add(end)
    const stops = [
      approvals.onNews(({ type, ticket }) => write(type, ticket)),
      halt.onChange((state) => write('halt', state)),
    ]
    const alive = setInterval(() => void response.write(':\n\n'), ALIVE_MS)
    response.on('close', () => {
      clearInterval(alive)
      open.delete(end)
      for (const stop of stops) stop()
    })
    request.resume()
    beginEvents(response, id)
    const list = await approvals.list().catch(() => undefined)
    isBegun = true
    // Without the list it would be half of the truth: the client comes again.
    if (list === undefined || isClosed) return end()
    const pending = list.filter(({ status }) => status === 'pending')
    write('state', { pending, halt: halt.state() })
    for (const put of early) put()
  }

  return {
    serve,
    close() {
      isClosed = true
      for (const end of open) end()
    },
  }
}
