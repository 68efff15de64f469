/**
 * The preset from YAML: what its keys come to, and that mistakes are told at their place.
 */
import { expect, test } from 'vitest'
import { makeCall, openExchange } from '../../test/support/judge-call.ts'
import type { Policy } from '../policy/policy.ts'
import type { Reading } from './field.ts'
import { createNotes } from './notes.ts'
import { parseYaml } from './parse.ts'
import { codingAgentEntry } from './policy-coding-agent.ts'
import { section } from './section.ts'

function read(yaml: string): { policy: Policy | undefined; notes: string } {
  const notes = createNotes('sluice.yaml')
  const reading: Reading = { env: {}, notes, readFile: () => undefined }
  const node = parseYaml(yaml, notes)
  if (node === undefined) throw new Error('There is no YAML')
  const spot = { node, path: 'policies[0]', keyPlace: node.place }
  const found = section(codingAgentEntry.shape).read(spot, reading)
  const policy = found === undefined ? undefined : codingAgentEntry.make(found, reading)
  return { policy, notes: notes.hasMistakes ? notes.toError().message : '' }
}

function run(yaml: string, command: string): string {
  const { policy, notes } = read(yaml)
  if (policy === undefined) throw new Error(notes)
  return openExchange(policy)(makeCall('Bash', { command })).type
}

test('its keys change what it says', () => {
  expect(run('{}', 'git reset --hard')).toBe('ask')
  expect(run('level: strict', 'git reset --hard')).toBe('deny')
  expect(run('off: history', 'git reset --hard')).toBe('pass')
  expect(run('allowCommands: [git reset --hard]', 'git reset --hard')).toBe('pass')
  expect(run('allowPaths: /data/**', 'rm -rf /data/x')).toBe('pass')
  expect(run('sharedBranches: [wip]', 'git push -f origin wip')).toBe('deny')
  expect(run('tools: [Read]', 'rm -rf /')).toBe('pass')
})

test.each([
  ['level: lax', '"lax" is no level: it takes careful, strict'],
  ['off: histry', '"histry" is no rule: it takes'],
  ['allowPaths: ["ok", "{a"]', 'policies[0].allowPaths[1]: it is no glob: missing closing )'],
  ['levl: strict', 'there is no such key: it takes level'],
])('a mistake is told at its place: %s', (yaml, words) => {
  const { policy, notes } = read(yaml)
  expect(policy).toBeUndefined()
  expect(notes).toContain(words)
})
