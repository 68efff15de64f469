import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hasOwnCredential } from './run-logins.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-logins-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(join(home, file)), { recursive: true })
  writeFileSync(join(home, file), text)
}

test('a person without anything has no credential', () => {
  for (const client of ['claude', 'codex', 'opencode', 'qwen', 'constructor'])
    expect(hasOwnCredential(client, 'openai-chat', { env: {}, home })).toBe(false)
})

test.each([
  ['claude', 'anthropic-messages', 'ANTHROPIC_API_KEY'],
  ['claude', 'anthropic-messages', 'ANTHROPIC_AUTH_TOKEN'],
  ['claude', 'anthropic-messages', 'CLAUDE_CODE_OAUTH_TOKEN'],
  ['codex', 'openai-responses', 'OPENAI_API_KEY'],
  ['mine', 'openai-chat', 'OPENAI_API_KEY'],
] as const)('%s on %s knows %s', (client, wire, name) => {
  expect(hasOwnCredential(client, wire, { env: { [name]: 'x' }, home })).toBe(true)
  expect(hasOwnCredential(client, wire, { env: { [name]: '' }, home })).toBe(false)
})

test('the key of one vendor is none for the other', () => {
  const env = { OPENAI_API_KEY: 'x' }
  expect(hasOwnCredential('mine', 'anthropic-messages', { env, home })).toBe(false)
})

test.each([
  ['claude', 'anthropic-messages', '.claude/.credentials.json', '{"x":{"accessToken":"y"}}'],
  ['claude', 'anthropic-messages', '.claude.json', '{"oauthAccount":{}}'],
  ['claude', 'anthropic-messages', '.claude/settings.json', '{"apiKeyHelper":"x"}'],
  ['codex', 'openai-responses', '.codex/auth.json', '{"tokens":{"id_token":"x"}}'],
  ['opencode', 'openai-responses', '.local/share/opencode/auth.json', '{"openai":{}}'],
] as const)('%s on %s knows the login in %s', (client, wire, file, text) => {
  write(file, '{}')
  expect(hasOwnCredential(client, wire, { env: {}, home })).toBe(false)
  write(file, text)
  expect(hasOwnCredential(client, wire, { env: {}, home })).toBe(true)
})

test('a client that keeps its files elsewhere is looked up there', () => {
  write('elsewhere/.credentials.json', '{"accessToken":"y"}')
  const env = { CLAUDE_CONFIG_DIR: join(home, 'elsewhere') }
  expect(hasOwnCredential('claude', 'anthropic-messages', { env, home })).toBe(true)
})
