/**
 * A real HTTP server on loopback that answers every POST with the bytes it was given, cut as asked.
 * What the official SDKs are pointed at.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Loopback {
  readonly url: string
  /** Answers the next request with that body. */
  serve(
    body: Uint8Array | string,
    options?: { contentType?: string; status?: number; cuts?: readonly number[] },
  ): string
  close(): Promise<void>
}

interface Reply {
  body: Uint8Array
  contentType: string
  status: number
  cuts: readonly number[]
}

export async function startLoopback(): Promise<Loopback> {
  const replies = new Map<string, Reply>()
  let count = 0
  const server: Server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      const key = /^\/(\d+)\//.exec(request.url ?? '')?.[1] ?? ''
      const reply = replies.get(key)
      if (reply === undefined) {
        response.writeHead(404).end()
        return
      }
      replies.delete(key)
      response.writeHead(reply.status, { 'content-type': reply.contentType, connection: 'close' })
      let from = 0
      for (const cut of [...reply.cuts].sort((a, b) => a - b)) {
        if (cut > from && cut < reply.body.length) {
          response.write(reply.body.subarray(from, cut))
          from = cut
        }
      }
      response.end(reply.body.subarray(from))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    serve(body, options = {}) {
      const key = String(count++)
      replies.set(key, {
        body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
        contentType: options.contentType ?? 'text/event-stream; charset=utf-8',
        status: options.status ?? 200,
        cuts: options.cuts ?? [],
      })
      return `${url}/${key}/v1`
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
