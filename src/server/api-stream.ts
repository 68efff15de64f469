/**
 * Answers that stay open: server-sent events with signs of life, so many at once, and none that does not read.
 * Neighbours: `api-events.ts` and `api-live.ts` say what happens. Knows no event.
 */
import { beginEvents, fail, send } from './api-answer.ts'
import type { Visit } from './visit.ts'

interface OpenStream {
  /** Says it, or ends the connection of somebody who does not read: it comes back and hears how things stand. */
  write(event: string, data: object): void
  /** Says this first; what `write` was told before waits until then. */
  begin(event: string, data: object): void
  end(): void
  /** Called once, when it is over on either side. */
  onClose(callback: () => void): void
  isOver(): boolean
}

export interface Streams {
  /** `undefined`: there are too many, and the client was told so. */
  open(visit: Visit, maxBehind: number): OpenStream | undefined
  close(): void
}

const MAX_OPEN = 100
/** What all of them together may be behind: none of it is for those who do not read. */
const MAX_BEHIND_ALL = 256 * 1024 * 1024
/** Under the idle limits of proxies. */
const ALIVE_MS = 15_000

export function createStreams(): Streams {
  const all = new Set<OpenStream>()
  let behindAll = 0
  return {
    open(visit, maxBehind) {
      if (all.size >= MAX_OPEN || behindAll + maxBehind > MAX_BEHIND_ALL) {
        send(visit, fail(503, 'Too many listen already: close one and try again'))
        return undefined
      }
      const stream = openStream(visit, maxBehind)
      all.add(stream)
      behindAll += maxBehind
      stream.onClose(() => {
        all.delete(stream)
        behindAll -= maxBehind
      })
      return stream
    },
    close() {
      for (const stream of all) stream.end()
    },
  }
}

function openStream({ request, response, id }: Visit, maxBehind: number): OpenStream {
  const closing: (() => void)[] = []
  let early: string[] | undefined = []
  let earlyChars = 0
  let isOver = false
  const alive = setInterval(() => void response.write(':\n\n'), ALIVE_MS)
  response.on('close', () => {
    isOver = true
    clearInterval(alive)
    early = undefined
    for (const callback of closing.splice(0)) callback()
  })
  request.resume()
  beginEvents(response, id)
  // The client knows at once that it is heard, also when nothing happens for a while.
  response.flushHeaders()

  const put = (text: string): void => {
    if (isOver || response.writableEnded) return
    if (response.writableLength > maxBehind) response.destroy()
    else response.write(text)
  }
  return {
    write(event, data) {
      const text = toText(event, data)
      if (early === undefined) return put(text)
      earlyChars += text.length
      if (earlyChars > maxBehind) response.destroy()
      else early.push(text)
    },
    begin(event, data) {
      const waiting = early ?? []
      early = undefined
      put(toText(event, data))
      for (const text of waiting) put(text)
    },
    end: () => void response.end(),
    onClose: (callback) => void (isOver ? callback() : closing.push(callback)),
    isOver: () => isOver || response.writableEnded,
  }
}

const toText = (event: string, data: object): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
