/** An upstream that answers from recordings, as a config says it. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ReplayUpstreamSettings } from '../upstream/settings.ts'
import { WIRE_NAMES } from '../wire/wires.ts'
import { loadConfig } from './load.ts'

const FOLDER = resolve('/configs')

function load(upstream: string): ReplayUpstreamSettings {
  const text = `upstreams:\n  past: { ${upstream} }\n`
  const { settings } = loadConfig({ file: 'sluice.yaml', text, env: {}, cwd: FOLDER })
  const [first] = settings.upstreams
  if (first?.kind !== 'replay') throw new Error('It is no replay')
  return first
}

test('a folder stands beside the config, and everything else has a default', () => {
  expect(load('kind: replay, from: ./past')).toMatchObject({
    name: 'past',
    from: { type: 'path', path: resolve(FOLDER, 'past') },
    wires: WIRE_NAMES,
    match: 'auto',
    speed: 1,
    answers: 'delivered',
    // What was an error then is one now.
    retry: { attempts: 1 },
    breaker: { failures: 0 },
  })
})

test('the records are asked for a conversation or a time', () => {
  expect(load('kind: replay, from: store, conversation: abc, since: 7d').from).toEqual({
    type: 'store',
    conversation: 'abc',
    maxAge: 7 * 86_400_000,
  })
})

test.each([
  ['original', 1],
  ['instant', 0],
  ['10', 10],
  ['0.5', 0.5],
])('speed: %s', (said, speed) => {
  expect(load(`kind: replay, from: x, speed: ${said}`).speed).toBe(speed)
})

describe('it is a mistake', () => {
  test.each([
    ['kind: replay', 'from is missing'],
    ['kind: replay, from: x, speed: fast', 'is no speed'],
    ['kind: replay, from: x, speed: 0', 'it takes a number from 0.01 to 10000'],
    ['kind: replay, from: x, match: any', 'is no way to match'],
    ['kind: replay, from: x, since: 7d', 'only with from: store'],
    ['kind: replay, from: x, baseUrl: "https://a.example"', 'only an upstream of kind http'],
    ['kind: replay, from: x, pace: 5ms', 'only an upstream of kind demo'],
    ['kind: demo, from: x', 'only an upstream of kind replay'],
    [
      'wire: openai-chat, baseUrl: "https://a.example", speed: 2',
      'only an upstream of kind replay',
    ],
  ])('%s', (said, sentence) => {
    expect(() => load(said)).toThrow(sentence)
  })
})

test('the examples of the page about it are right', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/records/replay.md'), 'utf8')
  const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text)
  expect(examples.length).toBeGreaterThan(1)
  for (const text of examples) {
    const { settings } = loadConfig({ file: 'sluice.yaml', text, env: {}, cwd: FOLDER })
    expect(settings.upstreams.every(({ kind }) => kind === 'replay')).toBe(true)
  }
})
