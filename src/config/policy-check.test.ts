/** Policies that somebody types: every mistake with its place, and nothing of this machine. */
import { expect, test } from 'vitest'
import { loadConfig } from './load.ts'
import { readPolicies, surroundingsOf } from './policy-check.ts'
import type { PolicySource } from './settings.ts'

const { settings } = loadConfig({
  file: 'sluice.yaml',
  cwd: '/nowhere',
  env: { TOOL: 'Bash', SECRET: 'do-not-show-me' },
  text: `keys: [{ name: team, hash: "sha256:${'a'.repeat(64)}" }]
upstreams: { demo: { kind: demo } }
policies:
  # Why this is here.
  - use: rules # the first
    name: calm
    deny:
      # Shells only.
      - { when: 'tool.name == "\${TOOL}"', reason: No. }
  - { use: rules, name: flat, deny: [{ when: "true", reason: "No, \${SECRET}" }] }
  - redact
`,
})

const sourceOf = (name: string): PolicySource => {
  const source = settings.policies.find((one) => one.name === name)?.source
  if (source === undefined) throw new Error('There is none')
  return source
}

const read = (text: string, base?: PolicySource) =>
  readPolicies(text, surroundingsOf(settings, { base }))

const placesOf = (text: string, base?: PolicySource): readonly string[] =>
  read(text, base).mistakes.map(
    ({ place, sentence }) =>
      `${place.line}:${place.column}${place.endColumn === undefined ? '' : `-${place.endColumn}`} ${sentence.split('\n')[0]}`,
  )

test('what is right comes to policies', () => {
  const text = '- use: rules\n  deny: [{ when: "true", reason: No. }]\n  keys: team\n- redact\n'
  for (const one of [text, `policies:\n${text.replaceAll(/^/gm, '  ')}`])
    expect(read(one)).toMatchObject({
      mistakes: [],
      policies: [{ name: 'rules' }, { use: 'redact' }],
    })
  expect(read('use: redact')).toMatchObject({ mistakes: [], policies: [{ name: 'redact' }] })
})

test('every mistake has its place, those in expressions the word itself', () => {
  const text = `- use: rules
  deny:
    - when: 'tool.name == "it''s" && tol.name == "x"'
      reason: No.
    - when: >-
        tool.name == "x" ||
        shell.comands.size() > 0
      reasn: No.
- use: ruels
- use: judge
  model: demo
  upstream: dmo
`
  expect(placesOf(text)).toEqual([
    expect.stringMatching(/^3:38-41 there is no variable "tol": did you mean tool\?/),
    expect.stringMatching(/^5:7 reason is missing/),
    expect.stringMatching(/^7:15-22 there is no "comands" in shell: did you mean commands\?/),
    expect.stringMatching(/^8:7 there is no such key: .*did you mean reason\?/),
    expect.stringMatching(/^9:8 "ruels" is no stock policy: .*did you mean rules/),
    expect.stringMatching(/^12:13 there is no upstream of this name: .*did you mean demo\?/),
  ])
})

test.each([
  ['', '1:1 there is no policy here'],
  ['polices: []', '1:1 there is no policy here'],
  ['- use: [x', '1:10 the lines from here on'],
  ['- use: ./mine.ts', '1:8 only stock policies'],
  ['- use: some/package', '1:8 only stock policies'],
  ['- use: rules\n  keys: tem\n  deny: [{ when: "true", reason: x }]', '2:9 "tem" is no key'],
  ['- use: rules\n  deny: [{ when: "true", reason: "${HOME}" }]', '2:34 no variable can stand'],
  ['- use: "${X:-redact}"', '1:8 no variable can stand'],
])('%j is refused', (text, words) => {
  expect(placesOf(text)[0]).toContain(words)
})

test('a text with a variable may stay as the config has it, where it is, and goes nowhere else', () => {
  const kept =
    '- { use: rules, name: flat, allow: [], deny: [{ when: "true", reason: "No, ${SECRET}" }] }'
  const moved = '- { use: rules, name: flat, deny: [{ when: "true", instead: "No, ${SECRET}" }] }'
  const other = '- { use: rules, name: flat, deny: [{ when: "true", reason: "${SECRET}" }] }'
  const base = sourceOf('flat')
  expect(read(kept.replace('allow: [], ', ''), base).mistakes).toEqual([])
  for (const text of [moved, other])
    expect(placesOf(text, base).join()).toContain('a text with a variable can stay as the config')
  expect(placesOf(kept)).not.toEqual([])
  expect(JSON.stringify(read(other, base))).not.toContain('do-not-show-me')
})

test('an entry is cut out of its config as it is written, comments included and values not', () => {
  expect(sourceOf('calm').yaml()).toBe(`# Why this is here.
- use: rules # the first
  name: calm
  deny:
    # Shells only.
    - { when: 'tool.name == "\${TOOL}"', reason: No. }
`)
  expect(sourceOf('flat').yaml()).toContain('reason: "No, ${SECRET}"')
  expect(sourceOf('redact').yaml()).toBe('- redact\n')
  expect(sourceOf('calm')).toMatchObject({ file: 'sluice.yaml', line: 5, isStock: true })
  for (const name of ['calm', 'flat', 'redact'])
    expect(read(sourceOf(name).yaml(), sourceOf(name)).mistakes).toEqual([])
})

test('an entry that leans on anchors elsewhere comes out whole', () => {
  const { settings: leaning } = loadConfig({
    file: 'sluice.yaml',
    cwd: '/nowhere',
    env: {},
    text: `upstreams: { demo: { kind: demo } }
policies:
  - &one
    use: rules
    deny: &all [{ when: "true", reason: No. }]
  - { use: rules, name: other, ask: *all }
routes:
  - { model: a, to: demo, policies: [*one] }
  - { model: "*", to: demo }
`,
  })
  for (const { source } of leaning.policies) {
    const again = readPolicies(source?.yaml() ?? '', surroundingsOf(leaning))
    expect(again.mistakes).toEqual([])
    expect(again.policies[0]?.source?.digest).toBe(source?.digest)
  }
})

const RULES = Array.from(
  { length: 200 },
  (_, i) => `    - when: tool.name == "t${i}" && shell.commands.exists(c, c.name == "rm")
      reason: No ${i}.\n`,
).join('')

test.each([
  ['brackets', '['.repeat(262_144)],
  ['maps in maps', '{a: '.repeat(60_000)],
  ['lists in lists', '- '.repeat(131_072)],
  ['keys in keys', '? '.repeat(131_072)],
  ['quotes', '"'.repeat(262_144)],
  ['anchors', '&a '.repeat(80_000)],
  ['entries', '- a\n'.repeat(65_000)],
  ['brackets in expressions', `- use: rules\n  deny:\n    - when: ${'('.repeat(7_990)}`],
  [
    'a bomb of aliases',
    `a: &a [${'x,'.repeat(50)}]\n${'bcdefg'.replaceAll(/./g, (k) => `${k}: &${k} [${`*${String.fromCodePoint((k.codePointAt(0) ?? 0) - 1)},`.repeat(50)}]\n`)}policies: *g\n`,
  ],
  ['two hundred rules', `- use: rules\n  deny:\n${RULES}`],
])('%s are read soon', (name, text) => {
  const before = performance.now()
  const { mistakes } = read(text)
  // A hundred times what is measured on a quiet machine would still pass unseen; this catches what is quadratic.
  expect(performance.now() - before).toBeLessThan(1500)
  expect(mistakes.length > 0).toBe(name !== 'two hundred rules')
})
