/**
 * Recordings as an upstream: what was answered then is answered now, without a provider. Neighbours:
 * `../upstream/upstream.ts` is the contract, `replay-index.ts` knows what there is, `match-recordings.ts` chooses,
 * `replay-play.ts` plays. Knows no policy: that of today acts on what is played.
 */
import type { JsonObject } from '../base/json.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { WireName } from '../event/event.ts'
import { unpack } from '../exchange/body.ts'
import { conversationOf, toldBy } from '../exchange/conversation.ts'
import type { ReplayUpstreamSettings } from '../upstream/settings.ts'
import {
  bytesOf,
  type Upstream,
  type UpstreamCall,
  type UpstreamFailure,
  type UpstreamRequest,
  type UpstreamSink,
} from '../upstream/upstream.ts'
import { WIRES } from '../wire/wires.ts'
import { toMatchKeys } from './match-keys.ts'
import type { Match } from './match-recordings.ts'
import { readIndex, type ReplayIndex } from './replay-index.ts'
import { writeModels } from './replay-models.ts'
import { playRecorded } from './replay-play.ts'
import type { RecordedAnswer, RecordingSource } from './replay-recording.ts'

export interface ReplayUpstreamOptions {
  open(settings: ReplayUpstreamSettings): RecordingSource | Promise<RecordingSource>
  /** What was asked, and what was found for it. */
  onAsked?(asked: ReplayAsked): void
  /** It was played to its end, or the client left before that. */
  onOver?(asked: ReplayAsked, isWhole: boolean): void
  /** All recordings are known. */
  onReady?(facts: ReplayFacts): void
  /** Each recording is given once in a conversation. */
  readonly isOnce?: boolean
  readonly now?: () => number
}

export interface ReplayFacts {
  /** Of recordings. One that crossed wires is there once. */
  readonly names: ReadonlySet<string>
}

export interface ReplayAsked {
  /** The upstream. */
  readonly by: string
  readonly wire: WireName
  readonly path: string
  readonly model: string | undefined
  readonly match: Match
}

export interface ReplayUpstream extends Upstream {
  ready(): Promise<void>
}

const MAX_BODY_BYTES = 64 * 1024 * 1024
const MAX_ANSWER_IDS = 10_000

export function createReplayUpstream(
  settings: ReplayUpstreamSettings,
  options: ReplayUpstreamOptions,
): ReplayUpstream {
  const { name, match: mode, speed } = settings
  const { now = () => performance.now(), isOnce = false } = options
  const underWay = new Set<object>()
  /** Which conversation an answer was given in. */
  const answerIds = new Map<string, string>()
  let source: RecordingSource | undefined
  let index: ReplayIndex | undefined
  let isClosed = false
  let onIdle = (): void => {}
  const loading = load()
  // Whoever is ready for it hears of it, and every request does.
  loading.catch(() => {})

  async function load(): Promise<ReplayIndex> {
    source = await options.open(settings)
    index = await readIndex(source, { mode, isOnce })
    options.onReady?.({ names: index.names })
    return index
  }

  async function answer(request: UpstreamRequest): Promise<Playing> {
    const ready = await loading.catch((cause: unknown) => {
      throw new SluiceError('upstream-failed', `The recordings of "${name}" cannot be read`, {
        cause,
      })
    })
    const { wire, method, path } = request
    if (method === 'GET' && path === (wire === 'anthropic-messages' ? '/v1/models' : '/models'))
      return { answer: toJson(200, writeModels(wire, ready.models)) }
    // The gateway estimates what nobody counts.
    if (method !== 'POST' || isCountPath(path))
      return { answer: refuse(wire, `A replay does not serve ${method} ${path}`) }
    const keys = toMatchKeys(wire, await bodyOf(request), ready.digests)
    const told = toldBy(keys.json ?? {})
    const conversation = conversationOf(request.headers, told, (id) => answerIds.get(id))
    const match = ready.matcher.match({ wire, path, conversation, keys })
    const asked = { by: name, wire, path, model: keys.model, match }
    options.onAsked?.(asked)
    if (match.type === 'none') return { answer: refuse(wire, toSentence(match)) }
    noteAnswer(match.recording.answerId, conversation)
    try {
      return { answer: await match.recording.load(), asked }
    } catch (error) {
      options.onOver?.(asked, false)
      throw error
    }
  }

  function noteAnswer(id: string | undefined, conversation: string): void {
    if (id === undefined) return
    answerIds.set(id, conversation)
    const [oldest] = answerIds.keys()
    if (answerIds.size > MAX_ANSWER_IDS && oldest !== undefined) answerIds.delete(oldest)
  }

  function leave(token: object): void {
    underWay.delete(token)
    if (underWay.size === 0) onIdle()
  }

  return {
    name,
    get wires() {
      const found = index?.wires ?? []
      // Those that the settings name, as far as there is something on them.
      const named = settings.wires.filter((wire) => found.includes(wire))
      return named.length > 0 ? named : settings.wires
    },
    ready: async () => void (await loading),
    send(request, sink) {
      const token = {}
      underWay.add(token)
      const askedAt = now()
      const call = createCall(sink, () => leave(token))
      const playing = isClosed ? Promise.reject(closed()) : answer(request)
      playing.then(
        (found) =>
          call.begin((to) =>
            playRecorded(found.answer, to, {
              speed: found.asked === undefined ? 0 : speed,
              askedAt,
              now,
              onOver(isWhole) {
                if (found.asked !== undefined) options.onOver?.(found.asked, isWhole)
                leave(token)
              },
            }),
          ),
        (error: unknown) => call.fail(toFailure(error)),
      )
      return call
    },
    async close() {
      isClosed = true
      if (underWay.size > 0) await new Promise<void>((resolve) => (onIdle = resolve))
      await loading.catch(() => {})
      await source?.close()
    },
  }
}

interface Playing {
  readonly answer: RecordedAnswer
  /** `undefined`: it is no recording. */
  readonly asked?: ReplayAsked
}

/** A call that what is played is looked for while the gateway may pause or leave it already. */
function createCall(
  sink: UpstreamSink,
  onOver: () => void,
): UpstreamCall & {
  begin(play: (sink: UpstreamSink) => UpstreamCall): void
  fail(failure: UpstreamFailure): void
} {
  let call: UpstreamCall | undefined
  let isPaused = false
  let isOver = false
  return {
    begin(play) {
      if (isOver) return
      call = play(sink)
      if (isPaused) call.pause()
    },
    fail(failure) {
      if (isOver) return
      isOver = true
      onOver()
      sink.onError(failure)
    },
    pause() {
      isPaused = true
      call?.pause()
    },
    resume() {
      isPaused = false
      call?.resume()
    },
    abort() {
      if (call !== undefined) return call.abort()
      if (isOver) return
      isOver = true
      onOver()
    },
  }
}

const isCountPath = (path: string): boolean => /\/(?:count_tokens|input_tokens)$/.test(path)

async function bodyOf({ body, headers }: UpstreamRequest): Promise<Uint8Array> {
  const encoding = headers['content-encoding']
  const bytes = body === undefined ? new Uint8Array(0) : bytesOf(body)
  if (body === undefined || encoding === undefined) return bytes
  const read = await unpack(Buffer.from(bytes), encoding, MAX_BODY_BYTES)
  return read.type === 'body' ? read.body.plain : bytes
}

function toSentence({ why, nearest }: Extract<Match, { type: 'none' }>): string {
  const near = nearest === undefined ? '' : `; ${nearest}`
  return `No recording answers this request: ${why}${near}`
}

/** OpenAI's word for what is not there is about models. */
function refuse(wire: WireName, message: string): RecordedAnswer {
  const kind = wire === 'anthropic-messages' ? 'not-found' : 'invalid-request'
  return toJson(404, WIRES[wire].writeError({ kind, message }))
}

const toJson = (status: number, body: JsonObject): RecordedAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  bytes: Buffer.from(JSON.stringify(body)),
  times: [],
  ending: 'end',
})

const closed = (): SluiceError => new SluiceError('upstream-failed', 'The replay is closed')

/** Sentences of ours are safe to tell; others may quote anything. */
function toFailure(cause: unknown): UpstreamFailure {
  const message = cause instanceof SluiceError ? cause.message : 'The recording could not be read'
  return { kind: 'internal', message, isBeforeRequest: true, cause }
}
