/**
 * The guide to other models is true: its configs are right, and its programs and its curl line are run, as
 * they stand there but for the port, with demos in the place of the providers.
 */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../src/config/load.ts'
import { startGateway, type Gateway } from '../src/server/gateway.ts'

const ROOT = join(import.meta.dirname, '..')
const GUIDE = readFileSync(join(ROOT, 'docs/guide/translation.md'), 'utf8')
const ADDRESS = 'http://127.0.0.1:4141'

const blocks = (language: string): string[] =>
  [...GUIDE.matchAll(/```(\w*)\n([^]*?)```/g)]
    .filter((match) => match[1] === language)
    .map((match) => match[2] ?? '')

/** The providers of the guide, each on a wire that the other's clients do not speak. */
const DEMOS = `
log: { level: silent }
upstreams:
  anthropic: { kind: demo, wire: anthropic-messages, pace: 0 }
  openai: { kind: demo, wire: openai-responses, pace: 0 }
  chat: { kind: demo, wire: openai-chat, pace: 0 }
routes:
  - { model: 'claude-*', to: anthropic }
  - { model: 'demo-*', to: chat }
  - { model: '*', to: openai }
`

let folder: string
let gateway: Gateway
const load = (name: string, yaml: string): ReturnType<typeof loadConfig> => {
  const file = join(folder, `${name}.yaml`)
  writeFileSync(file, yaml)
  return loadConfig({ file, env: { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b' }, cwd: folder })
}
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-guide-'))
  const { settings } = load('demos', DEMOS)
  gateway = await startGateway({ ...settings, listen: { host: '127.0.0.1', port: 0 } })
})
afterAll(async () => {
  await gateway.close(0)
  rmSync(folder, { recursive: true })
})

async function run(command: string, ...args: readonly string[]): Promise<string> {
  const here = args.map((text) => text.replaceAll(ADDRESS, gateway.url))
  const { stdout } = await promisify(execFile)(command, here, { cwd: ROOT })
  return stdout
}

test('its configs are right, and nothing in them is warned of', () => {
  const configs = blocks('yaml')
  expect(configs).toHaveLength(7)
  for (const [at, yaml] of configs.entries())
    expect([yaml, load(String(at), yaml).warnings]).toEqual([yaml, []])
})

test('its program gets an answer from each model on the other wire', async () => {
  const [program = ''] = blocks('js')
  const said = await run(process.execPath, '--input-type=module', '--eval', program)
  expect(said.match(/demo/g)?.length).toBeGreaterThan(1)
})

describe.skipIf(spawnSync('curl', ['--version']).error !== undefined)('its curl line', () => {
  test('streams a call from a Chat server to a client of Messages', async () => {
    const [line = ''] = blocks('sh').filter((text) => text.startsWith('curl'))
    expect(await run('sh', '-c', line)).toMatch(/event: content_block_start\n.*"type":"tool_use"/)
  })
})

test('the sentence that it quotes of strict is the one that is said', async () => {
  const { settings } = load(
    'strict',
    `strict: true\nlog: { level: silent }\nupstreams: { local: { kind: demo, wire: openai-chat } }`,
  )
  const strict = await startGateway({ ...settings, listen: { host: '127.0.0.1', port: 0 } })
  const answer = await fetch(`${strict.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'demo-text',
      max_tokens: 10,
      top_k: 5,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  })
  const body = (await answer.json()) as { error: { message: string } }
  await strict.close(0)
  expect(answer.status).toBe(400)
  expect(GUIDE).toContain(body.error.message)
})
