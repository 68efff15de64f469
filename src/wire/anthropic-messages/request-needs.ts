/**
 * Fields of a client's body that only this wire has: which of them may be left out, which may not, and which
 * nobody misses. Neighbours: `request-read.ts` asks. A field that we do not know is said to be lost.
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { Findings } from './request-problems.ts'

/** Read elsewhere, or hints whose loss nobody notices. `thread` is answered before a request is read. */
const QUIET = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'stop_sequences',
  'stream',
  'metadata',
  'service_tier',
  'speed',
  'cache_control',
  'temperature',
  'top_p',
  'top_k',
  'thread',
  'diagnostics',
  'fallback_credit_token',
  'betas',
])

/** The answer would depend on them. */
const NEEDED: Readonly<Record<string, string>> = {
  container: 'Leave it out: a container exists at its own vendor only',
  mcp_servers: 'Leave it out: this upstream does not connect to MCP servers itself',
  fallbacks: 'Leave it out: name the upstreams to fall back to in a route of the gateway',
  compaction: 'Leave it out: this upstream does not compact conversations',
}

export function readNeeds(body: JsonObject, { lost, needed }: Findings): void {
  for (const [field, value] of Object.entries(body)) {
    if (QUIET.has(field) || isNothing(value)) continue
    const message = Object.hasOwn(NEEDED, field) ? NEEDED[field] : undefined
    if (message !== undefined) needed.push({ path: field, message, code: 'unsupported' })
    else if (field === 'context_management') readEdits(value, { lost, needed })
    else lost.add(field)
  }
  if (!isNothing(toObject(body['output_config'])?.['task_budget']))
    lost.add('output_config.task_budget')
}

/** Clearing old results and thinking saves tokens; a compaction is something the client waits for. */
function readEdits(value: unknown, { lost, needed }: Pick<Findings, 'lost' | 'needed'>): void {
  const edits = toList(toObject(value)?.['edits'])
  edits.forEach((edit, i) => {
    const type = toText(toObject(edit)?.['type']) ?? ''
    if (type.startsWith('compact'))
      needed.push({
        path: `context_management.edits[${i}]`,
        message: 'Leave it out: this upstream does not compact conversations',
        code: 'unsupported',
      })
  })
  // "Clear no thinking", which Claude Code says every time, is what happens anyway.
  if (edits.every(clearsNothing)) return
  lost.add('context_management')
}

const clearsNothing = (edit: unknown): boolean =>
  toText(toObject(edit)?.['type'])?.startsWith('clear_thinking') === true &&
  toObject(edit)?.['keep'] === 'all'

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0)
