import { describe, expect, test } from 'vitest'
import { complete } from './filter-complete.ts'
import { takeAll, takeBack, takeWhole } from './filter-draft.ts'

const seen = (name: string): readonly string[] =>
  name === 'tool' ? ['Bash', 'Read file'] : name === 'model' ? ['claude-sonnet'] : []
const offered = (typed: string, caret = typed.length): readonly string[] =>
  complete(typed, caret, seen).offers.map(({ text }) => text)

describe('What is offered', () => {
  test('are names first, then values that are in the list', () => {
    expect(offered('to')).toEqual(['tool:'])
    expect(offered('ba')).toEqual(['tool:Bash'])
    expect(offered('tool:')).toEqual(['tool:Bash', 'tool:"Read file"'])
    expect(offered('outcome:br')).toEqual(['outcome:broken'])
    expect(offered('hasTools:')).toEqual(['hasTools:true', 'hasTools:false'])
  })

  test('stands for the word at the caret only', () => {
    expect(complete('status:error to x', 15, seen)).toMatchObject({ start: 13, end: 15 })
    expect(offered('status:error to x', 15)).toEqual(['tool:'])
  })
})

describe('What is typed', () => {
  test('becomes a chip at the space behind a whole word', () => {
    expect(takeWhole({}, 'tool:Bash').filter).toEqual({})
    expect(takeWhole({}, 'tool:Bash rm')).toMatchObject({
      filter: { tool: 'Bash' },
      draft: { typed: 'rm', fault: undefined },
    })
  })

  test('stays in the field where it is wrong, and says so when one goes on', () => {
    expect(takeWhole({}, 'status:x').draft.fault).toBeUndefined()
    expect(takeWhole({}, 'status:x ').draft).toMatchObject({
      typed: 'status:x ',
      fault: { start: 0 },
    })
    expect(takeAll({ key: 'a' }, 'rm status:x -rf')).toMatchObject({
      filter: { key: 'a', text: 'rm -rf' },
      draft: { typed: 'status:x', fault: { start: 0 } },
    })
  })

  test('can be a chip again that is taken back to be changed', () => {
    expect(takeBack({ tool: 'a b', key: 'k' }, 'tool', '')).toMatchObject({
      filter: { key: 'k' },
      draft: { typed: 'tool:"a b"' },
    })
  })
})
