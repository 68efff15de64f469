/**
 * Requests from any wire to any other, and the judges of what comes out. Neighbours: `api-rules-*.ts` are the
 * judges, `conversations.ts` and `test/fixtures/requests/` give what goes in.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WireName } from '../../src/event/event.ts'
import { toProfile, type Vendor } from '../../src/request/profile.ts'
import type { ModelRequest } from '../../src/request/request.ts'
import type { RequestForm, WrittenRequest } from '../../src/request/write.ts'
import { readRequest as readMessages } from '../../src/wire/anthropic-messages/request-read.ts'
import { writeRequest as writeMessages } from '../../src/wire/anthropic-messages/request-write.ts'
import { readRequest as readChat } from '../../src/wire/openai-chat/request-read.ts'
import { writeRequest as writeChat } from '../../src/wire/openai-chat/request-write.ts'
import { readRequest as readResponses } from '../../src/wire/openai-responses/request-read.ts'
import { writeRequest as writeResponses } from '../../src/wire/openai-responses/request-write.ts'
import { validateAnthropic } from './api-rules-anthropic.ts'
import { validateChat } from './api-rules-chat.ts'
import { validateResponses } from './api-rules-responses.ts'
import type { Finding } from './api-rules.ts'
import type { Body } from './conversation-common.ts'

export const FORMS: Readonly<Record<WireName, RequestForm>> = {
  'anthropic-messages': { readRequest: readMessages, writeRequest: writeMessages },
  'openai-chat': { readRequest: readChat, writeRequest: writeChat },
  'openai-responses': { readRequest: readResponses, writeRequest: writeResponses },
}

/** An upstream: a wire, and what is behind it. */
export interface Target {
  readonly wire: WireName
  readonly model: string
  readonly vendor: Vendor
}

const target = (wire: WireName, vendor: Vendor, model: string): Target => ({ wire, vendor, model })

export const TARGETS: readonly Target[] = [
  // Manual thinking, adaptive with and without instructions in the middle, always thinking, never.
  target('anthropic-messages', 'anthropic', 'claude-sonnet-4-5'),
  target('anthropic-messages', 'anthropic', 'claude-opus-4-6'),
  target('anthropic-messages', 'anthropic', 'claude-opus-5'),
  target('anthropic-messages', 'anthropic', 'claude-fable-5'),
  target('anthropic-messages', 'anthropic', 'claude-3-5-haiku-latest'),
  target('openai-chat', 'openai', 'gpt-4.1'),
  target('openai-chat', 'openai', 'gpt-5.2'),
  target('openai-chat', 'openai', 'gpt-5.5'),
  target('openai-chat', 'azure', 'o3'),
  target('openai-chat', 'deepseek', 'deepseek-chat'),
  target('openai-chat', 'gemini', 'gemini-3-pro'),
  target('openai-chat', 'groq', 'llama-4'),
  target('openai-chat', 'mistral', 'mistral-large-latest'),
  target('openai-chat', 'moonshot', 'kimi-k3'),
  target('openai-chat', 'openrouter', 'z-ai/glm-5'),
  target('openai-chat', 'qwen', 'qwen3-coder-plus'),
  target('openai-chat', 'vllm', 'local'),
  target('openai-chat', 'xai', 'grok-5'),
  target('openai-chat', 'other', 'local'),
  target('openai-responses', 'openai', 'gpt-4.1'),
  target('openai-responses', 'openai', 'gpt-5'),
  target('openai-responses', 'openai', 'gpt-5.5'),
  target('openai-responses', 'openai', 'gpt-6'),
  target('openai-responses', 'openai', 'o3'),
]

export const targetsFrom = (source: WireName): readonly Target[] =>
  TARGETS.filter(({ wire }) => wire !== source)

export const nameOf = ({ vendor, model, wire }: Target): string => `${wire} ${vendor} ${model}`

/** The body in our own tongue; a test that gives a legal one wants no problem. */
export function read(wire: WireName, body: Body): ModelRequest {
  const result = FORMS[wire].readRequest(body)
  if (!result.ok) throw new Error(`Not read: ${result.problem.path}: ${result.problem.message}`)
  return result.request
}

export type Written = WrittenRequest & { readonly ok: true }

export function write(request: ModelRequest, to: Target): Written {
  const result = tryWrite(request, to)
  if (!result.ok) throw new Error(`Not written: ${result.problem.path}: ${result.problem.message}`)
  return result
}

export function tryWrite(request: ModelRequest, to: Target): WrittenRequest {
  return FORMS[to.wire].writeRequest(request, {
    model: to.model,
    isStream: request.isStream,
    profile: toProfile(to),
  })
}

/** What the target's API would refuse, after the body has been JSON as it is on the wire. */
export function judge(
  { body, headers }: Pick<Written, 'body'> & { headers?: Written['headers'] },
  to: Target,
): Finding[] {
  const json: unknown = JSON.parse(JSON.stringify(body))
  if (to.wire === 'anthropic-messages') return validateAnthropic(json, { headers: headers ?? {} })
  if (to.wire === 'openai-chat') return validateChat(json, { vendor: to.vendor })
  return validateResponses(json)
}

/** The conversation in a body, item by item. */
export function itemsOf(wire: WireName, body: Readonly<Body>): readonly unknown[] {
  const items = body[wire === 'openai-responses' ? 'input' : 'messages']
  return Array.isArray(items) ? items : [items]
}

export interface RequestFixture {
  readonly name: string
  readonly client: string
  readonly wire: WireName
  readonly headers?: Readonly<Record<string, string>>
  /** What it refers to is kept by a server: the field that says so. */
  readonly needs?: string
  readonly body: Body
}

const FOLDER = join(import.meta.dirname, '../fixtures/requests')

export const REQUESTS: readonly RequestFixture[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({
    ...(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as RequestFixture),
    name: file.replace('.json', ''),
  }))
