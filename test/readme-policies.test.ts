/**
 * What the README says of policies is true: its YAML and its TypeScript, as they stand there, on the demo upstream.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfigAsync } from '../src/config/load.ts'
import { WIRE_NAMES, type WireName } from '../src/index.ts'
import { ask, PATHS, startTestGateway, type TestGateway } from './support/gateway.ts'
import { fetchRaw } from './support/raw-client.ts'
import { stateOf } from './support/streams.ts'

const README = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')

/** The block of that language that has those words in it. */
function snippet(language: string, words: string): string {
  const blocks = README.split(`\`\`\`${language}\n`).slice(1)
  const found = blocks
    .map((block) => block.split('\n```')[0] ?? '')
    .filter((b) => b.includes(words))
  expect(found).toHaveLength(1)
  return found[0] ?? ''
}

const FILES = {
  'the YAML': () => ({ 'sluice.yaml': snippet('yaml', 'policies:') }),
  'the TypeScript': () => ({
    'sluice.yaml': 'policies:\n  - use: ./no-rm.ts\n',
    'no-rm.ts': snippet('ts', 'definePolicy'),
  }),
} as const

describe.each(Object.entries(FILES))('%s of the README', (_name, toFiles) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-readme-'))
  let gateway: TestGateway

  beforeAll(async () => {
    for (const [name, text] of Object.entries(toFiles())) writeFileSync(join(folder, name), text)
    const { settings } = await loadConfigAsync({ file: undefined, env: {}, cwd: folder })
    gateway = await startTestGateway({ policies: settings.policies })
  })
  afterAll(async () => {
    await gateway.close(0)
    rmSync(folder, { recursive: true })
  })

  test('is ten lines', () => {
    for (const text of Object.values(toFiles())) expect(text.split('\n').length).toBeLessThan(15)
  })

  const say = async (wire: WireName, more: object): Promise<string> => {
    const body = ask(wire, { model: 'demo-dangerous', ...more })
    const answer = await fetchRaw(gateway.url + PATHS[wire], { body })
    return answer.body.toString()
  }

  test.each(WIRE_NAMES)(
    'stops `rm -rf` on %s, and says so in a paragraph of its own',
    async (wire) => {
      const stream = await say(wire, { stream: true })
      const json = await say(wire, {})
      for (const said of [stream, json]) {
        expect(said).not.toContain('rm -rf')
        expect(said).toContain(
          'Deleting recursively is not allowed here. Instead: Delete single files.',
        )
      }
      const { blocks } = stateOf(wire, stream)
      const words = blocks
        .map((block) => (block.type === 'text' ? block.text : block.type))
        .join('\n\n')
      expect(words).toMatch(/\.\n\n\[Sluice\] The call of the tool "bash" was not allowed/)
    },
  )

  test('lets what is harmless through', async () => {
    expect(await say('openai-chat', { model: 'demo-tool' })).toContain('"tool_calls"')
  })
})
