/**
 * What real agents send back after a call of theirs was denied, in the shapes that were seen on the wire, and what the
 * upstream then gets: the notice as a paragraph of its own, and no thought lost that its vendor would take back.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { install } from '../../src/policy/installed.ts'
import { definePolicy } from '../../src/policy/policy.ts'
import { deny, pass } from '../../src/policy/verdict.ts'
import { validateAnthropic } from '../support/api-rules-anthropic.ts'
import { validateResponses } from '../support/api-rules-responses.ts'
import { allTo, httpUpstream, PATHS, startTestGateway } from '../support/gateway.ts'
import type { TestGateway } from '../support/gateway.ts'
import { fetchRaw } from '../support/raw-client.ts'
import { reply, type Piece } from '../support/spoken.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

type Json = Record<string, unknown>

const noRm = definePolicy({
  name: 'no-rm',
  judge: (block) => (block.arguments.includes('rm -rf') ? deny('No deletion.') : pass()),
})
const RM: Piece = { call: 'exec_command', id: 'call_rm', args: '{"cmd":"rm -rf /"}' }
const LS: Piece = { call: 'exec_command', id: 'call_ls', args: '{"cmd":"ls"}' }

let upstream: TestUpstream
let gateway: TestGateway
beforeEach(async () => {
  upstream = await startUpstream()
})
afterEach(async () => {
  await gateway.close(0)
  await upstream.close()
})

async function start(wire: WireName, ...pieces: readonly Piece[]): Promise<void> {
  const up = httpUpstream(upstream.url, { wires: [wire], apiKey: 'k' })
  gateway = await startTestGateway(allTo(up), { policies: [install(noRm)] })
  upstream.answer((request) => reply(wire, { pieces }, request))
}

/** The data of all frames that the client gets. */
async function turn(wire: WireName, body: Json): Promise<readonly Json[]> {
  const answer = await fetchRaw(gateway.url + PATHS[wire], { body: JSON.stringify(body) })
  const text = answer.body.toString()
  expect([answer.status, answer.status === 200 || text]).toEqual([200, true])
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(String(json)) as Json)
}

const sent = (at: number): Json => JSON.parse(String(upstream.requests.at(at)?.body)) as Json

const codexTool = {
  type: 'function',
  name: 'exec_command',
  strict: false,
  parameters: { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] },
}

/** As Codex asks: everything said so far in full, each item with an id. */
const codexAsks = (...items: readonly unknown[]): Json => ({
  model: 'claude-sonnet-4-5',
  stream: true,
  store: false,
  include: ['reasoning.encrypted_content'],
  reasoning: { effort: 'medium', summary: 'auto' },
  tools: [codexTool],
  input: [
    { type: 'message', id: 'msg_u', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
    ...items,
  ],
})

/** As Codex keeps an answer: what the frames say that end an item. */
const codexKeeps = (frames: readonly Json[]): readonly Json[] =>
  frames
    .filter(({ type }) => type === 'response.output_item.done')
    .map(({ item }) => item as Json)
    .map((item) => (item['type'] === 'reasoning' ? { ...item, content: null } : item))

const claudeTool = { name: 'exec_command', input_schema: codexTool.parameters }

/** As Claude Code asks, with what was said before in turns. */
const claudeAsks = (...turns: readonly unknown[]): Json => ({
  model: 'claude-sonnet-4-5',
  max_tokens: 32_000,
  stream: true,
  thinking: { type: 'enabled', budget_tokens: 31_999 },
  tools: [claudeTool],
  messages: ['Go', ...turns].map((content, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content,
  })),
})

/** As Claude Code keeps an answer: the blocks of a Messages stream, put together. */
function blocksOf(frames: readonly Json[]): readonly Json[] {
  const blocks: Json[] = []
  for (const { type, index, content_block, delta } of frames) {
    if (type === 'content_block_start') blocks[Number(index)] = { ...(content_block as Json) }
    const block = blocks[Number(index)]
    if (type !== 'content_block_delta' || block === undefined) continue
    const { type: _type, partial_json, ...said } = delta as Record<string, string>
    for (const [key, text] of Object.entries(said)) block[key] = String(block[key] ?? '') + text
    if (partial_json) block['input'] = JSON.parse(partial_json)
  }
  return blocks
}

const codexRan = (call_id: string): Json => ({
  type: 'function_call_output',
  id: `fco_${call_id}`,
  call_id,
  output: 'Process exited with code 0',
})

describe('Codex on a Messages upstream', () => {
  test('keeps the thought of a turn of which only one call was denied', async () => {
    await start('anthropic-messages', { thinking: 'Two at once.', seal: 'c2lnbmVk' }, RM, LS)
    const kept = codexKeeps(await turn('openai-responses', codexAsks()))
    expect(kept.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call'])
    await turn('openai-responses', codexAsks(...kept, codexRan('call_ls')))
    const body = sent(1)
    expect(body['thinking']).toMatchObject(sent(0)['thinking'] as Json)
    const [, said] = body['messages'] as readonly { readonly content: readonly Json[] }[]
    expect(said?.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use'])
    expect(said?.content[0]).toMatchObject({ thinking: 'Two at once.', signature: 'c2lnbmVk' })
    expect(validateAnthropic(body, { isOwnSeal: (seal) => seal === 'c2lnbmVk' })).toEqual([])
  })
})

describe('Claude Code on a Responses upstream', () => {
  test('does not send the thought whose call was denied: its vendor wants them together', async () => {
    await start('openai-responses', { thinking: 'Two at once.', seal: 'gAAAAB' }, RM, LS)
    const content = blocksOf(await turn('anthropic-messages', claudeAsks()))
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use'])
    const result = { type: 'tool_result', tool_use_id: 'call_ls', content: 'ok', is_error: false }
    await turn('anthropic-messages', claudeAsks(content, [result]))
    const { input } = sent(1) as { readonly input: readonly Json[] }
    expect(input.map(({ type, role }) => role ?? type)).toEqual([
      'user',
      'assistant',
      'function_call',
      'function_call_output',
    ])
    expect(validateResponses(sent(1))).toEqual([])
  })

  test('sends the thought whose call passed', async () => {
    await start('openai-responses', { thinking: 'One.', seal: 'gAAAAB' }, LS)
    const content = blocksOf(await turn('anthropic-messages', claudeAsks()))
    const result = { type: 'tool_result', tool_use_id: 'call_ls', content: 'ok', is_error: false }
    await turn('anthropic-messages', claudeAsks(content, [result]))
    const { input } = sent(1) as { readonly input: readonly Json[] }
    expect(input.map(({ type }) => type)).toContain('reasoning')
  })
})

describe('in a history for Chat the notice is a paragraph of its own', () => {
  const NOTICE = /^I tidy up\.\n\n\[Sluice\] The call of the tool "exec_command" was not allowed/

  test('that Codex sends as a message beside another', async () => {
    await start('openai-chat', { text: 'I tidy up.' }, RM)
    const kept = codexKeeps(await turn('openai-responses', codexAsks()))
    expect(kept).toHaveLength(2)
    const next = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'On' }] }
    await turn('openai-responses', codexAsks(...kept, next))
    const { messages } = sent(1) as { readonly messages: readonly Json[] }
    expect(messages[1]).toMatchObject({ role: 'assistant' })
    expect(messages[1]?.['content']).toMatch(NOTICE)
  })

  test('that Claude Code sends as a text block behind another', async () => {
    await start('openai-chat', { text: 'I tidy up.' }, RM)
    const content = blocksOf(await turn('anthropic-messages', claudeAsks()))
    expect(content).toHaveLength(2)
    await turn('anthropic-messages', claudeAsks(content, 'On'))
    const [, said] = (sent(1) as { readonly messages: readonly Json[] }).messages
    expect(said?.['content']).toMatch(NOTICE)
  })
})
