/**
 * The preset on calls of file tools and shells: its levels, and what a person can allow. The long list of evasions is in
 * `test/policies/evasions.test.ts`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeCall, openExchange } from '../../test/support/judge-call.ts'
import { codingAgent, codingAgentRules, type CodingAgentOptions } from './coding-agent.ts'

const decide = (name: string, args: object, options: CodingAgentOptions = {}) =>
  openExchange(codingAgent(options))(makeCall(name, args))

const run = (command: string, options: CodingAgentOptions = {}) =>
  decide('Bash', { command }, options).type

test('says which rule decided, and why', () => {
  expect(decide('Bash', { command: 'rm -rf ~' })).toEqual({
    type: 'deny',
    reason: 'This would delete far more than one thing: a root, a home or the whole workspace.',
    instead: 'Delete single files or folders by their names, inside the workspace.',
    tags: ['delete-broad'],
    details: { rule: 'delete-broad' },
  })
})

test('careful asks where strict denies', () => {
  const command = 'git reset --hard HEAD~3'
  expect([run(command), run(command, { level: 'strict' })]).toEqual(['ask', 'deny'])
})

test('what is denied anyway is not asked about', () => {
  const rule = (command: string) => decide('Bash', { command }).details?.['rule']
  expect(run('rm -rf /data/x')).toBe('ask')
  expect(rule('rm -rf /data/x; cat ~/.ssh/id_rsa')).toBe('secret-keys')
  expect(rule('sudo rm -rf /')).toBe('delete-broad')
})

test.each([
  ['Read', { file_path: '/home/me/.ssh/id_ed25519' }, 'deny'],
  ['Read', { file_path: '/home/me/project/.env' }, 'ask'],
  ['Read', { file_path: '/home/me/project/.env.example' }, 'pass'],
  ['Read', { file_path: '/home/me/project/src/env.ts' }, 'pass'],
  ['Write', { file_path: '/home/me/project/src/a.ts', content: 'rm -rf /' }, 'pass'],
  ['Write', { file_path: '/home/me/.bashrc', content: 'x' }, 'ask'],
  ['Write', { file_path: '/home/me/project/.git/hooks/pre-commit', content: 'x' }, 'ask'],
  ['Write', { file_path: '/home/me/other/a.ts', content: 'x' }, 'ask'],
  ['Write', { file_path: '/tmp/a.ts', content: 'x' }, 'pass'],
  [
    'Edit',
    { file_path: '/home/me/project/.claude/settings.json', old_string: 'a', new_string: 'b' },
    'ask',
  ],
  ['WebSearch', { query: 'rm -rf /' }, 'pass'],
])('a file tool is judged by its files: %s %o', (name, args, type) => {
  expect(decide(name, args).type).toBe(type)
})

describe('a person may allow', () => {
  test('paths', () => {
    const allowPaths = ['/data/cache/**', '**/.env.test.local']
    expect(run('rm -rf /data/cache/x')).toBe('ask')
    expect(run('rm -rf /data/cache/x', { allowPaths })).toBe('pass')
    expect(run('cat .env.test.local', { allowPaths })).toBe('pass')
    expect(run('cat .env', { allowPaths })).toBe('ask')
    expect(run('rm -rf /data/cache/../..', { allowPaths })).toBe('deny')
  })

  test('commands, each by itself', () => {
    const allowCommands = ['git push --force origin feature/*', 'docker system prune*']
    expect(run('git push -f')).toBe('ask')
    expect(run('docker system prune -f', { allowCommands })).toBe('pass')
    expect(run('docker system prune -f; rm -rf ~', { allowCommands })).toBe('deny')
    expect(run('docker system prune $(rm -rf ~)', { allowCommands })).toBe('deny')
  })

  test('branches', () => {
    const command = 'git push --force origin wip'
    expect([run(command), run(command, { sharedBranches: ['w*'] })]).toEqual(['pass', 'deny'])
    expect(run('git push --force origin main', { sharedBranches: [] })).toBe('pass')
  })

  test('whole rules, by name', () => {
    expect([run('sudo ls'), run('sudo ls', { off: ['other-user'] })]).toEqual(['ask', 'pass'])
  })

  test('tools', () => {
    expect(run('rm -rf /', { tools: ['other*'] })).toBe('pass')
  })

  test('nothing by a pattern that is none', () => {
    expect(() => codingAgent({ allowPaths: ['{a'] })).toThrow(/Cannot use the pattern "\{a"/)
  })
})

test('no two rules have one name, and all have words for both levels', () => {
  const rules = codingAgentRules()
  expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length)
  for (const { careful, strict } of rules) expect([careful, strict]).not.toEqual(['deny', 'ask'])
})

test('the documentation lists the rules as they are', () => {
  const page = readFileSync(
    join(import.meta.dirname, '../../docs/policies/coding-agent.md'),
    'utf8',
  )
  const rows = page.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' '))
  for (const { name, careful, strict, reason } of codingAgentRules())
    expect(rows).toContain(`| \`${name}\` | ${careful} | ${strict} | ${reason} |`)
})
