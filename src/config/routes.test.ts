/**
 * Routes that a config says, and those that it need not say.
 */
import fc from 'fast-check'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findRoute } from '../exchange/route.ts'
import { WIRE_NAMES } from '../wire/wires.ts'
import { loadConfig, type Config } from './load.ts'

let cwd = ''
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'sluice-routes-'))
})
afterAll(() => {
  rmSync(cwd, { recursive: true })
})

function load(yaml: string): Config {
  writeFileSync(join(cwd, 'sluice.yaml'), yaml)
  return loadConfig({ env: {}, cwd })
}

const THREE = `upstreams:
  a: { wire: anthropic-messages, baseUrl: "https://a.example" }
  b: { wire: [openai-responses, openai-chat], baseUrl: "https://b.example/v1" }
  c: { wire: openai-chat, baseUrl: "https://c.example/v1" }
`

describe('without routes', () => {
  test('everything goes to the only upstream, whatever it speaks', () => {
    const { settings } = load('upstreams: { a: { wire: openai-chat, baseUrl: "https://a" } }')
    expect(settings.routes).toEqual([{ model: '*', wire: undefined, to: ['a'], as: {} }])
  })

  test('a client finds the first upstream of its own wire, and the others are warned of', () => {
    const { settings, warnings } = load(THREE)
    const found = WIRE_NAMES.map((wire) => findRoute(settings.routes, wire, 'any')?.to)
    expect(found).toEqual([['a'], ['b'], ['b']])
    expect(warnings).toEqual(['sluice.yaml:4:3 upstreams.c: no route leads to this upstream'])
  })
})

test('a route has one upstream or several, and one name for the model or one for each', () => {
  const { settings, warnings } = load(`${THREE}routes:
  - { model: "claude-haiku-*", to: c, as: qwen3-coder }
  - { model: "claude-*", to: [a, b], as: { b: gpt-5.5 } }
  - { model: "*", wire: openai-chat, to: [b, c], as: one }
  - { model: "*", to: b }
`)
  expect(settings.routes).toEqual([
    { model: 'claude-haiku-*', wire: undefined, to: ['c'], as: { c: 'qwen3-coder' } },
    { model: 'claude-*', wire: undefined, to: ['a', 'b'], as: { b: 'gpt-5.5' } },
    { model: '*', wire: 'openai-chat', to: ['b', 'c'], as: { b: 'one', c: 'one' } },
    { model: '*', wire: undefined, to: ['b'], as: {} },
  ])
  expect(warnings).toEqual([])
})

describe('a route that no request comes to', () => {
  const warningsOf = (...routes: readonly string[]): readonly string[] =>
    load(
      `upstreams: { d: { kind: demo } }\nroutes:\n${routes.map((route) => `  - { ${route}, to: d }`).join('\n')}`,
    ).warnings

  test.each([
    ['the same once more', ['model: a', 'model: a']],
    ['a star before', ['model: "*"', 'model: "claude-*"']],
    ['a wider pattern before', ['model: "cl*-*"', 'model: "claude-*-4"']],
    ['one wire of many', ['model: "*"', 'model: x, wire: openai-chat']],
  ])('is warned of: %s', (_, routes) => {
    expect(warningsOf(...routes)).toEqual([
      'sluice.yaml:4:5 routes[1]: no request comes here: routes[0] before it takes every model that it takes',
    ])
  })

  test('is warned of when those before take it together', () => {
    const each = WIRE_NAMES.map((wire) => `model: "*", wire: ${wire}`)
    expect(warningsOf(...each, 'model: gpt')).toEqual([
      'sluice.yaml:6:5 routes[3]: no request comes here: routes[0] and routes[1] and routes[2] before it take every model that it takes',
    ])
  })

  test.each([
    ['a narrower pattern before', ['model: "claude-*"', 'model: "*"']],
    ['another wire before', ['model: "*", wire: openai-chat', 'model: x, wire: openai-responses']],
    ['patterns that only overlap', ['model: "a*"', 'model: "*b"']],
  ])('is another thing than %s', (_, routes) => {
    expect(warningsOf(...routes)).toEqual([])
  })

  test('is never found by a request', () => {
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 5 })
    const name = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(pattern, pattern, fc.array(name), (first, second, names) => {
        const dead = warningsOf(`model: "${first}"`, `model: "${second}"`).length > 0
        const { routes } = loadConfig({ env: {}, cwd }).settings
        for (const one of dead ? names : [])
          expect(findRoute(routes, 'openai-chat', one)).not.toBe(routes[1])
      }),
    )
  })
})
