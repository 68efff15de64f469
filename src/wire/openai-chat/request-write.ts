/**
 * A request of ours to a Chat body. A pure function of what is handed in, so that the beginning of a
 * conversation is the same text on every turn and stays in the provider's cache. Neighbours: its parts are
 * written by `request-write-*.ts`; `request-own.ts` takes over for clients that speak Chat themselves.
 */
import { createLossList } from '../../event/loss.ts'
import { createCallNames } from '../../request/call-names.ts'
import type { ModelRequest } from '../../request/request.ts'
import type { WriteOptions, WrittenRequest } from '../../request/write.ts'
import { NAME } from './json.ts'
import { createProblems } from './request-fields.ts'
import { writeOwn } from './request-own.ts'
import { writeFormat } from './request-write-format.ts'
import { writeMessages } from './request-write-messages.ts'
import { writeSettings } from './request-write-settings.ts'
import { writeTools } from './request-write-tools.ts'
import { spellingOf, type Writing } from './request-writing.ts'

export function writeRequest(request: ModelRequest, options: WriteOptions): WrittenRequest {
  if (request.source.wire === NAME) return writeOwn(request, options)
  const { profile } = options
  const losses = createLossList()
  const problems = createProblems()
  const names = createCallNames({ tools: request.tools, maxLength: profile.maxToolName })
  const writing: Writing = {
    request,
    options,
    profile,
    losses,
    problems,
    names,
    spelling: spellingOf(request.source.wire),
  }
  for (const need of request.needed)
    problems.add(need.path, need.message, need.code ?? 'unsupported')
  for (const field of request.lost) losses.add('dropped', field)

  const tools = writeTools(writing)
  const { fields: format, instruction } = writeFormat(writing)
  const { messages, fields: prefill } = writeMessages(writing, instruction)
  const hasTools = tools['tools'] !== undefined
  const settings = writeSettings(writing, hasTools)
  const problem = problems.first
  if (problem !== undefined) return { ok: false, problem }

  const usage = options.isStream && profile.takesStreamOptions
  const body = {
    model: options.model,
    messages,
    ...tools,
    ...format,
    ...settings,
    ...prefill,
    stream: options.isStream,
    ...(usage ? { stream_options: { include_usage: true } } : {}),
  }
  // What the server is not told to stop at, the gateway looks for.
  const stop = request.stop.slice(profile.maxStop)
  return { ok: true, body, headers: {}, losses: losses.list(), names, stop }
}
