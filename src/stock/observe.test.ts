import { expect, test } from 'vitest'
import { definePolicy } from '../policy/policy.ts'
import { OBSERVED, observe } from './observe.ts'

test('everything ready-made is there, in shadow, and lets pass what it fails on', () => {
  const installed = observe()
  expect(installed.map(({ policy }) => policy.name)).toEqual([...OBSERVED])
  for (const one of installed) expect(one).toMatchObject({ isShadow: true, onError: 'pass' })
})

test('some may be chosen or left out', () => {
  const names = (options: Parameters<typeof observe>[0]): string[] =>
    observe(options).map(({ policy }) => policy.name)
  expect(names({ only: ['redact', 'loop-breaker'] })).toEqual(['redact', 'loop-breaker'])
  expect(names({ except: ['redact'] })).not.toContain('redact')
  expect(() => observe({ only: ['nothing' as 'redact'] })).toThrow(/it takes scan-results/)
})

test('own policies are watched instead', () => {
  const policy = definePolicy({ name: 'mine' })
  expect(observe({ policies: [policy], timeoutMs: 5 })).toEqual([
    { policy, onError: 'pass', timeoutMs: 5, isShadow: true },
  ])
})
