/**
 * Files that nobody wrote on purpose, or somebody did: whatever stands there, the answer is settings or
 * one error that names the file, and it comes soon.
 */
import fc from 'fast-check'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SluiceError } from '../base/sluice-error.ts'
import { loadConfig, type Config } from './load.ts'

let cwd = ''
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'sluice-hostile-'))
})
afterAll(() => {
  rmSync(cwd, { recursive: true })
})

const env = { KEY: 'sk-do-not-show-me', PORT: '4141' }

/** The settings, or the message of the one error that may come. */
function load(content: string | Uint8Array): Config | string {
  writeFileSync(join(cwd, 'sluice.yaml'), content)
  try {
    return loadConfig({ env, cwd })
  } catch (error) {
    if (!(error instanceof SluiceError) || error.code !== 'bad-config') throw error
    return error.message
  }
}

const VALID = `listen: 127.0.0.1:\${PORT}
hosts: [gateway.example]
upstreams:
  anthropic: { wire: anthropic-messages, baseUrl: "https://api.anthropic.com", apiKey: "\${KEY}" }
  local: &local
    wire: [openai-chat, openai-responses]
    baseUrl: http://127.0.0.1:11434/v1
    headers: { x-team: blue }
    limits: { connect: 10s, idle: 5m }
  demo: { kind: demo, pace: 5ms }
routes:
  - { model: "claude-haiku-*", to: local, as: qwen3-coder }
  - { model: "*", to: [anthropic, demo], as: { demo: plain } }
  - { model: "gpt-*", to: local }
keys:
  - { name: team, key: "\${KEY}", rate: 60/minute, budget: { tokens: 1000, per: day } }
limits: { body: 64mb, concurrent: 10 }
log: { level: info, redact: true }
telemetry: { otlp: "http://127.0.0.1:4318" }
policies:
  - approve
  - { use: approve, name: people, models: ["claude-*"], keys: team, onError: pass, timeout: 10s }
`

test('the config that is changed below is right', () => {
  expect(load(VALID)).toMatchObject({ settings: { listen: { port: 4141 } } })
})

const WORDS = [
  '*',
  '&',
  '${',
  '}',
  '[',
  ']',
  '{',
  ':',
  '- ',
  '\n',
  '\t',
  '"',
  "'",
  '|',
  '>',
  '#',
  '!',
  '%',
  '<<',
  '---',
  'null',
  '~',
  '0',
  '-1',
  '1e999',
  '.nan',
  'true',
  '\0',
  '\u2028',
  '__proto__',
  '*local',
  'wire: x',
]

test('a config with random changes is settings, or mistakes that each name the file', () => {
  const change = fc.record({
    at: fc.nat(VALID.length),
    cut: fc.nat(12),
    put: fc.oneof(fc.constantFrom(...WORDS), fc.string({ maxLength: 4, unit: 'binary' })),
  })
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const text = changes.reduce(
        (all, { at, cut, put }) => all.slice(0, at) + put + all.slice(at + cut),
        VALID,
      )
      const found = load(text)
      if (typeof found !== 'string') return
      expect(found).not.toContain(env.KEY)
      for (const line of found.split('\n')) expect(line).toMatch(/^sluice\.yaml:(?:\d+:\d+)?/)
    }),
    { numRuns: 500 },
  )
})

test('a line moved, doubled or dropped is no worse', () => {
  const lines = VALID.split('\n')
  const place = fc.nat(lines.length - 1)
  fc.assert(
    fc.property(place, place, fc.boolean(), (from, to, isKept) => {
      const line = lines[from] ?? ''
      const rest = isKept ? lines : lines.toSpliced(from, 1)
      const found = load(rest.toSpliced(to, 0, line).join('\n'))
      if (typeof found === 'string') expect(found).toMatch(/^sluice\.yaml:\d+:\d+/)
    }),
    { numRuns: 300 },
  )
})

test('any bytes are no worse', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const found = load(bytes)
      if (typeof found === 'string') expect(found).toMatch(/^sluice\.yaml:\d+:\d+: /)
    }),
    { numRuns: 1000 },
  )
})

const aliases = (levels: number): string =>
  Array.from(
    { length: levels },
    (_, i) => `a${i}: &a${i} [${i === 0 ? 'x' : `${`*a${i - 1}, `.repeat(10)}`}]`,
  ).join('\n')

test.each([
  ['deep lists', '['.repeat(100_000)],
  ['deep maps', '{a: '.repeat(50_000)],
  ['deep lines', '- '.repeat(100_000)],
  ['lists thirty-three deep', `hosts: ${'['.repeat(33)}${']'.repeat(33)}`],
  ['many keys', Array.from({ length: 30_000 }, (_, i) => `k${i}: 1`).join('\n')],
  ['one key many times', 'listen: 1\n'.repeat(30_000)],
  ['aliases of aliases', aliases(12)],
  ['many aliases of much', `a: &a [${'x, '.repeat(20_000)}]\nb: [${'*a, '.repeat(20_000)}]`],
  ['many anchors', '&a '.repeat(30_000)],
  [
    'many upstreams',
    `upstreams:\n${Array.from({ length: 8000 }, (_, i) => `  u${i}: { kind: demo }`).join('\n')}`,
  ],
  [
    'many wrong names',
    `upstreams:\n${Array.from({ length: 900 }, (_, i) => `  upstream-with-quite-a-long-name-${i}: { kind: demo }`).join('\n')}\nroutes:\n${Array.from({ length: 900 }, (_, i) => `  - { model: "${'a*'.repeat(60)}${i}", to: upstream-wiht-quiet-a-lnog-name-${i} }`).join('\n')}`,
  ],
  ['one long word', `listen: ${'x'.repeat(1_000_000)}`],
  ['one long key', `"${'x'.repeat(1_000_000)}": 1`],
  ['one long quote', `a: "${'\\'.repeat(1_000_000)}`],
  ['more than a megabyte', `# ${'x'.repeat(1024 ** 2)}`],
])('%s are refused in seconds, in a message that a person can read', (_, content) => {
  const start = performance.now()
  const found = load(content)
  expect(typeof found === 'string' ? found : 'accepted').toMatch(/^sluice\.yaml:\d+:\d+/)
  expect(String(found).length).toBeLessThan(100_000)
  // A limit that tells a hang from work: each takes up to some seconds on slow cores.
  expect(performance.now() - start).toBeLessThan(30_000)
})

test('a thousand routes are looked at in seconds', () => {
  const routes = Array.from(
    { length: 1000 },
    (_, i) => `  - { model: "${'a*'.repeat(60)}-${i}", to: d }`,
  )
  expect(load(`upstreams: { d: { kind: demo } }\nroutes:\n${routes.join('\n')}`)).toMatchObject({
    warnings: [],
  })
})

test('what aliases stand for is counted, and depth too', () => {
  expect(load(aliases(12))).toMatch(
    /^sluice\.yaml:6:9: with its aliases this is more than 100000 values: make the file smaller/,
  )
  expect(load(`hosts: ${'['.repeat(33)}${']'.repeat(33)}`)).toBe(
    'sluice.yaml:1:40: this is nested too deep',
  )
})
