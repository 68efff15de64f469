/**
 * `policies` in a config: what becomes of them, and every mistake with its place and what to do.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig, type Config } from './load.ts'
import type { PolicySettings } from './settings.ts'
import { STOCK } from './stock.ts'

let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'sluice-policies-'))
  write('mine.ts', `export default { name: 'mine', judge: () => ({ type: 'pass' }) }`)
  write('told.ts', `export default (options) => ({ name: 'told', judge: () => options })`)
})
afterEach(() => {
  rmSync(cwd, { recursive: true })
})

const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text)

function load(yaml: string, env: Readonly<Record<string, string>> = {}): Config {
  write('sluice.yaml', yaml)
  return loadConfig({ env, cwd })
}

const policies = (yaml: string, env = {}): readonly PolicySettings[] =>
  load(yaml, env).settings.policies

const policy = (yaml: string, env = {}): PolicySettings => {
  const [only] = policies(yaml, env)
  if (only === undefined) throw new Error('There is no policy')
  return only
}

function mistakes(yaml: string): readonly string[] {
  try {
    load(yaml)
    return []
  } catch (error) {
    return String((error as Error).message)
      .split('\n')
      .map((line) => line.replace(/^sluice\.yaml:/, ''))
  }
}

const KEYS = `keys:
  blue: { hash: ${'ab'.repeat(32)} }
  red: { hash: ${'cd'.repeat(32)} }
`

describe('a policy', () => {
  test('has defaults for what is not said of it', () => {
    expect(policy('policies: [approve]')).toEqual({
      name: 'approve',
      use: 'approve',
      version: expect.stringMatching(/^[0-9a-f]{12}$/),
      installed: {
        policy: expect.objectContaining({ name: 'approve' }),
        onError: 'deny',
        timeoutMs: 30_000,
        isShadow: false,
      },
      models: undefined,
      keys: undefined,
      routes: undefined,
      route: undefined,
      key: undefined,
      source: expect.objectContaining({ file: 'sluice.yaml', line: 1 }),
    })
  })

  test('is what its keys say', () => {
    const yaml = `policies:
  - use: approve
    name: people
    models: [claude-*, gpt-5]
    keys: blue
    routes: "*"
    onError: pass
    timeout: 2m
    shadow: true
    tools: Bash
${KEYS}`
    const found = policy(yaml)
    expect(found).toMatchObject({
      name: 'people',
      models: ['claude-*', 'gpt-5'],
      keys: ['blue'],
      routes: ['*'],
      installed: { onError: 'pass', timeoutMs: 120_000, isShadow: true },
    })
    expect(found.installed.policy).toMatchObject({ name: 'people', version: found.version })
  })

  test.each(['policies: approve', 'policies: [approve]', 'policies: [{ use: approve }]'])(
    'may be said as %s',
    (yaml) => {
      expect(policies(yaml)).toMatchObject([{ name: 'approve' }])
    },
  )

  test('may stand under a route or a key, and comes behind those of the file', () => {
    const yaml = `routes:
  - { model: "claude-*", to: demo, policies: [./mine.ts] }
  - { model: "*", to: demo }
keys:
  - { name: blue, hash: ${'ab'.repeat(32)}, policies: { use: x } }
policies: [approve]
`.replace('{ use: x }', '[./told.ts]')
    const { settings } = load(yaml)
    expect(settings.policies.map(({ name }) => name)).toEqual(['approve', 'mine', 'told'])
    expect(settings.policies[1]?.route).toBe(settings.routes[0])
    expect(settings.policies[2]?.key).toBe('blue')
  })

  test('of a key in a map is found too', () => {
    const yaml = `keys: { blue: { hash: ${'ab'.repeat(32)}, policies: approve } }`
    expect(policies(yaml)).toMatchObject([{ name: 'approve', key: 'blue' }])
  })

  test('that nobody named gets a number when its name is taken', () => {
    const yaml = 'policies: [{ use: approve, tools: a }, { use: approve, tools: b }, approve]'
    expect(policies(yaml).map(({ name }) => name)).toEqual(['approve', 'approve-2', 'approve-3'])
  })

  test('that stands in two places by an alias keeps its name', () => {
    const yaml = `routes:
  - { model: a, to: demo, policies: &both [{ use: approve, name: people }] }
  - { model: "*", to: demo, policies: *both }
`
    expect(policies(yaml).map(({ name }) => name)).toEqual(['people', 'people'])
  })
})

test('an entry that stands for several makes each of them, all in shadow', () => {
  const found = policies('policies: [{ use: observe, shadow: false }, observe]')
  expect(found.length).toBeGreaterThan(4)
  expect(found.every(({ installed }) => installed.isShadow)).toBe(true)
  expect(found.map(({ name }) => name)).toContain('observe.check-arguments')
  expect(new Set(found.map(({ name }) => name)).size).toBe(found.length)
})

describe('the options of a file', () => {
  test('are all keys that are not of every policy, with variables filled in', () => {
    const yaml = `policies:
  - use: ./told.ts
    onError: pass
    word: \${WORD}
    list: [1, true, null, "\${WORD}-\${OTHER:-b}"]
    map: { deep: { __proto__: 1 } }
`
    const judge = policy(yaml, { WORD: 'secret' }).installed.policy.judge as unknown as () => {
      map: { deep: object }
    }
    expect(judge()).toMatchObject({ word: 'secret', list: [1, true, null, 'secret-b'] })
    expect(Object.keys(judge()).toSorted()).toEqual(['list', 'map', 'word'])
    expect(Object.keys(judge().map.deep)).toEqual(['__proto__'])
  })

  test('are an empty object where there are none', () => {
    const judge = policy('policies: [./told.ts]').installed.policy.judge as unknown as () => object
    expect(judge()).toEqual({})
  })

  test('with a variable that is not set are a mistake', () => {
    expect(mistakes('policies:\n  - use: ./told.ts\n    a: { b: ["${WORD}"] }')).toEqual([
      '3:14 policies[0].a.b[0]: the variable WORD is not set: set it, or give it a default as in ${WORD:-value}',
    ])
  })

  test('are a mistake where the file takes none', () => {
    expect(mistakes('policies: [{ use: ./mine.ts, onEror: pass, b: 1 }]')).toEqual([
      '1:19 policies[0].use: onEror, b: the file takes no options, because it exports a policy: export a function that makes one',
    ])
  })
})

describe('the version', () => {
  const of = (yaml: string, env = {}): string => policy(yaml, env).version

  test('changes with what is said of it, and not with its place or with variables', () => {
    const one = of('policies: [{ use: approve, tools: a }]')
    expect(of('listen: 1\npolicies:\n  - use: approve\n    tools: a')).toBe(one)
    expect(of('policies: [{ use: approve, tools: b }]')).not.toBe(one)
    const yaml = 'policies: [{ use: approve, tools: "${A}" }]'
    expect(of(yaml, { A: '1' })).toBe(of(yaml, { A: '2' }))
  })

  test('changes with the file, and with what it imports', () => {
    write('words.ts', 'export const words = 1')
    write('mine.ts', `import './words.ts'\nexport default { name: 'mine', judge() {} }`)
    const one = of('policies: [./mine.ts]')
    expect(of('policies: [./mine.ts]')).toBe(one)
    write('words.ts', 'export const words = 2')
    const two = of('policies: [./mine.ts]')
    write('mine.ts', `import './words.ts'\nexport default { name: 'mine', judge() {} } // changed`)
    expect(new Set([one, two, of('policies: [./mine.ts]')]).size).toBe(3)
  })

  test('is what its author says, if he says one', () => {
    write('mine.ts', `export default { name: 'mine', version: '1.2', judge() {} }`)
    const found = policy('policies: [./mine.ts]')
    expect([found.version, found.installed.policy.version]).toEqual(['1.2', '1.2'])
  })
})

const NO_FILE = 'or the path of a file, which begins with ./'

describe.each<[string, readonly (readonly [yaml: string, ...expected: (string | RegExp)[]])[]]>([
  [
    'policies',
    [
      ['policies: 5', /^1:11 policies: it takes the name of a stock policy, a path, or a map with/],
      ['policies: { use: approve }', '1:11 policies: it takes a list of policies, not a map'],
      [
        'policies:',
        /^1:1[01] policies: it is empty: give it a value or remove it; it takes a list/,
      ],
      ['policies: [[approve]]', /^1:12 policies\[0\]: it takes the name of a stock policy, a path/],
      [
        'policies: [{ tools: a }]',
        /^1:12 policies\[0\]: use is missing: a stock policy, or the path/,
      ],
      [
        'policies: [{ use: [a] }]',
        /^1:19 policies\[0\]\.use: it takes the name of a stock policy or/,
      ],
      [
        'policies: [aprove]',
        new RegExp(
          `^1:12 policies\\[0\\]: "aprove" is no stock policy: it takes .*approve.*; did you mean approve\\?, ${NO_FILE}$`,
        ),
      ],
      [
        'policies: [{ use: mine.ts }]',
        new RegExp(
          `^1:19 policies\\[0\\]\\.use: "mine.ts" is no stock policy: it takes .*, ${NO_FILE}$`,
        ),
      ],
    ],
  ],
  [
    'keys of all policies',
    [
      [
        'policies: [{ use: approve, onError: allow }]',
        '1:37 policies[0].onError: "allow" is no answer to an error: it takes deny, pass',
      ],
      [
        'policies: [{ use: approve, timeout: 2h }]',
        '1:37 policies[0].timeout: "2h" is too much: it takes 1ms to 1h',
      ],
      [
        'policies: [{ use: approve, shadow: maybe }]',
        '1:36 policies[0].shadow: it takes true or false, not text',
      ],
      ['policies: [{ use: approve, name: a b }]', /^1:34 policies\[0\]\.name: it is no name/],
      ['policies: [{ use: approve, models: [] }]', /^1:36 policies\[0\]\.models: it is empty/],
      [
        'policies: [{ use: approve, shadw: true }]',
        /^1:28 policies\[0\]\.shadw: there is no such key: it takes use, name, .*; did you mean shadow\?$/,
      ],
      [
        'policies: [{ use: approve, name: a }, { use: approve, name: a, tools: b }]',
        '1:61 policies[1].name: a policy of this name is there already, in line 1',
      ],
      [
        'routes: [{ model: "*", to: demo, policies: [aprove] }]',
        /^1:45 routes\[0\]\.policies\[0\]: "aprove" is no stock policy/,
      ],
      [
        `keys: { a: { hash: ${'ab'.repeat(32)}, policies: [aprove] } }`,
        /^1:\d+ keys\.a\.policies\[0\]: "aprove" is no stock policy/,
      ],
    ],
  ],
  [
    'selectors',
    [
      [
        `policies: [{ use: approve, keys: [blue, purple] }]\n${KEYS}`,
        '1:41 policies[0].keys[1]: "purple" is no key: it takes blue, red',
      ],
      [
        'policies: [{ use: approve, keys: a }]',
        '1:34 policies[0].keys: "a" is no key: there are none',
      ],
      [
        'policies: [{ use: approve, routes: "claud-*" }]\nroutes: [{ model: "claude-*", to: demo }]',
      ],
      [
        'policies: [{ use: approve, routes: gpt }]\nroutes: [{ model: "gpt-*", to: demo }]',
        '1:36 policies[0].routes: "gpt" is no route: it takes gpt-*; did you mean gpt-*?',
      ],
    ],
  ],
  [
    'files and packages',
    [
      ['policies: [./no.ts]', '1:12 policies[0]: the file cannot be read: there is no such file'],
      ['policies: [./x/]', '1:12 policies[0]: a policy file ends with .ts, .js or .mjs'],
      ['policies: [./a.py]', '1:12 policies[0]: a policy file ends with .ts, .js or .mjs'],
      [
        'policies: [x/../mine.ts]',
        '1:12 policies[0]: there is no such package: the path of a file begins with ./',
      ],
      [
        'policies: ["@acme/policies/x"]',
        '1:12 policies[0]: there is no such package here: install it beside this file, or write the path of a file, which begins with ./',
      ],
    ],
  ],
])('mistakes of %s', (_, cases) => {
  test.each(cases)('%j', (...row) => {
    const [yaml, ...expected] = row as unknown as readonly [string, ...(string | RegExp)[]]
    const found = mistakes(yaml)
    expect(found).toHaveLength(expected.length)
    for (const [index, one] of expected.entries())
      if (typeof one === 'string') expect(found[index]).toBe(one)
      else expect(found[index]).toMatch(one)
  })
})

test('a pattern that fits no key or route is warned of: the policy would apply to nothing', () => {
  const { warnings } = load(
    `policies: [{ use: approve, keys: "team-*", routes: "gpt-*" }]\n${KEYS}`,
  )
  expect(warnings).toEqual([
    expect.stringMatching(/there are no upstreams/),
    'sluice.yaml:1:34 policies[0].keys: no key fits, so the policy applies to none',
    'sluice.yaml:1:52 policies[0].routes: no route fits, so the policy applies to none',
  ])
})

test('no file runs while anything else is wrong', () => {
  write('mine.ts', `globalThis.hasRun = true\nexport default { name: 'mine', judge() {} }`)
  expect(mistakes('policies: [./mine.ts]\ngrace: soon')).toHaveLength(1)
  expect('hasRun' in globalThis).toBe(false)
})

test('a function that takes its time needs the way that waits', async () => {
  write('slow.ts', `export default async () => ({ name: 'slow', judge() {} })`)
  expect(mistakes('policies: [./slow.ts]')).toEqual([
    '1:12 policies[0]: its function is asynchronous: load this config with loadConfigAsync',
  ])
})

test('no stock policy has a key that all policies have', () => {
  const common = ['use', 'name', 'models', 'keys', 'routes', 'onError', 'timeout', 'shadow']
  for (const [name, { shape }] of Object.entries(STOCK))
    expect([name, Object.keys(shape).filter((key) => common.includes(key))]).toEqual([name, []])
})
