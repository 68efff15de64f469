import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadConfig, type Config } from './load.ts'

const cwd = mkdtempSync(join(tmpdir(), 'sluice-approvals-'))
afterAll(() => rmSync(cwd, { recursive: true }))

function load(yaml: string): Config {
  writeFileSync(join(cwd, 'sluice.yaml'), yaml)
  const env = { SLUICE_TOKEN: 'a-token-of-some-length', HOOK_SECRET: 'a-secret-of-the-hook' }
  return loadConfig({ env, cwd })
}

test('admin and approvals with all their keys', () => {
  const { settings } = load(`
admin: { token: "\${SLUICE_TOKEN}", url: "https://gateway.example/" }
approvals:
  deadline: 2m
  max: 10
  remember: conversation
  webhooks:
    - { url: "https://hooks.example/a?x=1", secret: "\${HOOK_SECRET}", decides: true }
    - { url: "http://127.0.0.1:9" }
`)
  expect(settings.admin).toEqual({
    token: 'a-token-of-some-length',
    url: 'https://gateway.example',
  })
  expect(settings.approvals).toEqual({
    deadline: 120_000,
    max: 10,
    remember: 'conversation',
    webhooks: [
      { url: 'https://hooks.example/a?x=1', secret: 'a-secret-of-the-hook', decides: true },
      { url: 'http://127.0.0.1:9/', secret: undefined, decides: false },
    ],
  })
})

test.each([
  ['admin: { token: short }', 'admin.token: it takes 16 characters at least'],
  ['admin: { token: "" }', 'admin.token: it is empty'],
  ['admin: { token: "${NOT_SET}" }', 'the variable NOT_SET is not set'],
  ['admin: { url: gateway }', 'admin.url: it is no http or https URL'],
  ['approvals: { deadline: 2h }', 'approvals.deadline: "2h" is too much'],
  ['approvals: { max: 0 }', 'approvals.max: it takes a whole number'],
  ['approvals: { remember: ever }', '"ever" is no time to remember: it takes once, conversation'],
  ['approvals: { webhooks: [] }', 'approvals.webhooks: it is empty'],
  ['approvals: { webhooks: [{ secret: a-secret-of-the-hook }] }', 'webhooks[0]: url is missing'],
])('%s is a mistake at its place', (yaml, words) => {
  expect(() => load(yaml)).toThrow(words)
})

test('a secret is in no message', () => {
  expect(() => load('admin: { token: "${SLUICE_TOKEN} " }')).toThrow(/^((?!a-token).)*$/s)
})

test('a deadline beyond what clients wait is warned of', () => {
  expect(load('approvals: { deadline: 10m }').warnings.join()).toMatch(/give up after 10m/)
  expect(load('approvals: { deadline: 9m }').warnings.join()).not.toMatch(/give up/)
})
