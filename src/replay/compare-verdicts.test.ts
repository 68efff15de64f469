import { describe, expect, test } from 'vitest'
import { sampleVerdict } from '../../test/support/records.ts'
import type { VerdictRecord } from '../policy/policy.ts'
import { compareVerdicts, UNJUDGED } from './compare-verdicts.ts'

type Said = Partial<VerdictRecord>

const compare = (then: readonly Said[], now: readonly Said[], refused = [false, false]) =>
  compareVerdicts(
    { verdicts: then.map(sampleVerdict), isRefused: refused[0] ?? false },
    { verdicts: now.map(sampleVerdict), isRefused: refused[1] ?? false },
  )

const kindsOf = (...of: Parameters<typeof compare>): readonly string[] =>
  compare(...of).changes.map(({ kind }) => kind)

const PASS: Said = { type: 'pass', reason: undefined }
const DENY: Said = { type: 'deny', delivered: 'No.' }
const HALT: Said = { type: 'halt' }
const REWRITE: Said = { type: 'rewrite', delivered: '{"a":1}' }
const OTHER: Said = { type: 'replace', delivered: 'Something else' }
const ASKED: Said = { type: 'pass', details: { ticket: 'A1' } }
const ASKED_DENIED: Said = { type: 'deny', details: { ticket: 'A1' } }
const FAILED_CLOSED: Said = { type: 'error', delivered: 'It failed' }
const FAILED_OPEN: Said = { type: 'error', delivered: undefined }

describe('one block', () => {
  test.each([
    ['passes then and now', PASS, PASS, undefined],
    ['is denied then and now', DENY, DENY, undefined],
    ['is denied then and halted now', DENY, HALT, undefined],
    ['passes then and is denied now', PASS, DENY, 'newly-denied'],
    ['passes then and halts now', PASS, HALT, 'newly-denied'],
    ['passes then and fails closed now', PASS, FAILED_CLOSED, 'newly-denied'],
    ['passes then and fails open now', PASS, FAILED_OPEN, undefined],
    ['is denied then and passes now', DENY, PASS, 'newly-passed'],
    ['is denied then and rewritten now', DENY, REWRITE, 'newly-passed'],
    ['is denied then and asked now', DENY, ASKED, 'newly-asked'],
    ['passes then and is asked now', PASS, ASKED, 'newly-asked'],
    ['is asked then and now, whatever was said', ASKED_DENIED, ASKED, undefined],
    ['is asked then and passes now', ASKED, PASS, 'no-longer-asked'],
    ['is denied by a person then and passes now', ASKED_DENIED, PASS, 'newly-passed'],
    ['is denied by a person then and by a rule now', ASKED_DENIED, DENY, undefined],
    ['passes a person then and is denied now', ASKED, DENY, 'newly-denied'],
    ['is rewritten alike', REWRITE, REWRITE, undefined],
    ['is rewritten in another way', REWRITE, { ...REWRITE, delivered: '{}' }, 'rewritten'],
    ['is replaced in place of rewritten', REWRITE, OTHER, 'rewritten'],
    ['passes then and is rewritten now', PASS, REWRITE, 'rewritten'],
    ['is rewritten then and passes now', REWRITE, PASS, 'no-longer-rewritten'],
  ])('%s', (_, then, now, expected) => {
    expect(kindsOf([then], [now])).toEqual(expected === undefined ? [] : [expected])
  })
})

test('of several policies the strictest counts', () => {
  expect(kindsOf([PASS, DENY], [DENY, PASS])).toEqual([])
  expect(kindsOf([PASS, PASS], [PASS, DENY])).toEqual(['newly-denied'])
})

test('blocks are told apart by their place, and not by their ids', () => {
  const at = (index: number, said: Said): Said => ({
    ...said,
    block: { type: 'tool-call', id: `made-up-${Math.random()}`, index, name: 'Bash' },
  })
  expect(kindsOf([at(0, PASS), at(1, DENY)], [at(1, DENY), at(0, PASS)])).toEqual([])
  expect(kindsOf([at(0, PASS), at(1, DENY)], [at(0, DENY), at(1, PASS)])).toEqual([
    'newly-denied',
    'newly-passed',
  ])
})

test('what nobody says anything of has passed', () => {
  expect(kindsOf([DENY], [])).toEqual(['newly-passed'])
  expect(kindsOf([], [DENY])).toEqual(['newly-denied'])
  expect(kindsOf([PASS], [])).toEqual([])
})

test('what was never reached is not compared', () => {
  const second: Said['block'] = { type: 'tool-call', id: 'b', index: 1, name: 'Bash' }
  const request: Said = { ...DENY, block: undefined }
  expect(kindsOf([HALT], [PASS, { ...DENY, block: second }])).toEqual(['newly-passed'])
  expect(kindsOf([PASS, { ...DENY, block: second }], [HALT])).toEqual(['newly-denied'])
  expect(kindsOf([DENY], [request], [false, true])).toEqual(['newly-denied'])
})

test('verdicts in shadow are no decisions', () => {
  expect(kindsOf([PASS], [{ ...DENY, isShadow: true }])).toEqual([])
})

test('what was not judged is counted and not compared', () => {
  const unjudged: Said = { ...PASS, details: { [UNJUDGED]: true } }
  expect(compare([DENY], [unjudged])).toEqual({ changes: [], same: 0, unjudged: 1 })
})

test('a policy that failed on a request has refused it if it was refused', () => {
  const failed: Said = { type: 'error', block: undefined, delivered: undefined }
  expect(kindsOf([failed], [], [true, false])).toEqual(['newly-passed'])
  expect(kindsOf([failed], [], [false, false])).toEqual([])
})
