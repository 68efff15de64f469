/**
 * Which policies apply to a request.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Route } from '../exchange/route.ts'
import { selectPolicies, whereItApplies } from './select-policies.ts'
import type { PolicySettings } from './settings.ts'

const route = (model: string): Route => ({ model, wire: undefined, to: ['demo'], as: {} })
const claude = route('claude-*')
const rest = route('*')

const policy = (name: string, more: Partial<PolicySettings> = {}): PolicySettings => ({
  name,
  use: name,
  version: '1',
  installed: { policy: { name }, onError: 'deny', timeoutMs: 1, isShadow: false },
  models: undefined,
  keys: undefined,
  routes: undefined,
  route: undefined,
  key: undefined,
  ...more,
})

const names = (
  policies: readonly PolicySettings[],
  subject: Partial<Parameters<typeof selectPolicies>[1]> = {},
): readonly string[] =>
  selectPolicies(
    { policies },
    { route: claude, key: undefined, model: 'claude-5', ...subject },
  ).map((one) => one.policy.name)

describe('a policy applies', () => {
  test.each<
    [string, Partial<PolicySettings>, Partial<Parameters<typeof selectPolicies>[1]>, boolean]
  >([
    ['to everything that nothing is said of', {}, {}, true],
    ['also without a route', {}, { route: undefined }, true],
    ['to its models', { models: ['gpt-*', 'claude-*'] }, {}, true],
    ['to no other model', { models: ['gpt-*'] }, {}, false],
    ['to its keys', { keys: ['team-*'] }, { key: 'team-blue' }, true],
    ['to no other key', { keys: ['team-*'] }, { key: 'ci' }, false],
    ['not to who has no key, if it is for keys', { keys: ['*'] }, {}, false],
    ['to its routes', { routes: ['claude-*'] }, {}, true],
    ['to no other route', { routes: ['claude-*'] }, { route: rest }, false],
    ['to the route it stands under', { route: claude }, {}, true],
    ['to no route like it', { route: route('claude-*') }, {}, false],
    ['to the key it stands under', { key: 'blue' }, { key: 'blue' }, true],
    ['to no other than the key it stands under', { key: 'blue' }, { key: 'red' }, false],
    ['not to who has no key, if it stands under one', { key: 'blue' }, {}, false],
    ['only if all of it fits', { models: ['*'], keys: ['a'] }, { key: 'b' }, false],
  ])('%s', (_, more, subject, expected) => {
    expect(names([policy('one', more)], subject)).toEqual(expected ? ['one'] : [])
  })
})

test('the order of the settings is kept', () => {
  const all = [
    policy('a'),
    policy('b', { models: ['x'] }),
    policy('c', { route: claude }),
    policy('d'),
  ]
  expect(names(all)).toEqual(['a', 'c', 'd'])
})

test('the same question has the same list for an answer, and none is always the same none', () => {
  const settings = { policies: [policy('a', { keys: ['blue'] })] }
  const ask = (key: string | undefined, model = 'm') =>
    selectPolicies(settings, { route: rest, key, model })
  expect(ask('blue')).toBe(ask('blue', 'another'))
  expect(ask('red')).toBe(ask(undefined))
  expect(selectPolicies({ policies: [] }, { route: rest, key: 'x', model: 'm' })).toBe(ask('red'))
})

test('new settings have lists of their own', () => {
  expect([names([policy('a')]), names([policy('b')])]).toEqual([['a'], ['b']])
})

test('whatever is asked, in whatever order and however often, the answer is that of the selectors', () => {
  const word = fc.constantFrom('a', 'b', 'ab', 'a\nb', '')
  const pattern = fc.constantFrom('a', 'b', '*', 'a*', '*b')
  const made = fc.record({
    models: fc.option(fc.array(pattern, { minLength: 1, maxLength: 2 }), { nil: undefined }),
    keys: fc.option(fc.array(pattern, { minLength: 1, maxLength: 2 }), { nil: undefined }),
    route: fc.constantFrom(undefined, claude, rest),
  })
  const asked = fc.record({
    route: fc.constantFrom(undefined, claude, rest),
    key: fc.option(fc.constantFrom('a', 'b', 'ab'), { nil: undefined }),
    model: word,
  })
  fc.assert(
    fc.property(
      fc.array(made, { maxLength: 5 }),
      fc.array(asked, { maxLength: 30 }),
      (some, all) => {
        const policies = some.map((more, index) => policy(String(index), more))
        for (const subject of all) {
          const fresh = selectPolicies({ policies: [...policies] }, subject)
          expect(selectPolicies({ policies }, subject)).toEqual(fresh)
        }
      },
    ),
    { numRuns: 100 },
  )
})

test('models that clients think up do not fill the memory, and are answered right', () => {
  const policies = [policy('a', { models: ['m-1*'] })]
  for (let index = 0; index < 5000; index++)
    expect(names(policies, { model: `m-${index}` })).toEqual(
      String(index).startsWith('1') ? ['a'] : [],
    )
})

test('where a policy applies can be said', () => {
  expect(whereItApplies(policy('a'))).toBeUndefined()
  expect(
    whereItApplies(policy('a', { route: claude, key: 'k', models: ['x', 'y'], keys: ['z'] })),
  ).toBe('its route claude-*, its key k, models x or y, keys z')
})
