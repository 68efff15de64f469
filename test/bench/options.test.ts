import { describe, expect, test } from 'vitest'
import { chooseModes, listModes, toGroups } from '../../bench/gateway/modes.ts'
import { readOptions, toOther } from '../../bench/gateway/options.ts'

describe('another gateway', () => {
  test('has a name and a command, which may hold further equals signs', () => {
    expect(toOther('other=KEY=1 proxy --port={port} {upstream}', ['x-a: {upstream}'])).toEqual({
      name: 'other',
      command: 'KEY=1 proxy --port={port} {upstream}',
      headers: ['x-a: {upstream}'],
    })
  })

  test.each(['proxy {port}', '=proxy {port}', 'other=', 'other=proxy'])('is not "%s"', (text) => {
    expect(() => toOther(text, [])).toThrow('--with')
  })

  test('can be given several times, and all get the headers', () => {
    const options = readOptions([
      '--with',
      'a=x {port}',
      '--with',
      'b=y {port}',
      '--header',
      'h: 1',
    ])
    expect(options).toMatchObject({
      others: [
        { name: 'a', headers: ['h: 1'] },
        { name: 'b', headers: ['h: 1'] },
      ],
    })
  })
})

test('everything is measured unless modes are named or the form is short', () => {
  expect(readOptions([])).toMatchObject({ parts: ['cost', 'memory', 'growth', 'fresh'], rounds: 7 })
  expect(readOptions(['--short'])).toMatchObject({ parts: ['cost'] })
  expect(readOptions(['--mode', 'gate,json'])).toMatchObject({
    modes: ['gate', 'json'],
    parts: ['cost'],
  })
  expect(readOptions(['--mode', 'gate', '--part', 'growth'])).toMatchObject({ parts: ['growth'] })
  expect(readOptions(['--streams', 'real'])).toMatchObject({ streams: 'real', parts: ['cost'] })
  expect(readOptions(['--help'])).toBe('help')
})

test.each([
  [['--wire', 'smtp'], '--wire'],
  [['--part', 'colour'], '--part'],
  [['--streams', 'real', '--part', 'memory'], '--streams'],
  [['--mode', 'sideways'], '"sideways"'],
  [['--rounds', 'many'], '--rounds'],
  [['--rounds', '0'], '--rounds'],
])('%j is refused', (args, named) => {
  expect(() => readOptions(args)).toThrow(named)
})

describe('modes', () => {
  test('cross in all six directions', () => {
    const cross = chooseModes({}).filter(({ from, to }) => from !== to)
    expect(new Set(cross.map(({ from, to }) => `${from} ${to}`)).size).toBe(6)
  })

  test('that are for those who name them are not in a full run', () => {
    const names = chooseModes({}).map(({ name }) => name)
    expect(names).not.toContain('gate-recording')
    expect(chooseModes({ names: ['gate-recording'] })).toMatchObject([{ to: 'anthropic-messages' }])
  })

  test('are measured on the wires that are asked for', () => {
    const modes = chooseModes({ names: ['gate', 'chat-to-messages'], wires: ['openai-chat'] })
    expect(modes.map(({ name, to }) => [name, to])).toEqual([['gate', 'openai-chat']])
  })

  test('share a pipe only where request and answer are the same', () => {
    const groups = toGroups(chooseModes({}))
    for (const { wire, kind, modes } of groups)
      for (const mode of modes) expect([mode.to, mode.kind]).toEqual([wire, kind])
    expect(groups.flatMap(({ modes }) => modes)).toHaveLength(chooseModes({}).length)
  })

  test('have names of their own and limits', () => {
    const all = listModes()
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
    for (const { limits } of all) expect(limits.fast).toBeGreaterThan(1)
  })
})
