/**
 * A judge from YAML: what it comes to, and that every mistake is told at its place.
 */
import { describe, expect, test } from 'vitest'
import type { Policy } from '../policy/policy.ts'
import { judge } from '../stock/judge/judge.ts'
import type { Reading } from './field.ts'
import { createNotes } from './notes.ts'
import { parseYaml } from './parse.ts'
import { judgeEntry } from './policy-judge.ts'
import { section } from './section.ts'

/** The policy of a file that holds only its keys. */
function read(yaml: string, env = {}): { policy: Policy | undefined; notes: string } {
  const notes = createNotes('sluice.yaml')
  const reading: Reading = { env, notes, readFile: () => undefined }
  const node = parseYaml(yaml, notes)
  if (node === undefined) throw new Error('no YAML')
  const spot = { node, path: 'policies[0]', keyPlace: node.place }
  const found = section(judgeEntry.shape).read(spot, reading)
  const policy = found === undefined ? undefined : judgeEntry.make(found, reading)
  return { policy, notes: notes.hasMistakes ? notes.toError().message : '' }
}

test('a model is enough', () => {
  const { policy, notes } = read('model: claude-haiku-4-5')
  expect(notes).toBe('')
  expect(policy).toMatchObject({ name: 'judge', holds: ['tool-call'], isEager: true })
  expect(policy?.version).toBe(judge({ model: 'claude-haiku-4-5' }).version)
})

test('all keys come to the same as the options in code', () => {
  const { policy, notes } = read(
    `
model: [a, b]
upstream: local
on: tool-call
tools: [Bash, mcp__*]
skip: Read
rules: No deletion.
prompt: "{{tool}} {{arguments}}"
turns: 3
context: 100
maxLength: 1000
denyAt: \${DENY}
askAt: 0.25
deadline: 5s
retries: 1
votes: 3
maxTokens: 500
temperature: 0.5
cache: { entries: 10, ttl: 1m }
price: { input: 0.8, output: 4 }
onFailure: ask
version: one
`,
    { DENY: '0.75' },
  )
  expect(notes).toBe('')
  const same = judge({
    model: ['a', 'b'],
    upstream: 'local',
    on: 'tool-call',
    tools: ['Bash', 'mcp__*'],
    skip: ['Read'],
    rules: 'No deletion.',
    prompt: '{{tool}} {{arguments}}',
    turns: 3,
    context: 100,
    maxLength: 1000,
    denyAt: 0.75,
    askAt: 0.25,
    deadline: 5000,
    retries: 1,
    votes: 3,
    maxTokens: 500,
    temperature: 0.5,
    cache: { entries: 10, ttl: 60_000 },
    price: { input: 0.8, output: 4 },
    onFailure: 'ask',
    version: 'one',
  })
  expect(policy?.version).toBe(same.version)
})

test('verdicts are kept, or not', () => {
  const version = (yaml: string) => read(`model: m\n${yaml}`).policy?.version
  expect(version('cache: true')).toBe(judge({ model: 'm' }).version)
  expect(version('cache: false')).toBe(judge({ model: 'm', cache: false }).version)
})

describe('a mistake is told at its place, with what to do', () => {
  test.each([
    ['on: text', '1:1 policies[0]: model is missing: the model that decides'],
    ['model: []', '1:8 policies[0].model: it is empty: it takes at least one'],
    ['model: m\ndenyAt: 50', '2:9 policies[0].denyAt: it takes a number from 0 to 1, not 50'],
    ['model: m\ndenyAt: high', '2:9 policies[0].denyAt: it takes a number from 0 to 1, not "high"'],
    ['model: m\naskAt: 0.5', '2:8 policies[0].askAt: it must be less than denyAt (0.5)'],
    [
      'model: m\nprompt: "{{tol}}"',
      '2:9 policies[0].prompt: there is no {{tol}}: it takes {{tool}}',
    ],
    ['model: m\nprompt: Fine?', '2:9 policies[0].prompt: {{arguments}} is missing'],
    ['model: [a, b]\nvotes: 1', '2:8 policies[0].votes: it must be 2 at least'],
    ['model: m\non: text\ntools: a', '3:8 policies[0].tools: it is for calls'],
    ['model: m\nprice: { input: 1 }', 'policies[0].price: output is missing'],
    ['model: m\ncache: 5', '2:8 policies[0].cache: it takes true or false'],
    ['model: m\ndeadlin: 5s', '2:1 policies[0].deadlin: there is no such key'],
  ])('%j', (yaml, message) => {
    const { policy, notes } = read(yaml)
    expect(notes).toContain(`sluice.yaml:${message.startsWith('policies') ? '' : message}`)
    expect(notes).toContain(message)
    if (!yaml.includes('deadlin:')) expect(policy).toBeUndefined()
  })
})
