/**
 * `check-arguments` from YAML: what it comes to, and that every mistake is told at its place.
 */
import { describe, expect, test } from 'vitest'
import { parseObject } from '../base/json.ts'
import type { BlockOf } from '../event/block.ts'
import type { Policy, PolicyContext } from '../policy/policy.ts'
import type { Reading } from './field.ts'
import { createNotes } from './notes.ts'
import { parseYaml } from './parse.ts'
import { checkArgumentsEntry } from './policy-check-arguments.ts'
import { section } from './section.ts'

function read(yaml: string): { policy: Policy | undefined; notes: string } {
  const notes = createNotes('sluice.yaml')
  const reading: Reading = { env: {}, notes, readFile: () => undefined }
  const node = parseYaml(yaml, notes)
  if (node === undefined) throw new Error('no YAML')
  const spot = { node, path: 'policies[0]', keyPlace: node.place }
  const found = section(checkArgumentsEntry.shape).read(spot, reading)
  const policy = found === undefined ? undefined : checkArgumentsEntry.make(found, reading)
  return { policy, notes: notes.hasMistakes ? notes.toError().message : '' }
}

/** The type of the verdict on a call of a tool that takes one number and nothing else. */
function judge(yaml: string, name: string, text: string): unknown {
  const schema = { properties: { n: { type: 'integer' } }, additionalProperties: false }
  const tools = ['count', 'mcp__count'].map((one) => ({ type: 'function', name: one, schema }))
  const value = parseObject(text)
  const call = {
    type: 'tool-call',
    name,
    dialect: 'function',
    arguments: text,
    isCut: false,
    parseArguments: () =>
      value === undefined ? { ok: false, reason: 'broken' } : { ok: true, value },
  } as unknown as BlockOf<'tool-call'>
  const request = { tools: () => tools, tool: (of: string) => tools.find((one) => one.name === of) }
  const { policy, notes } = read(yaml)
  expect(notes).toBe('')
  const verdict = policy?.judge?.(call, { request } as unknown as PolicyContext)
  return (verdict as { readonly type: string }).type
}

test('without keys it checks and puts right', () => {
  expect(judge('{}', 'count', '{"n":"1"}')).toBe('rewrite')
  expect(judge('{}', 'count', '{"n":1,"m":2}')).toBe('deny')
  expect(judge('{}', 'none', '{}')).toBe('deny')
})

test('all keys are read', () => {
  const yaml = `
repair: true
removeUnknown: true
unknownTools: pass
tools:
  - { name: "mcp__*", removeUnknown: false }
  - { name: [a, b], check: false }
  - { name: "*", repair: true }
`
  expect(judge(yaml, 'count', '{"n":1,"m":2}')).toBe('rewrite')
  expect(judge(yaml, 'mcp__count', '{"n":1,"m":2}')).toBe('deny')
  expect(judge(yaml, 'a', '{"n":')).toBe('pass')
  expect(judge(yaml, 'none', '{}')).toBe('pass')
})

describe('a mistake is told at its place', () => {
  test.each([
    ['repairs: true', 'sluice.yaml:1:1 policies[0].repairs: there is no such key'],
    ['repair: yes please', 'sluice.yaml:1:9 policies[0].repair: it takes true or false, not text'],
    [
      'unknownTools: drop',
      'policies[0].unknownTools: "drop" is no way with unknown tools: it takes deny, pass',
    ],
    ['tools:\n  - repair: false', 'policies[0].tools[0]: name is missing: the name of a tool'],
    [
      'tools:\n  - name: a',
      'policies[0].tools[0]: a setting is missing: give it check, repair, removeUnknown',
    ],
  ])('%s', (yaml, message) => {
    expect(read(yaml).notes).toContain(message)
  })
})
