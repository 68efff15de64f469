/**
 * Rules on made-up calls: what matches, what that comes to, and that whatever goes wrong denies.
 */
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import {
  makeCall as call,
  makeText as textBlock,
  openExchange,
} from '../../../test/support/judge-call.ts'
import type { CallFacts } from '../../facts/facts.ts'
import type { Verdict } from '../../policy/verdict.ts'
import { createRules } from './create-rules.ts'
import type { FactsReader } from './findings.ts'
import type { RuleLists } from './rule.ts'

const NO_FACTS: CallFacts = {
  shell: { isUsed: false, text: '', commands: [], pipes: [], isParsed: true, isOpaque: false },
  files: { read: [], written: [], deleted: [], outside: [], workspace: '' },
}

const makeReader = (facts: CallFacts = NO_FACTS) => ({
  readFacts: vi.fn<FactsReader['readFacts']>(() => facts),
  findWorkspace: vi.fn<FactsReader['findWorkspace']>(() => '/home/me/project'),
})

const rmFacts: CallFacts = {
  ...NO_FACTS,
  shell: {
    ...NO_FACTS.shell,
    isUsed: true,
    text: 'ls; rm -rf build',
    commands: ['ls', 'rm -rf build'].map((text) => ({
      name: text.split(' ')[0] ?? '',
      path: text.split(' ')[0] ?? '',
      args: text.split(' ').slice(1),
      flags: text.includes('-rf') ? ['-rf', '-r', '-f'] : [],
      paths: [],
      redirects: [],
      isElevated: false,
      text,
    })),
  },
}

/** One exchange: all blocks of it share state and memory. */
function open(lists: RuleLists, reader: FactsReader = makeReader()) {
  const policy = createRules({ name: 'rules', lists, reader })
  return { policy, judge: openExchange(policy) }
}

type TestBlock = Parameters<ReturnType<typeof openExchange>>[0]

const one = (when: string, block: TestBlock = call('Bash', { command: 'ls' })): Verdict =>
  open({ deny: [{ when, reason: 'no' }] }).judge(block)

describe('a condition', () => {
  test.each([
    'tool.name == "Bash"',
    'tool.args.command == "ls"',
    'tool.args["command"].startsWith("l")',
    'tool.text.contains("command")',
    'tool.dialect == "function"',
    're(tool.args.command, "^l.$")',
    'tool.args.command.re("(?i)LS")',
    '"Bash" in request.tools',
    'tool.name in ["Bash", "Read"] && !(tool.name in ["Read"]) && tool.args.command in ["a", "ls"]',
    'request.turns == 0',
    'request.isStream && request.model.startsWith("claude-")',
    'request.route == "claude-*" && request.conversation == "conversation"',
    'client.key == "team"',
    'has(tool.args.command) && !has(tool.args.cwd)',
    '!shell.isUsed && files.written.size() == 0',
    '"/a/b/.env.local".glob("**/.env*") && !"/a/env".glob("**/.env*")',
    '"/A/.ENV".glob("/a/.env") && !"/a/b/c".glob("/a/*") && "x.{js".glob("x.?j{s,t}")',
    '"/a/b".isUnder("/a") && "/a".isUnder("/a") && !"/ab".isUnder("/a")',
    'tool.args.missing == "x" || tool.name == "Bash"',
  ])('holds: %s', (when) => {
    expect(one(when)).toEqual({ type: 'deny', reason: 'no', details: { rule: 'deny[0]' } })
  })

  test.each([
    'tool.name == "bash"',
    'tool.args.missing == "x"',
    'tool.args.missing in ["a", "b"]',
    '!(tool.args.missing == "x")',
    'tool.args.deeper.missing == 1',
    'tool.namespace == "x"',
    'client.agent == "x"',
    'request.upstream == "x"',
    'shell.commands[0].name == "rm"',
    'shell.commands.exists(c, c.name == "rm")',
  ])('does not hold, and a missing field means no match: %s', (when) => {
    expect(one(when)).toEqual({ type: 'pass' })
  })

  test.each([
    ['tool.args.n.contains("x")', 'no_matching_overload'],
    ['tool.args.n > 1 && tool.args.s > 1', 'no_such_overload'],
    ['tool.args.s', 'no_condition'],
    ['tool.args.nothing', 'no_condition'],
    ['int(tool.args.s) == 1', 'int_conversion_error'],
  ])('that cannot be evaluated denies: %s', (when, error) => {
    const verdict = one(when, call('T', { n: 5, s: 'text', nothing: null }))
    expect(verdict).toMatchObject({ type: 'deny', details: { rule: 'deny[0]', error } })
    expect(verdict.reason).toContain('Rule deny[0] could not be evaluated')
  })

  test('sees parsed commands', () => {
    const { judge } = open(
      {
        deny: [
          {
            when: 'tool.name == "Bash" && shell.commands.exists(c, c.name == "rm" && "-r" in c.flags)',
            reason: 'Deleting recursively is not allowed here.',
          },
        ],
      },
      makeReader(rmFacts),
    )
    expect(judge(call('Bash', { command: 'ls; rm -rf build' })).type).toBe('deny')
  })

  test('that ends before it names facts does not have them read, and they are read once', () => {
    const reader = makeReader(rmFacts)
    const { judge } = open(
      {
        tag: [{ when: 'tool.name == "Bash" && shell.isUsed', tags: ['shell'] }],
        deny: [{ when: 'tool.name == "Bash" && files.read.size() > 0', reason: 'no' }],
      },
      reader,
    )
    judge(call('Read', {}))
    expect(reader.readFacts).not.toHaveBeenCalled()
    judge(call('Bash', {}))
    judge(call('Bash', {}))
    expect(reader.readFacts).toHaveBeenCalledTimes(2)
    expect(reader.readFacts.mock.lastCall?.[1]).toEqual({ workspace: '/home/me/project' })
    expect(reader.findWorkspace).toHaveBeenCalledTimes(1)
  })
})

describe('arguments made to mislead', () => {
  test.each(['constructor', '__proto__', 'prototype', 'hasOwnProperty', 'toString'])(
    'a field %s hides no other',
    (key) => {
      const text = `{"command":"rm","${key}":"x","in":{"${key}":{},"deep":1}}`
      const block = call('Bash', text, { args: () => JSON.parse(text) as Record<string, unknown> })
      // A denial with an error would be one too, and would stop harmless calls.
      expect(one('tool.args.command == "rm" && tool.args["in"].deep == 1', block)).toMatchObject({
        details: { rule: 'deny[0]' },
        reason: 'no',
      })
    },
  )

  test('that are no JSON deny wherever a rule asks for them, and only there', () => {
    const broken = call('Bash', '{"command": "rm')
    for (const when of [
      'tool.args.command == "x"',
      'shell.isUsed',
      'files.read.size() > 5',
      'has(tool.args.x) || true',
    ])
      expect(one(when, broken)).toMatchObject({
        type: 'deny',
        details: { error: 'unreadable_arguments' },
      })
    expect(one('tool.name == "Read"', broken)).toEqual({ type: 'pass' })
    expect(one('tool.text.contains("zip")', broken)).toEqual({ type: 'pass' })
  })

  test('that are free text have no fields, and are no mistake', () => {
    const free = call('exec', 'anything', { dialect: 'custom' })
    expect(one('tool.args.command == "x"', free)).toEqual({ type: 'pass' })
    expect(one('tool.text == "anything"', free).type).toBe('deny')
  })

  test('a list too long for its loops denies, also where the other side of || is true', () => {
    const long = call('T', { list: Array.from({ length: 1000 }, (_, at) => at) })
    const loop = 'tool.args.list.exists(a, tool.args.list.exists(b, a + b < 0.0))'
    for (const when of [loop, `${loop} || tool.name == "T"`, `!${loop}`])
      expect(one(when, long)).toMatchObject({ type: 'deny', details: { error: 'limit' } })
    expect(one('tool.args.list.exists(a, a > 900)', long).type).toBe('deny')
  })
})

describe('an action', () => {
  const block = call('Bash', { command: 'git push --force', timeout: 5 })
  const decide = (lists: RuleLists, on: TestBlock = block) => open(lists).judge(on)

  test('the first match decides, in the order of the file', () => {
    const allow = [{ when: 'tool.name == "Bash"', name: 'exception' }]
    const deny = [{ when: 'true', reason: 'no', instead: 'Open a pull request.' }]
    expect(decide({ allow, deny })).toEqual({ type: 'pass', details: { rule: 'exception' } })
    expect(decide({ deny, allow })).toMatchObject({ type: 'deny', instead: 'Open a pull request.' })
  })

  test('one list holds rules of all kinds', () => {
    const verdict = decide({
      rules: [
        { action: 'tag', when: 'true', tags: ['seen'] },
        { action: 'ask', when: 'tool.args.command.contains("--force")', reason: 'Really push?' },
        { action: 'deny', when: 'true', reason: 'never reached' },
      ],
    })
    expect(verdict).toEqual({
      type: 'ask',
      question: 'Really push?',
      reason: 'Really push?',
      tags: ['seen'],
      details: { rule: 'rules[1]' },
    })
  })

  test('tags go on, and stand on a pass', () => {
    expect(
      decide({
        tag: [
          { when: 'true', tags: ['a', 'b'] },
          { when: 'true', tags: ['c'] },
        ],
      }),
    ).toEqual({ type: 'pass', tags: ['a', 'b', 'c'] })
  })

  test('rewrite sets arguments by expressions and literals, and leaves the rest', () => {
    const set = {
      command: '"echo " + tool.args.command',
      timeout: 10,
      count: '1 + 1',
      list: '[1, "a"]',
      map: '{"a": {"b": true}}',
    }
    expect(decide({ rewrite: [{ when: 'true', set }] })).toMatchObject({
      type: 'rewrite',
      args: {
        command: 'echo git push --force',
        timeout: 10,
        count: 2,
        list: [1, 'a'],
        map: { a: { b: true } },
      },
    })
  })

  test('rewrite with a missing field is no match, with any other error it denies', () => {
    expect(decide({ rewrite: [{ when: 'true', set: { a: 'tool.args.no' } }] })).toEqual({
      type: 'pass',
    })
    const set = { a: 'tool.args.timeout + "s"' }
    expect(decide({ rewrite: [{ when: 'true', set }] }).type).toBe('deny')
    expect(decide({ rewrite: [{ when: 'true', set: { a: 'b"x"' } }] })).toMatchObject({
      type: 'deny',
      details: { error: 'no_json' },
    })
  })

  test('rewrite of free text and of text sets the whole', () => {
    const rewrite = [{ when: 'true', set: { text: 'tool.text + "!"' } }]
    expect(decide({ rewrite }, call('exec', 'go', { dialect: 'custom' }))).toMatchObject({
      type: 'rewrite',
      args: 'go!',
    })
    const onText = [
      { on: 'text' as const, when: 'true', set: { text: '"(" + text.content + ")"' } },
    ]
    expect(decide({ rewrite: onText }, textBlock('hi'))).toMatchObject({
      type: 'replace',
      blocks: [{ type: 'text', text: '(hi)' }],
    })
  })

  test('redact masks in all texts of the arguments, and is no match where there is none', () => {
    const redact = [{ patterns: ['sk-[a-z0-9]{4,}'], with: '$&' }]
    const secret = call('Write', {
      path: 'a',
      lines: ['x', { key: 'my sk-abcd1 and sk-abcd2' }],
      n: 1,
    })
    expect(decide({ redact }, secret)).toMatchObject({
      type: 'rewrite',
      args: { path: 'a', lines: ['x', { key: 'my $& and $&' }], n: 1 },
    })
    expect(decide({ redact, tag: [{ when: 'true', tags: ['later'] }] })).toEqual({
      type: 'pass',
      tags: ['later'],
    })
    const broken = call('Write', '{"a": "sk-abcd')
    expect(decide({ redact }, broken).type).toBe('deny')
  })

  test('redact masks text', () => {
    const redact = [{ on: 'text' as const, patterns: ['\\d{4}'] }]
    expect(decide({ redact }, textBlock('pin 1234'))).toMatchObject({
      blocks: [{ text: 'pin [redacted]' }],
    })
  })

  test('counters count per conversation', () => {
    const { judge } = open({
      tag: [{ when: 'tool.name == "Bash"', tags: ['shell'], count: 'shells' }],
      deny: [{ when: 'counters.shells > 2', reason: 'enough' }],
    })
    const types = [block, call('Read', {}), block, block, call('Read', {})].map(
      (b) => judge(b).type,
    )
    expect(types).toEqual(['pass', 'pass', 'pass', 'deny', 'deny'])
  })

  test('tools pick by name and by set', () => {
    const deny = [{ tools: ['mcp__github__*', 'Web*'], reason: 'no' }]
    const name = (tool: string, namespace?: string) =>
      decide({ deny }, call(tool, {}, namespace === undefined ? {} : { namespace })).type
    expect([name('WebFetch'), name('Fetch'), name('push', 'mcp__github'), name('push')]).toEqual([
      'deny',
      'pass',
      'deny',
      'pass',
    ])
  })

  test('holds only what its rules are about', () => {
    const when = 'true'
    const held = (lists: RuleLists) => open(lists).policy.holds
    expect(held({ allow: [{ when }] })).toEqual(['tool-call'])
    expect(held({ allow: [{ when, on: 'text' }] })).toEqual(['text', 'refusal'])
    expect(held({ allow: [{ when }, { when, on: 'text' }] })).toEqual([
      'tool-call',
      'text',
      'refusal',
    ])
    expect(
      decide(
        { deny: [{ on: 'text', when: 'text.content.re("secret")', reason: 'no' }] },
        textBlock('a secret'),
      ).type,
    ).toBe('deny')
  })

  test('other rules are another version', () => {
    const version = (reason: string) => open({ deny: [{ when: 'true', reason }] }).policy.version
    expect(version('a')).toBe(version('a'))
    expect(version('a')).not.toBe(version('b'))
  })
})

describe('a mistake', () => {
  const mistake = (rule: object, list = 'deny'): string => {
    try {
      open({ [list]: [{ reason: 'no', ...rule }] })
    } catch (error) {
      return (error as Error).message
    }
    return 'none'
  }

  test.each([
    ['tol.name == "a"', 'there is no variable "tol": did you mean tool?', 0],
    ['tool.nam == "a"', 'there is no "nam" in tool: did you mean name?', 5],
    ['shell.commands.exists(c, c.flag == "a")', 'there is no "flag" in c: did you mean flags?', 27],
    ['tool.name.matches("a+")', 'use re(text, pattern)', 10],
    ['matches(tool.name, "a+")', 'use re(text, pattern)', 0],
    ['re(tool.name, "(?=a)")', 'it is no RE2 pattern: invalid or unsupported Perl syntax', 14],
    ['tool.name.re("(")', 'missing closing )', 13],
    ['re(tool.name, tool.text)', 'the pattern of re() must be a text in quotes', 14],
    ['tool.name.glob(tool.text)', 'the pattern of glob() must be a text in quotes', 15],
    ['tool.name = "a"', 'write ==, not =', 10],
    ['true and false', 'write &&, not and', 5],
    ['true or false', 'write ||, not or', 5],
    ['tool.name == "a" &&', 'it ends too early', 19],
    ['tool.name == "a', 'unterminated string', 13],
    ['tool.name', 'it gives a string, not true or false', 0],
    ['tool.name == 5', 'no such overload: string == int', 0],
    ['tool.name.startWith("a")', 'there is no function "startWith": did you mean startsWith?', 0],
    ['text.content == "a"', 'text is there only for rules with on: text', 0],
    ['counters.x > 1', 'no rule counts: give one "count: name"', 9],
    ['[1].exists(a, [1].exists(b, [1].exists(c, [1].exists(d, true))))', '3 deep at most', 42],
    [`"${'a'.repeat(9000)}" == ""`, '8000 characters at most', 0],
    ['', 'it ends too early', 0],
  ])('in an expression is refused with a caret: %s', (when, words, column) => {
    const message = mistake({ when })
    expect(message).toContain('deny[0].when: ')
    expect(message).toContain(words)
    const [, expression = '', caret = ''] = message.split('\n')
    expect(caret).toBe(`${' '.repeat(4 + column)}^`)
    expect(`    ${when}`.startsWith(expression.replace('…', ''))).toBe(true)
  })

  test('far to the right or some lines down is shown there', () => {
    const far = mistake({ when: `tool.name == "${'a'.repeat(200)}" || tol.name == ""` })
    const [, line = '', caret = ''] = far.split('\n')
    expect(line.slice(caret.indexOf('^')).startsWith('tol.name')).toBe(true)
    expect(mistake({ when: 'tool.name == "a" &&\n  tol.name == "b"' })).toContain(
      '\n      tol.name == "b"\n      ^',
    )
  })

  test.each([
    ['deny', {}, 'deny[0]: when is missing'],
    ['deny', { when: 'true', reason: undefined }, 'deny[0]: reason is missing'],
    ['ask', { when: 'true', reason: undefined }, 'ask[0]: reason is missing'],
    ['rewrite', { when: 'true' }, 'rewrite[0]: set is missing'],
    ['rewrite', { when: 'true', set: { a: 'tol' } }, 'rewrite[0].set.a: there is no variable'],
    [
      'rewrite',
      { when: 'true', on: 'text', set: { a: '1' } },
      'rewrite[0].set: for text there is only',
    ],
    ['redact', { when: 'true' }, 'redact[0]: patterns are missing'],
    ['redact', { patterns: ['a', '('] }, 'redact[0].patterns[1]: it is no RE2 pattern'],
    ['tag', { when: 'true' }, 'tag[0]: tags are missing'],
    ['tag', { when: 'true', tags: [], count: '1x' }, 'tag[0].count: a counter takes letters'],
    ['deny', { tools: ['a'], on: 'text' }, 'deny[0].tools: text comes from no tool'],
  ])('in a rule of %s is refused: %o', (list, rule, words) => {
    expect(mistake(rule, list)).toContain(words)
  })

  test('is told with all others', () => {
    const lists = {
      deny: [
        { when: 'tol', reason: 'a' },
        { when: 'tool', reason: 'a' },
      ],
    }
    expect(() => open(lists)).toThrow(/deny\[0\][^]*deny\[1\]/)
  })
})

test('no arguments make a rule throw, and no arguments hide a field', () => {
  const policy = open({
    deny: [
      { when: 'tool.args.a == "secret" || tool.args.list.exists(x, x.b == 1)', reason: 'no' },
      { when: 'tool.args.map(k, k).size() > 100', reason: 'no' },
    ],
  })
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (args) => {
      expect(['pass', 'deny']).toContain(policy.judge(call('T', args)).type)
      expect(policy.judge(call('T', { ...args, a: 'secret' })).type).toBe('deny')
    }),
    { numRuns: 300 },
  )
})
