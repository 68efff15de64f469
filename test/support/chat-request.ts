/**
 * A request of ours with little in it, and what becomes of it towards a Chat server. Neighbours: the tests of
 * `src/wire/openai-chat/request-write*.ts`.
 */
import { expect } from 'vitest'
import { toProfile, type Profile, type Vendor } from '../../src/request/profile.ts'
import type { ModelRequest, Turn } from '../../src/request/request.ts'
import type { WriteOptions, WrittenRequest } from '../../src/request/write.ts'
import { writeRequest } from '../../src/wire/openai-chat/request-write.ts'

function ask(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    source: { wire: 'anthropic-messages', body: {} },
    model: 'asked',
    isStream: true,
    system: [],
    turns: [user('hi')],
    tools: [],
    toolChoice: undefined,
    isParallel: undefined,
    maxTokens: undefined,
    stop: [],
    sampling: {},
    reasoning: {},
    format: undefined,
    verbosity: undefined,
    user: undefined,
    metadata: undefined,
    cache: { key: undefined, mark: undefined },
    serviceTier: undefined,
    isStored: undefined,
    logprobs: undefined,
    lost: [],
    needed: [],
    ...fields,
  }
}

export const user = (text: string): Turn => ({ role: 'user', parts: [{ type: 'text', text }] })
export const assistant = (...parts: Turn['parts']): Turn => ({ role: 'assistant', parts })

export const call = (id: string, fields: object = {}): Turn['parts'][number] => ({
  type: 'tool-call',
  id,
  name: 'read',
  dialect: 'function',
  arguments: '{"a":1}',
  ...fields,
})

export const result = (callId: string, fields: object = {}): Turn['parts'][number] => ({
  type: 'tool-result',
  callId,
  dialect: 'function',
  parts: [{ type: 'text', text: `of ${callId}` }],
  isError: false,
  ...fields,
})

export interface TargetOptions extends Partial<Omit<WriteOptions, 'profile'>> {
  readonly vendor?: Vendor
  readonly profile?: Partial<Profile>
}

export function write(fields: Partial<ModelRequest>, options: TargetOptions = {}): WrittenRequest {
  const { vendor = 'openai', profile, ...rest } = options
  const model = options.model ?? (vendor === 'openai' ? 'gpt-4.1' : 'm')
  const base = toProfile({ wire: 'openai-chat', vendor, model })
  return writeRequest(ask(fields), {
    isStream: false,
    ...rest,
    model,
    profile: { ...base, ...profile },
  })
}

/** The body and what it lost, where it could be written. */
export function written(
  fields: Partial<ModelRequest>,
  options: TargetOptions = {},
): { body: Readonly<Record<string, unknown>>; losses: string[]; stop: readonly string[] } {
  const made = write(fields, options)
  if (!made.ok) expect.fail(`${made.problem.path}: ${made.problem.message}`)
  const losses = made.losses.map(({ kind, what }) => `${kind} ${what}`)
  return { body: made.body, losses, stop: made.stop }
}

/** The messages of it. */
export const messagesOf = (
  fields: Partial<ModelRequest>,
  options: TargetOptions = {},
): readonly unknown[] => written(fields, options).body['messages'] as unknown[]
