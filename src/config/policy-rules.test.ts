/**
 * Rules from YAML: what they come to, and that every mistake is told at its place.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeCall, openExchange } from '../../test/support/judge-call.ts'
import type { Policy } from '../policy/policy.ts'
import type { Reading } from './field.ts'
import { createNotes } from './notes.ts'
import { parseYaml } from './parse.ts'
import { rulesEntry } from './policy-rules.ts'
import { section } from './section.ts'

/** The policy of a file that holds only its keys. */
function read(yaml: string, env = {}): { policy: Policy | undefined; notes: string } {
  const notes = createNotes('sluice.yaml')
  const reading: Reading = { env, notes, readFile: () => undefined }
  const node = parseYaml(yaml, notes)
  if (node === undefined) throw new Error('no YAML')
  const spot = { node, path: 'policies[0]', keyPlace: node.place }
  const found = section(rulesEntry.shape).read(spot, reading)
  const policy = found === undefined ? undefined : rulesEntry.make(found, reading)
  return { policy, notes: notes.hasMistakes ? notes.toError().message : '' }
}

test('the example of the design makes a policy', () => {
  const { policy, notes } = read(`
deny:
  - when: tool.name == "Bash" && shell.commands.exists(c, c.name == "rm" && c.flags.exists(f, f == "-rf"))
    reason: Deleting recursively is not allowed here.
`)
  expect(notes).toBe('')
  expect(policy).toMatchObject({ name: 'rules', holds: ['tool-call'] })
})

test('all keys are read, and the order of the file is that of the rules', () => {
  const { policy, notes } = read(`
tag: [{ when: true, tags: seen, count: calls }]
allow: [{ tools: [Read, 'mcp__*'], name: reading }]
rewrite: [{ when: counters.calls > 3, set: { timeout: 5, note: '"a" + "b"', gone: null, on: true } }]
redact: [{ patterns: ['sk-[a-z]+'], with: '', on: text }]
ask: [{ when: 'true', reason: Really? }]
rules: [{ action: deny, when: 'true', reason: No, instead: Ask }]
`)
  expect(notes).toBe('')
  expect(policy?.holds).toEqual(['tool-call', 'text', 'refusal'])
})

test('the example of the documentation does what it says', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/policies/rules.md'), 'utf8')
  const [, yaml = ''] = /```yaml\npolicies:\n {2}- use: rules\n([^`]+)```/.exec(page) ?? []
  const { policy, notes } = read(yaml.replaceAll(/^ {4}/gm, ''))
  expect(notes).toBe('')
  if (policy === undefined) return
  const judge = openExchange(policy)
  const run = (command: string) => judge(makeCall('Bash', { command })).type
  expect(
    ['ls -la', 'rm -r build', 'echo a > /etc/b', 'npm test'].map((command) => run(command)),
  ).toEqual(['pass', 'deny', 'ask', 'rewrite'])
  expect(judge(makeCall('mcp__github__push', {})).type).toBe('deny')
})

describe('a mistake', () => {
  test('in an expression has file, line, the expression, a caret and a hint', () => {
    const { policy, notes } = read(
      'deny:\n  - when: tool.name == "a" && shel.isUsed\n    reason: no\n',
    )
    expect(policy).toBeUndefined()
    expect(notes).toBe(
      [
        'sluice.yaml:2:11 policies[0].deny[0].when: there is no variable "shel": did you mean shell?; text stands in quotes',
        '    tool.name == "a" && shel.isUsed',
        '                        ^',
      ].join('\n'),
    )
  })

  test.each([
    ['deny:\n  - { when: "true" }', ':2:5 policies[0].deny[0]: reason is missing'],
    ['deny:\n  - { reason: "true" }', ':2:5 policies[0].deny[0]: when is missing'],
    ['deny:\n  - { wen: "true", reason: a }', 'there is no such key: it takes'],
    ['deny: []', 'deny: it is empty'],
    ['{}', 'there is no rule in it: it takes deny, ask,'],
    ['rules: [{ when: "true" }]', 'rules[0]: action is missing'],
    ['rules: [{ action: kill, when: "true" }]', '"kill" is no action: it takes deny'],
    [
      'rewrite:\n  - when: "true"\n    set:\n      command: 1 +',
      ':4:16 policies[0].rewrite[0].set.command: it ends too early',
    ],
    [
      'redact:\n  - patterns: [ok, "("]',
      ':2:20 policies[0].redact[0].patterns[1]: it is no RE2 pattern',
    ],
    ['deny: [{ when: "tool.name.matches(\'a\')", reason: a }]', 'use re(text, pattern)'],
    ['deny: [{ when: "true", reason: a, on: image }]', '"image" is no kind of block'],
    ['deny: [{ when: 5, reason: a }]', 'it takes a CEL expression'],
  ])('is told at its place: %j', (yaml, words) => {
    const { policy, notes } = read(yaml)
    expect(policy).toBeUndefined()
    expect(notes).toContain(words)
  })

  test('shows nothing that came from a variable', () => {
    const { notes } = read('deny: [{ when: "${X}", reason: a }]', { X: 'tool.name == secret' })
    expect(notes).toContain('there is no variable')
    expect(notes.split('\n')).toHaveLength(1)
  })
})
