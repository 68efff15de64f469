/**
 * What `sluice export` writes beside a recording → what replay must know of it: what was asked, when the bytes came, the
 * status. Neighbours: `replay-files.ts`. Everything may be missing: files are also written by hand.
 */
import { readFile, stat } from 'node:fs/promises'
import { isObject, parseObject, toCount, toObject, toText, type JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'
import { ENDPOINTS } from '../exchange/endpoint.ts'
import type { Headers } from '../upstream/upstream.ts'
import { isWireName } from '../wire/wires.ts'
import { toReplayHeaders } from './replay-headers.ts'
import type { RecordedAnswer } from './replay-recording.ts'

export interface Meta {
  readonly id: string | undefined
  readonly wire: WireName | undefined
  readonly path: string | undefined
  readonly conversation: string | undefined
  readonly model: string | undefined
  readonly answerId: string | undefined
  readonly status: number | undefined
  readonly headers: Headers
  readonly times: readonly number[] | undefined
  readonly ending: RecordedAnswer['ending'] | undefined
  readonly request: Uint8Array | undefined
}

const MAX_BYTES = 64 * 1024 * 1024

/** `undefined`: nothing stands beside it. */
export async function readMeta(path: string): Promise<Meta | undefined> {
  const beside = path.endsWith('.sse')
    ? path.replace(/\.sse$/, '.json')
    : path.replace(/\.json$/, '.about.json')
  if (beside === path) return undefined
  const found = await stat(beside).catch(() => undefined)
  if (found === undefined || found.size > MAX_BYTES) return undefined
  const json = parseObject(await readFile(beside, 'utf8'))
  return json === undefined ? undefined : toMeta(json)
}

function toMeta(json: JsonObject): Meta {
  const isUpstream = json['body'] === 'upstream'
  const upstreamWire = toWire(json['upstreamWire']) ?? toWire(json['wire'])
  const wire = isUpstream ? upstreamWire : toWire(json['wire'])
  const isOwnPath = wire === json['wire']
  const outcome = json['outcome']
  return {
    id: toText(json['id']),
    wire,
    path: isOwnPath ? toPath(json['endpoint']) : undefined,
    conversation: toText(json['conversation']),
    model: toText(isUpstream ? json['upstreamModel'] : undefined) ?? toText(json['model']),
    answerId: toText(json['answerId']),
    status: toStatus(json, isUpstream),
    headers: wire === upstreamWire ? toReplayHeaders(toObject(json['upstreamHeaders']) ?? {}) : {},
    times: toTimes(json['times']),
    ending: outcome === 'broken' || outcome === 'client-left' ? 'cut' : undefined,
    request: toBody(json['request']),
  }
}

/** A client that left was told nothing of this number. */
function toStatus(json: JsonObject, isUpstream: boolean): number | undefined {
  const hasLeft = json['outcome'] === 'client-left'
  return toCount(json[isUpstream || hasLeft ? 'upstreamStatus' : 'status'])
}

const toWire = (name: unknown): WireName | undefined =>
  typeof name === 'string' && isWireName(name) ? name : undefined

const toPath = (pattern: unknown): string | undefined =>
  ENDPOINTS.find((endpoint) => endpoint.pattern === pattern && endpoint.method === 'POST')?.path

const toTimes = (times: unknown): readonly number[] | undefined =>
  Array.isArray(times) && times.every((time) => typeof time === 'number') ? times : undefined

function toBody(request: unknown): Uint8Array | undefined {
  if (typeof request === 'string') return Buffer.from(request)
  return isObject(request) ? Buffer.from(JSON.stringify(request)) : undefined
}
