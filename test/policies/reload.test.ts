/**
 * Policies that change while exchanges are under way: each goes on with those that it began with, what begins gets the
 * new ones, and what a policy keeps of a conversation stays as long as it is the same policy. Also with several processes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadConfigAsync } from '../../src/config/load.ts'
import { startService, type Service } from '../../src/server/service.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { endOf, start } from '../support/command.ts'
import { ask } from '../support/gateway.ts'
import { fetchRaw, sendRequest } from '../support/raw-client.ts'
import { reply } from '../support/spoken.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-policies-'))
const file = join(folder, 'sluice.yaml')
const policy = join(folder, 'policy.mjs')
afterAll(() => rmSync(folder, { recursive: true }))

let upstream: TestUpstream
beforeEach(async () => {
  upstream = await startUpstream()
  upstream.answer((request) =>
    reply('openai-chat', { pieces: [{ call: 'Bash', id: 'call_1', args: '{}' }] }, request),
  )
})
afterEach(() => upstream.close())

/** Denies in its own words, after a while if it is told so, and counts in its conversation. */
function write(words: string, more = ''): void {
  writeFileSync(
    policy,
    `export default ({ wait = 0 }) => ({
  name: 'counts',
  memory: () => ({ count: 0 }),
  async judge(block, { memory }) {
    memory.count += 1
    const count = memory.count
    await new Promise((resolve) => setTimeout(resolve, wait))
    return { type: 'deny', reason: '${words} ' + count + '.' }
  },
  ${more}
})`,
  )
}

function configure(more = ''): void {
  writeFileSync(
    file,
    `log: { level: error }
upstreams:
  up: { wire: openai-chat, baseUrl: '${upstream.url}/v1' }
policies:
  - use: ./policy.mjs
    ${more}
`,
  )
}

const post = (url: string): Promise<string> =>
  fetchRaw(`${url}/v1/chat/completions`, { body: ask('openai-chat') }).then(({ body }) =>
    body.toString(),
  )

async function serve(): Promise<Service> {
  const config = await loadConfigAsync({ file, env: {}, cwd: folder })
  return await startService(config, {
    log: createLog({ level: 'error', format: 'json', redact: true }, { write: () => {} }),
    override: (settings) => ({ ...settings, listen: { host: '127.0.0.1', port: 0 } }),
  })
}

test('an exchange keeps the policies that it began with, and the next one gets the new', async () => {
  write('Old')
  configure('wait: 1500')
  const service = await serve()
  try {
    const call = sendRequest(`${service.url}/v1/chat/completions`, {
      body: ask('openai-chat', { stream: true }),
    })
    await upstream.request(0)
    write('New')
    configure()
    await vi.waitFor(async () => expect(await post(service.url)).toContain('New'), 15_000)
    const held = (await call.answer).body.toString()
    expect(held).toContain('Old 1.')
    expect(held).not.toContain('New')
  } finally {
    await service.close(0)
  }
}, 30_000)

test('what it keeps of a conversation stays when something else changes, and begins anew with another version', async () => {
  write('No', "version: '1',")
  configure()
  const service = await serve()
  try {
    expect(await post(service.url)).toContain('No 1.')
    write('Never', "version: '1',")
    let count = 1
    await vi.waitFor(async () => {
      count += 1
      expect(await post(service.url)).toContain(`Never ${count}.`)
    }, 30_000)
    write('Never', "version: '2',")
    await vi.waitFor(async () => expect(await post(service.url)).toContain('Never 1.'), 15_000)
  } finally {
    await service.close(0)
  }
}, 30_000)

test('every worker has the policy file, and the new one when it changes', async () => {
  write('First')
  configure()
  const child = start('serve', '--port', '0', '--workers', '2', '--config', file)
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let said = ''
      child.on('exit', () => reject(new Error(said)))
      child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString()
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]
        if (found !== undefined) resolve(found)
      })
    })
    const all = (): Promise<string[]> => Promise.all(Array.from({ length: 8 }, () => post(url)))
    for (const said of await all()) expect(said).toContain('First')
    write('Second')
    await vi.waitFor(async () => {
      for (const said of await all()) expect(said).toContain('Second')
    }, 30_000)
    child.kill('SIGTERM')
    expect(await endOf(child)).toBe(0)
  } finally {
    child.kill('SIGKILL')
  }
}, 60_000)
