/** `sluice serve` as a process: what it prints works, and what is wrong is said in one sentence. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createKey, hashKey } from '../../src/config/keys.ts'
import { endOf, sluice, start } from '../support/command.ts'
import { lint } from '../support/pipeline.ts'
import { fetchRaw, sendRequest } from '../support/raw-client.ts'
import { stateOf } from '../support/streams.ts'

let folder = ''
const running = new Set<ChildProcessWithoutNullStreams>()
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-serve-'))
})
afterEach(async () => {
  for (const child of running) {
    child.kill('SIGTERM')
    await endOf(child, 5000)
  }
  running.clear()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Served {
  readonly child: ChildProcessWithoutNullStreams
  readonly url: string
  /** All that was printed until it listened. */
  readonly banner: string
  readonly log: () => string
}

/** Starts it and waits for what it prints. */
async function serve(...args: readonly string[]): Promise<Served> {
  const child = start(...args)
  running.add(child)
  let banner = ''
  let log = ''
  child.stderr.on('data', (piece: Buffer) => (log += piece.toString()))
  const printed = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (piece: Buffer) => {
      banner += piece.toString()
      if (banner.includes('OpenAI SDK')) resolve()
    })
    child.on('exit', (code) => reject(new Error(`It ended with ${code}: ${log}`)))
  })
  await printed
  const url = /listening on (\S+)/.exec(banner)?.[1] ?? ''
  return { child, url, banner, log: () => log }
}

function config(yaml: string, name = 'sluice.yaml'): string {
  const file = join(folder, name)
  writeFileSync(file, yaml)
  return file
}

/** Runs a line as a person would who copies it. */
async function shell(line: string): Promise<{ code: number | null; out: string }> {
  const child = spawn('sh', ['-c', line])
  const out: Buffer[] = []
  child.stdout.on('data', (piece: Buffer) => out.push(piece))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out: Buffer.concat(out).toString() }
}

/** Who listens beyond this machine needs one. */
const ADMIN = `admin: { token: ${'a-long-token-'.repeat(4)} }\n`

describe('without a config', () => {
  test.each([
    [['--port', '0']],
    [['serve', '--port', '0']],
    [['serve', '--port=0', '--host', '::1']],
  ])('%j says where it is, and the line it prints works as it is printed', async (args) => {
    const { banner, url } = await serve(...args)
    expect(url).toMatch(/^http:\/\/(?:127\.0\.0\.1|\[::1\]):\d+$/)
    for (const word of ['demo', 'Claude Code', 'Codex', 'opencode', `baseURL: '${url}/v1'`])
      expect(banner).toContain(word)
    const line = /^ +(curl .*)$/m.exec(banner)?.[1] ?? ''
    const { code, out } = await shell(line)
    expect(code).toBe(0)
    expect(lint('anthropic-messages', Buffer.from(out))).toEqual([])
    const state = stateOf('anthropic-messages', out)
    expect(state.finishReason).toBe('tool-calls')
    const call = state.blocks.find(({ type }) => type === 'tool-call')
    expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"Paris"}' })
  })

  test('prints no colours where nobody sees them', async () => {
    const { banner } = await serve('--port', '0')
    // oxlint-disable-next-line no-control-regex
    expect(banner).not.toMatch(/\u001b/)
  })

  test('says where exchanges are recorded, and how to switch that off', async () => {
    const { banner } = await serve('--port', '0')
    expect(banner).toMatch(/^Records: \S+records\.db \(.*record: off.*\)$/m)
    const { banner: quiet } = await serve('--port', '0', '--config', config('record: off\n'))
    expect(quiet).toMatch(/^Records: off$/m)
  })
})

describe('the page', () => {
  test('is a link that logs in, which "sluice open" finds again', async () => {
    const { banner, url } = await serve('--port', '0')
    const link = /^Page: (\S+)$/m.exec(banner)?.[1] ?? ''
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=sla_[\w-]{43}$/)
    const token = new URL(link).hash.slice('#token='.length)
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetchRaw(`${url}/api/approvals`, { method: 'GET', headers })).status).toBe(200)
    expect(await sluice(['open', '--print', '--url', url])).toEqual({
      code: 0,
      stdout: `${link}\n`,
      stderr: '',
    })
  })

  test('is a link without a token where the config has one', async () => {
    const file = config(ADMIN, 'token.yaml')
    const { banner, url } = await serve('serve', file, '--port', '0')
    expect(banner).toMatch(/^Page: http:\/\/127\.0\.0\.1:\d+\/ \(it asks for the admin token/m)
    expect(banner).not.toContain('a-long-token')
    const { stdout } = await sluice(['open', '--print', '--config', file, '--url', url])
    expect(stdout).toBe(`${url}/\n`)
  })
})

describe('with a config', () => {
  test('says its routes and no secret, and options win over it', async () => {
    const file = config(`listen: 1
upstreams:
  claude: { wire: anthropic-messages, baseUrl: "http://127.0.0.1:9", apiKey: sk-secret-0123456789 }
  demo: { kind: demo }
routes:
  - { model: "claude-*", to: claude }
  - { model: "*", to: demo }
`)
    const { banner, url } = await serve('serve', '--config', file, '--port', '0')
    expect(banner).toContain(file)
    expect(banner).toContain('claude-* → claude')
    expect(banner).not.toContain('sk-secret')
    expect(new URL(url).port).not.toBe('1')
    expect((await fetchRaw(`${url}/health`, { method: 'GET' })).status).toBe(200)
  })

  test('takes a change while it runs, and keeps what it has when the change is wrong', async () => {
    const key = createKey()
    const file = config('listen: 0\n', 'reload.yaml')
    const { url, log } = await serve('serve', file)
    const statusOf = async (headers = {}): Promise<number> =>
      (await fetchRaw(`${url}/v1/models`, { method: 'GET', headers })).status
    expect(await statusOf()).toBe(200)
    writeFileSync(file, `listen: 0\nkeys: [{ name: a, hash: ${hashKey(key)} }]\n`)
    for (let count = 0; count < 100 && (await statusOf()) !== 401; count++) await sleep(100)
    expect(await statusOf()).toBe(401)
    expect(await statusOf({ 'x-api-key': key })).toBe(200)
    writeFileSync(file, 'listen: 0\nkeyz: []\n')
    for (let count = 0; count < 100 && !log().includes('keyz'); count++) await sleep(100)
    expect(log()).toContain('the old one stays in force')
    expect(await statusOf()).toBe(401)
  })

  test('does not lose its keys to a change while others can reach it', async () => {
    const key = createKey()
    const keys = `keys: [{ name: a, hash: ${hashKey(key)} }]\n${ADMIN}`
    const file = config(keys, 'wide.yaml')
    const { url, log } = await serve('serve', file, '--host', '0.0.0.0', '--port', '0')
    const local = url.replace('0.0.0.0', '127.0.0.1')
    writeFileSync(file, 'grace: 1s\n')
    for (let count = 0; count < 100 && !log().includes('old one stays'); count++) await sleep(100)
    expect(log()).toContain('without keys')
    expect((await fetchRaw(`${local}/v1/models`, { method: 'GET' })).status).toBe(401)
  })

  test.each([
    ['listn: 1\n', /sluice\.yaml:1:1 listn: there is no such key/],
    ['listen: 0.0.0.0:4141\n', /without keys|needs? keys|keys/],
    ['listen: [\n', /sluice\.yaml:/],
    ['upstreams: { a: { wire: openai-chat } }\n', /baseUrl/],
    [
      'upstreams: { a: { wire: openai-chat, baseUrl: "${NOT_SET_ANYWHERE}" } }\n',
      /NOT_SET_ANYWHERE/,
    ],
  ])('that is wrong it does not start: %j', async (yaml, message) => {
    const ran = await sluice(['serve', '--port', '0', '--config', config(yaml)])
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toMatch(/^sluice: /)
    expect(ran.stderr).toMatch(message)
  })
})

describe('what cannot be', () => {
  test('a port that is taken gets a sentence, not a stack', async () => {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    expect(await sluice(['--port', String(port)])).toEqual({
      code: 2,
      stdout: '',
      stderr: `sluice: Cannot listen on 127.0.0.1:${port}: another program listens there; choose another port with --port\n`,
    })
    const { code, stderr } = await sluice(['serve', '--port', String(port), '--workers', '2'])
    expect(code).toBe(2)
    expect(stderr).toContain('another program listens there')
    server.close()
  })

  test.each(['0.0.0.0', '::', '192.0.2.1', 'gateway.example', ''])(
    'listening where others can reach it without keys: --host %j',
    async (host) => {
      const ran = await sluice(['serve', '--port', '0', `--host=${host}`])
      expect([ran.code, ran.stdout]).toEqual([2, ''])
      expect(ran.stderr).toBe(
        `sluice: Cannot listen on ${host} without keys, because others can reach it: make one with "sluice keys new NAME" and put it under "keys"\n`,
      )
    },
  )

  test('an address that this machine does not have', async () => {
    const file = config(`keys: [{ name: a, hash: ${'ab'.repeat(32)} }]\n${ADMIN}`, 'keys.yaml')
    const ran = await sluice(['serve', file, '--port', '0', '--host', '192.0.2.1'])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('this machine has no such address')
  })
})

describe('a signal', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends it at once when nothing is under way',
    async (signal) => {
      const { child, url } = await serve('--port', '0')
      await fetchRaw(`${url}/health`, { method: 'GET' })
      child.kill(signal)
      expect(await endOf(child, 5000)).toBe(0)
      expect((await fetchRaw(`${url}/health`, { method: 'GET' })).end).toBe('failed')
    },
  )

  test('lets a stream finish, and takes nobody new', async () => {
    const file = config('upstreams: { demo: { kind: demo, pace: 1ms } }\n', 'pace.yaml')
    const { child, url } = await serve('serve', file, '--port', '0')
    const call = sendRequest(`${url}/v1/messages`, {
      body: JSON.stringify({
        model: 'demo-long',
        max_tokens: 100_000,
        stream: true,
        messages: [{ role: 'user', content: 'Go on' }],
      }),
    })
    await call.received(500)
    child.kill('SIGTERM')
    await sleep(200)
    expect((await fetchRaw(`${url}/health`, { method: 'GET' })).end).toBe('failed')
    const answer = await call.answer
    expect(answer.end).toBe('whole')
    expect(stateOf('anthropic-messages', answer.body)).toMatchObject({ isStopped: true })
    expect(await endOf(child, 5000)).toBe(0)
  }, 90_000)

  test('that comes twice waits for nothing', async () => {
    const { child, url } = await serve('--port', '0')
    const call = sendRequest(`${url}/v1/messages`, {
      body: JSON.stringify({
        model: 'demo-slow',
        max_tokens: 100,
        stream: true,
        messages: [{ role: 'user', content: 'Go on' }],
      }),
    })
    await sleep(500)
    child.kill('SIGINT')
    await sleep(200)
    child.kill('SIGINT')
    expect(await endOf(child, 2000)).toBe(130)
    expect((await call.answer).end).not.toBe('whole')
  })
})

test.each(['1', '2'])(
  'says that Postgres is not there: --workers %s',
  async (workers) => {
    const file = join(folder, 'postgres.yaml')
    writeFileSync(file, 'store: { url: "postgres://bob:hunter2@127.0.0.1:1/db" }\n')
    const { code, stderr } = await sluice([
      'serve',
      '--config',
      file,
      '--port',
      '0',
      '--workers',
      workers,
    ])
    expect(code).toBe(2)
    expect(stderr).toContain('Postgres cannot be reached (ECONNREFUSED)')
    expect(stderr).not.toContain('hunter2')
  },
  30_000,
)

test('several workers serve on one port and stop together', async () => {
  const { child, url, banner } = await serve('--port', '0', '--workers', '2')
  expect(banner).toContain('with 2 workers')
  for (let count = 0; count < 6; count++) {
    expect((await fetchRaw(`${url}/health`, { method: 'GET' })).status).toBe(200)
    const page = await fetchRaw(url, { method: 'GET', headers: { accept: 'text/html' } })
    expect(page.body.toString()).toMatch(/^<!doctype html|npm run build/i)
  }
  child.kill('SIGTERM')
  expect(await endOf(child, 10_000)).toBe(0)
  expect((await fetchRaw(`${url}/health`, { method: 'GET' })).end).toBe('failed')
})
