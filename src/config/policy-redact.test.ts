/**
 * `redact` from YAML: what it comes to, and that every mistake is told at its place.
 */
import { expect, test } from 'vitest'
import { human, requestOf, runPolicy } from '../../test/support/stock-policy.ts'
import type { Policy } from '../policy/policy.ts'
import type { Reading } from './field.ts'
import { createNotes } from './notes.ts'
import { parseYaml } from './parse.ts'
import { redactEntry } from './policy-redact.ts'
import { section } from './section.ts'

function read(yaml: string): { policy: Policy | undefined; notes: string } {
  const notes = createNotes('sluice.yaml')
  const reading: Reading = { env: { DB_PASSWORD: 'hunter2!' }, notes, readFile: () => undefined }
  const node = parseYaml(yaml, notes)
  if (node === undefined) throw new Error('no YAML')
  const spot = { node, path: 'policies[0]', keyPlace: node.place }
  const found = section(redactEntry.shape).read(spot, reading)
  const policy = found === undefined ? undefined : redactEntry.make(found, reading)
  return { policy, notes: notes.hasMistakes ? notes.toError().message : '' }
}

async function hide(yaml: string, text: string): Promise<string | undefined> {
  const { policy, notes } = read(yaml)
  expect(notes).toBe('')
  if (policy === undefined) throw new Error('No policy')
  const verdict = await policy.onRequest?.(requestOf([human(text)]), runPolicy(policy).ctx)
  const part = verdict?.type === 'change' ? verdict.request.turns[0]?.parts[0] : undefined
  return part?.type === 'text' ? part.text : undefined
}

test('nothing said hides secrets, addresses and cards', async () => {
  expect(await hide('{}', `ghp_${'a1'.repeat(18)} bob@example.com 4111111111111111`)).toBe(
    '[redacted:github-token] [redacted:email] [redacted:card]',
  )
})

test('all keys together', async () => {
  const yaml = `
find: [phones]
patterns:
  ticket: ACME-[0-9]{4}
  pin: { pattern: 'pin=(?P<secret>[0-9]+)', max: 16 }
words: ['\${DB_PASSWORD}', Falcon]
replacement: 'my <{kind} {number}>'
pseudonyms: true
restore: true
in: requests
system: true
`
  const text = 'ACME-1234 pin=99 hunter2! Falcon +49 171 2345678 bob@example.com'
  expect(await hide(yaml, text)).toBe(
    'my <ticket 1> pin=my <pin 1> my <word 1> my <word 2> my <phone 1> bob@example.com',
  )
  expect(read(yaml).policy?.onChunk).toBeUndefined()
})

test.each([
  ['find: [secret]', '1:8 policies[0].find[0]: "secret" is no group'],
  ['patterns: { x: "a(" }', '1:16 policies[0].patterns.x: it is no RE2 pattern'],
  ['patterns: { x: { pattern: "a*" } }', 'patterns.x.pattern: it takes the empty text'],
  ['patterns: { x: { max: 5 } }', 'policies[0].patterns.x: pattern is missing'],
  ['patterns: { X: a }', 'policies[0].patterns.X: it is no name'],
  ['patterns: { x: "(?P<secret>a)b*" }', 'must always be as long'],
  ['patterns: { x: { pattern: "a.*b", max: 9000 } }', 'it takes a whole number from 1 to 8192'],
  ['patterns: { x: { pattern: "a.*b", max: 8000 } }', 'it may hold back'],
  ['words: [ab]', 'policies[0].words[0]: it takes 3 characters at least'],
  ['words: ["${NOTHING}"]', 'the variable NOTHING is not set'],
  ['{ replacement: x, restore: true }', '1:16 policies[0].replacement: marks that are told apart'],
  ['replacement: "<{number}>"', 'set pseudonyms: true'],
  ['in: [request]', 'did you mean requests?'],
  ['system: 1', 'it takes true or false'],
])('%s is a mistake at its place', (yaml, words) => {
  expect(read(yaml).notes).toContain(words)
})

test('what is not right makes no policy', () => {
  expect(read('patterns: { x: "a(" }').policy).toBeUndefined()
  expect(read('{ replacement: x, restore: true }').policy).toBeUndefined()
})
