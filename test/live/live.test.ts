/**
 * The live test, tried on a stand-in: the demo behind a real server, in the place of both providers. It
 * goes by the words of the prompts, as a real model would.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { lint } from '../support/pipeline.ts'
import { PROMPTS } from '../support/sdk-flow.ts'
import { startDemoProvider, type DemoProvider } from '../support/sdk-provider.ts'
import type { Recorded } from './recorder.ts'

const KEY = 'sk-live-0123456789abcdef'
const folder = mkdtempSync(join(tmpdir(), 'sluice-live-'))
let provider: DemoProvider

beforeAll(async () => {
  provider = await startDemoProvider({ key: KEY, script: chooseScript })
})
afterAll(async () => {
  await provider.close()
  rmSync(folder, { recursive: true })
})

const SCRIPTS = {
  [PROMPTS.text]: 'demo-text',
  [PROMPTS.thinking]: 'demo-thinking',
  [PROMPTS.loop]: 'demo-loop',
  [PROMPTS.tools]: 'demo-tools',
  [PROMPTS.slow]: 'demo-slow',
  [PROMPTS.long]: 'demo-long',
}

function chooseScript(body: string): string | undefined {
  if (!body.includes('"stand-in"')) return undefined
  return Object.entries(SCRIPTS).find(([prompt]) => body.includes(prompt))?.[1]
}

interface Ran {
  readonly code: number | null
  readonly text: string
}

function run(env: Readonly<Record<string, string>>): Promise<Ran> {
  const script = join(import.meta.dirname, 'run.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    env: { PATH: process.env['PATH'], SLUICE_LIVE_RECORDINGS: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => (text += piece.toString()))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, text })))
}

const standIn = (): Record<string, string> => ({
  ANTHROPIC_API_KEY: KEY,
  ANTHROPIC_BASE_URL: provider.anthropic,
  SLUICE_LIVE_ANTHROPIC_MODEL: 'stand-in',
  OPENAI_API_KEY: KEY,
  OPENAI_BASE_URL: provider.openai,
  SLUICE_LIVE_OPENAI_MODEL: 'stand-in',
})

test('without keys it says what to set, and nothing is wrong', async () => {
  const { code, text } = await run({})
  expect(text).toContain('set ANTHROPIC_API_KEY')
  expect(text).toContain('set OPENAI_API_KEY')
  expect(code).toBe(0)
  expect(readdirSync(folder)).toEqual([])
})

describe('with both providers', () => {
  let ran: Ran
  let index: readonly Recorded[]
  beforeAll(async () => {
    ran = await run(standIn())
    index = JSON.parse(readFileSync(join(folder, 'INDEX.json'), 'utf8')) as Recorded[]
  })

  test('every flow is good through the gateway', () => {
    expect(ran.text).toMatch(/43 good, 0 unable, 0 bad; \d+ answers in /)
    expect(ran.code).toBe(0)
  })

  test('what the provider sent is kept as it came, a file for each answer', () => {
    const streams = index.filter(({ file }) => file?.endsWith('.sse'))
    for (const wire of WIRE_NAMES) {
      const own = streams.filter((one) => one.wire === wire)
      expect(new Set(own.map(({ file }) => file?.split('/')[1]))).toEqual(
        new Set(readdirSync(join(folder, wire))),
      )
      for (const { file = '', bytes, end, chunks } of own) {
        const kept = readFileSync(join(folder, file))
        expect(kept.length).toBe(bytes)
        expect(chunks.reduce((sum, [, length]) => sum + length, 0)).toBe(bytes)
        const errors = lint(wire, kept).filter(({ severity }) => severity === 'error')
        if (end === 'end') expect(errors).toEqual([])
      }
      expect(own.some(({ end }) => end === 'left')).toBe(true)
    }
  })

  test('no file holds a credential', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((name) => statSync(name).isFile())
    expect(files.length).toBeGreaterThan(50)
    expect(files.filter((name) => readFileSync(name, 'utf8').includes(KEY))).toEqual([])
  })
})

test('one provider alone is tried, and a model that it does not answer is no fault of ours', async () => {
  const { ANTHROPIC_API_KEY: _, ...openai } = standIn()
  const { code, text } = await run({ ...openai, SLUICE_LIVE_OPENAI_MODEL: 'demo-error' })
  expect(text).toContain('set ANTHROPIC_API_KEY')
  expect(text).toMatch(/unable openai-chat: text by stream .*503/)
  expect(text).toMatch(/\d+ good, \d\d unable, 0 bad/)
  expect(code).toBe(0)
})
