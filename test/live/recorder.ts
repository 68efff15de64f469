/**
 * Writes down what providers send to a gateway in this process: the bytes of each answer as they came,
 * with their timing. Listens on the diagnostics channels of undici, so nothing of the gateway is changed
 * and nothing stands in between. Neighbours: `live.ts` says which flow is under way. Keeps no header but
 * the type of the content, and so no credential.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { WireName } from '../../src/event/event.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'

/** One answer, as `INDEX.json` lists it. Times are in milliseconds since the request. */
export interface Recorded {
  /** Below the folder; none when there was no body, or it quoted a credential. */
  readonly file: string | undefined
  readonly provider: string
  readonly wire: WireName
  readonly flow: string
  readonly model: string
  readonly method: string
  readonly path: string
  readonly status: number | undefined
  readonly contentType: string
  readonly at: string
  readonly durationMs: number
  readonly bytes: number
  /** When each chunk came, and how long it was. */
  readonly chunks: readonly (readonly [ms: number, bytes: number])[]
  /** `left`: the gateway did not wait for the end. */
  readonly end: 'end' | 'left'
}

export interface Recorder {
  /** What is recorded from now on belongs to that. */
  begin(about: About): void
  readonly recorded: readonly Recorded[]
  /** Stops listening and adds to the index. */
  close(): void
}

type About = Pick<Recorded, 'provider' | 'wire' | 'flow' | 'model'>

interface Answer {
  readonly about: About
  readonly startedAt: number
  readonly pieces: Buffer[]
  readonly chunks: [number, number][]
  status: number | undefined
  contentType: string
}

/** As much of undici's request and its messages as is read here. */
interface Message {
  readonly request: {
    readonly method: string
    readonly path: string
    readonly headers: readonly string[]
    readonly body: unknown
  }
  readonly response?: { readonly statusCode: number; readonly headers: readonly Buffer[] }
  readonly chunk?: Buffer
}

export interface RecorderOptions {
  readonly folder: string
  /** Texts that no file may hold. */
  readonly secrets: readonly string[]
}

export function createRecorder({ folder, secrets }: RecorderOptions): Recorder {
  const answers = new Map<Message['request'], Answer>()
  const recorded: Recorded[] = []
  // Runs add up: what was recorded cost money.
  const stamp = new Date().toISOString().replace(/\.\d+|\W/g, '')
  let about: About = { provider: '', wire: 'openai-chat', flow: '', model: '' }
  for (const wire of WIRE_NAMES) {
    mkdirSync(join(folder, wire), { recursive: true })
    mkdirSync(join(folder, 'json', wire), { recursive: true })
  }

  function write(name: string, bytes: Buffer): string | undefined {
    if (bytes.length === 0 || secrets.some((secret) => bytes.includes(secret))) return undefined
    writeFileSync(join(folder, name), bytes)
    return name
  }

  function finish({ request }: Message, end: Recorded['end']): void {
    const answer = answers.get(request)
    if (answer === undefined) return
    answers.delete(request)
    const bytes = Buffer.concat(answer.pieces)
    const { provider, wire, flow } = answer.about
    const number = String(recorded.length + 1).padStart(3, '0')
    const title = flow.replace(/\W+/g, '-')
    const name = `${wire}/${provider}--live--${stamp}-${number}-${title}`
    const isStream = answer.contentType.startsWith('text/event-stream')
    recorded.push({
      file: write(isStream ? `${name}.sse` : `json/${name}.json`, bytes),
      ...answer.about,
      method: request.method,
      path: request.path,
      status: answer.status,
      contentType: answer.contentType,
      at: new Date(answer.startedAt).toISOString(),
      durationMs: Date.now() - answer.startedAt,
      bytes: bytes.length,
      chunks: answer.chunks,
      end,
    })
  }

  const listeners: Readonly<Record<string, (message: Message) => void>> = {
    create({ request }) {
      // An SDK's own calls may come by here too; only the gateway's carry a trace.
      if (!request.headers.some((name) => name.toLowerCase() === 'traceparent')) return
      const startedAt = Date.now()
      answers.set(request, {
        about,
        startedAt,
        pieces: [],
        chunks: [],
        status: undefined,
        contentType: '',
      })
    },
    headers({ request, response }) {
      const answer = answers.get(request)
      if (answer === undefined || response === undefined) return
      answer.status = response.statusCode
      answer.contentType = contentTypeOf(response.headers)
    },
    bodyChunkReceived({ request, chunk }) {
      const answer = answers.get(request)
      if (answer === undefined || chunk === undefined) return
      answer.pieces.push(Buffer.from(chunk))
      answer.chunks.push([Date.now() - answer.startedAt, chunk.length])
    },
    trailers: (message) => finish(message, 'end'),
    error: (message) => finish(message, 'left'),
  }
  const heard = Object.entries(listeners).map(([name, listener]) => {
    const channel = `undici:request:${name}`
    const hear = (message: unknown): void => listener(message as Message)
    subscribe(channel, hear)
    return { channel, hear }
  })

  return {
    begin(next) {
      about = next
    },
    recorded,
    close() {
      for (const { channel, hear } of heard) unsubscribe(channel, hear)
      const path = join(folder, 'INDEX.json')
      const before = existsSync(path)
        ? (JSON.parse(readFileSync(path, 'utf8')) as readonly Recorded[])
        : []
      writeFileSync(path, `${JSON.stringify([...before, ...recorded], undefined, 1)}\n`)
    },
  }
}

/** Raw headers: names and values in turn. */
function contentTypeOf(headers: readonly Buffer[]): string {
  const place = headers.findIndex(
    (name, i) => i % 2 === 0 && name.toString().toLowerCase() === 'content-type',
  )
  return place === -1 ? '' : (headers[place + 1]?.toString() ?? '')
}
