/**
 * The guide to clients is true: its programs and its curl lines are run against the demo, as they stand
 * there but for the port. Those of packages that are not installed here are left out.
 */
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoSettings } from '../src/config/load.ts'
import { startGateway, type Gateway } from '../src/server/gateway.ts'

const ROOT = join(import.meta.dirname, '..')
const GUIDE = readFileSync(join(ROOT, 'docs/guide/clients.md'), 'utf8')
const ADDRESS = 'http://127.0.0.1:4141'
/** What the demo says, on every wire. */
const ANSWER = /demo/

const blocks = (language: string): string[] =>
  [...GUIDE.matchAll(/```(\w+)\n([^]*?)```/g)]
    .filter((match) => match[1] === language)
    .map((match) => match[2] ?? '')

let gateway: Gateway
beforeAll(async () => {
  const settings = demoSettings()
  gateway = await startGateway({
    ...settings,
    listen: { host: '127.0.0.1', port: 0 },
    log: { ...settings.log, level: 'silent' },
  })
})
afterAll(() => gateway.close(0))

async function run(command: string, ...args: readonly string[]): Promise<string> {
  const here = args.map((text) => text.replaceAll(ADDRESS, gateway.url))
  const { stdout } = await promisify(execFile)(command, here, { cwd: ROOT })
  return stdout
}

describe('programs', () => {
  const programs = blocks('js').filter((code) => !/'@ai-sdk|'@langchain/.test(code))

  test.each(programs)('%#', async (code) => {
    expect(await run(process.execPath, '--input-type=module', '--eval', code)).toMatch(ANSWER)
  })

  test('there are some', () => {
    expect(programs.length).toBe(2)
  })
})

describe.skipIf(spawnSync('curl', ['--version']).error !== undefined)('curl', () => {
  const lines = blocks('sh').filter((text) => text.startsWith('curl'))

  test.each(lines)('%#', async (line) => {
    expect(await run('sh', '-c', line)).toMatch(ANSWER)
  })

  test('there is a line for each wire', () => {
    expect(lines.length).toBe(3)
  })
})

test('the config of opencode is JSON', () => {
  for (const text of blocks('json')) expect(JSON.parse(text)).toHaveProperty('provider.sluice')
})
