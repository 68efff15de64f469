/** What settings make of the gateway's answers, without a browser. */
import { describe, expect, test } from 'vitest'
import type { ConfigAnswer, ConfigValue, HealthAnswer, KeyView } from '../../src/api/types.ts'
import { toOrigin, toRows, toValueText } from './config-rows.ts'
import { CLIENTS, writeSnippets } from './connect-clients.ts'
import { toTarget } from './connect-model.ts'
import { EMPTY_DRAFT, toLimits, toOrder, toUsage } from './key-words.ts'
import { sumUp } from './upstream-words.ts'

const URL = 'http://127.0.0.1:4141'

const health = (
  upstreams: readonly Partial<HealthAnswer['upstreams'][number]>[],
  needsKey = false,
): Pick<HealthAnswer, 'gateway' | 'upstreams'> => ({
  gateway: {
    name: 'g',
    version: '1',
    open: 0,
    uptimeMs: 0,
    url: URL,
    needsKey,
    isDemo: false,
  },
  upstreams: upstreams.map((one) => ({
    name: 'up',
    kind: 'http',
    wires: ['openai-chat'],
    circuit: 'closed',
    open: 0,
    ...one,
  })),
})

const config = (
  routes: readonly (readonly [model: string, to: string])[],
  values: readonly ConfigValue[] = [],
): Pick<ConfigAnswer, 'routes' | 'values'> => ({
  routes: routes.map(([model, to]) => ({ model, to: [to], as: {} })),
  values,
})

const written: ConfigValue = { path: 'listen', value: ':1', from: 'file' }

describe('A client is given', () => {
  test('a model of the demo where the demo answers', () => {
    const demo = health([{ name: 'demo', kind: 'demo', wires: ['anthropic-messages'] }])
    const routes = config([['*', 'demo']])
    expect(toTarget('anthropic-messages', routes, demo).model).toBe('demo-text')
    expect(toTarget('openai-chat', config([['x/*', 'demo']]), demo).model).toBe('x/demo-text')
  })

  test('a model that fits the pattern of the route on its own wire', () => {
    const both = health([
      { name: 'a', wires: ['anthropic-messages'] },
      { name: 'o', wires: ['openai-responses'] },
    ])
    const routes = config([
      ['claude-*', 'a'],
      ['gpt-*', 'o'],
    ])
    expect(toTarget('anthropic-messages', routes, both).model).toMatch(/^claude-/)
    expect(toTarget('openai-responses', routes, both).model).toMatch(/^gpt-/)
    expect(toTarget('openai-chat', config([['own-7b', 'o']]), both).model).toBe('own-7b')
  })

  test('the credential that the gateway and the provider wait for', () => {
    const of = (needsKey: boolean, values: readonly ConfigValue[]): string =>
      toTarget('openai-chat', config([['*', 'up']], values), health([{}], needsKey)).credential
    const apiKey: ConfigValue = { path: 'upstreams.up.apiKey', isSecret: true, from: 'env' }
    expect(of(false, [written, apiKey])).toBe('none')
    expect(of(true, [written, apiKey])).toBe('key')
    expect(of(false, [written])).toBe('own')
    expect(of(true, [written])).toBe('both')
  })

  test('lines that no name of a model can break out of', () => {
    const curl = CLIENTS.find(({ id }) => id === 'curl')
    if (curl === undefined) throw new Error('There is none')
    const [first] = writeSnippets(curl, { model: "a'; rm -rf b", credential: 'none' }, URL)
    expect(first?.text).toContain(String.raw`"model":"a'\''; rm -rf b"`)
  })

  test('the key beside its own credential where both are needed', () => {
    for (const client of CLIENTS.filter(({ id }) => id !== 'qwen-code')) {
      const lines = writeSnippets(client, { model: 'm', credential: 'both' }, URL)
      expect(lines.map(({ text }) => text).join('\n')).toContain('x-sluice-key')
    }
  })
})

describe('A setting', () => {
  const values: readonly ConfigValue[] = [
    { path: 'listen', value: '127.0.0.1:4141', from: 'default' },
    {
      path: 'upstreams.main.apiKey',
      isSecret: true,
      from: 'env',
      where: 's.yaml:3',
      variable: 'K',
    },
    { path: 'upstreams.main.wire', value: ['openai-chat'], from: 'file', where: 's.yaml:2' },
    { path: 'admin.token', isSecret: true, from: 'default' },
  ]

  test('stands under its section, and is found by its name, value and place', () => {
    const names = (text: string, isChanged = false): readonly string[] =>
      toRows(values, { text, isChanged }).map((row) =>
        row.type === 'section' ? `${row.name} ${row.count}` : row.value.path,
      )
    expect(names('', true)).toEqual(['upstreams 2', 'upstreams.main.apiKey', 'upstreams.main.wire'])
    expect(names('CHAT')).toEqual(['upstreams 1', 'upstreams.main.wire'])
    expect(names('s.yaml:3')).toEqual(['upstreams 1', 'upstreams.main.apiKey'])
    expect(names('nothing')).toEqual([])
  })

  test('that is a secret says where it is from, and no more', () => {
    expect(values.map(toValueText)).toEqual([
      '127.0.0.1:4141',
      'set, from K',
      'openai-chat',
      'made at each start',
    ])
    expect(values.map(toOrigin)).toEqual(['default', 's.yaml:3 by K', 's.yaml:2', 'default'])
  })
})

describe('A key', () => {
  const key: KeyView = { name: 'ci', from: 'page', usedTokens: 1500 }

  test('has its limits in words', () => {
    expect(toLimits(key)).toBe('none')
    const budget = { tokens: 5_000_000, per: 'month' } as const
    const limited: KeyView = { ...key, rate: '60/minute', concurrent: 4, budget }
    expect(toLimits(limited)).toBe('60/minute · 5.0M tokens per month · 4 at once')
    expect(toUsage(key)).toBe('1500 tokens')
    expect(toUsage({ ...key, budget: { tokens: 3000, per: 'ever' } })).toBe('1500 tokens, 50 %')
  })

  test('is ordered with what was filled in', () => {
    expect(toOrder({ ...EMPTY_DRAFT, name: ' ci ' })).toEqual({ name: 'ci' })
    const draft = { ...EMPTY_DRAFT, name: 'ci', models: 'a-*, b', requests: '5', tokens: '10' }
    expect(toOrder(draft)).toEqual({
      name: 'ci',
      models: ['a-*', 'b'],
      rate: '5/minute',
      budget: { tokens: 10, per: 'month' },
    })
  })
})

test('Errors are summed up by upstream', () => {
  const bucket = { at: 0, inputTokens: 0, outputTokens: 0, cost: 0, meanOpen: 0, verdicts: {} }
  const rest = { ...bucket, firstByteMs: undefined, durationMs: undefined }
  const sums = sumUp([
    { ...rest, of: 'a', exchanges: 3, errors: 1 },
    { ...rest, of: 'a', exchanges: 2, errors: 1 },
    { ...rest, of: undefined, exchanges: 1, errors: 1 },
  ])
  expect(sums.get('a')).toEqual({ exchanges: 5, errors: 2 })
})
