/** `sluice serve --workers 2`, as a person runs it: several processes that look like one. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { hashKey } from '../../src/config/keys.ts'
import { endOf, start } from '../support/command.ts'
import { ask, PATHS } from '../support/gateway.ts'
import { CHAT, RESPONSES } from '../support/json-answers.ts'
import { fetchRaw, sendRequest, type RawAnswer } from '../support/raw-client.ts'
import { post } from '../support/connections.ts'
import { startUpstream } from '../support/upstream.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-workers-'))
const file = join(folder, 'sluice.yaml')
afterAll(() => rmSync(folder, { recursive: true }))

let child: ChildProcessWithoutNullStreams
let said = ''
afterEach(() => {
  child.kill('SIGKILL')
})

/** An answer takes some seconds at that pace. */
const SLOW = 'upstreams:\n  demo: { kind: demo, wire: openai-chat, pace: 60ms }\n'

let stores = 0

async function serve(config: string): Promise<string> {
  // What was spent before is kept there.
  const store = join(folder, `records-${stores++}.db`)
  writeFileSync(file, `log: { level: info, format: json }\nstore: ${store}\n${config}`)
  said = ''
  child = start('serve', '--port', '0', '--workers', '2', '--config', file)
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  return await new Promise<string>((resolve, reject) => {
    child.on('exit', () => reject(new Error(`The command ended: ${said}`)))
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]
      if (found !== undefined) resolve(found)
    })
  })
}

/** The processes that the command has started. */
const workers = (): number[] =>
  readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
    .split(' ')
    .filter((pid) => pid.trim() !== '')
    .map(Number)

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function until(look: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 150 && !look(); i++) await sleep(50)
  if (!look()) throw new Error(`Waited in vain for ${what}:\n${said}`)
}

const send = (url: string, more: object = {}): Promise<RawAnswer> =>
  post({ url }, 'openai-chat', { model: 'demo', ...more }).answer

const ME = { authorization: 'Bearer k-1' }

/** Kills a worker, and waits until another serves in its place. */
async function replaceOne(): Promise<void> {
  const [gone = 0] = workers()
  // One that dies sooner is replaced after a pause.
  await sleep(2000)
  process.kill(gone, 'SIGKILL')
  await until(() => !workers().includes(gone) && workers().length === 2, 'a new worker')
  await sleep(1500)
}

/** A worker that has only just begun does not listen yet. */
async function untilAllServe(url: string): Promise<void> {
  const served = (): boolean => workers().every((pid) => said.includes(`"pid":${pid}`))
  for (let i = 0; i < 100 && !served(); i++) {
    await send(url)
    await sleep(100)
  }
  if (!served()) throw new Error(`One of the workers does not serve:\n${said}`)
}

/** How many exchanges `/metrics` counts. */
async function counted(url: string): Promise<number> {
  const { body } = await fetchRaw(`${url}/metrics`, { method: 'GET' })
  const lines = body.toString().match(/^sluice_exchanges_total\{[^}]*chat[^}]*\} \d+$/gm) ?? []
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

// Only Linux tells what a process has started.
describe.skipIf(process.platform !== 'linux')('two workers', () => {
  test('both serve, are counted as one, and one that dies is replaced', async () => {
    const url = await serve('')
    expect(workers().length).toBe(2)
    const { body } = await fetchRaw(`${url}/metrics`, { method: 'GET' })
    expect(body.toString()).toMatch(/^sluice_circuit_state\{upstream="demo"\} 0$/m)
    for (let i = 0; i < 6; i++) expect((await send(url)).status).toBe(200)
    expect(await counted(url)).toBe(6)
    const pids = new Set([...said.matchAll(/"pid":(\d+)/g)].map(([, pid]) => Number(pid)))
    expect(pids).toEqual(new Set(workers()))

    // With one of them gone the other serves, and soon there are two again.
    const [gone = 0, stays = 0] = workers()
    process.kill(gone, 'SIGKILL')
    await until(() => !workers().includes(gone), 'the end of the worker')
    for (let i = 0; i < 3; i++) expect((await send(url)).status).toBe(200)
    await until(() => workers().length === 2, 'a new worker')
    expect(said).toMatch(/A worker ended \(SIGKILL\) and is replaced/)
    expect(workers()).toContain(stays)

    // The second one too: what answers then is new.
    await untilAllServe(url)
    process.kill(stays, 'SIGKILL')
    await until(() => !workers().includes(stays) && workers().length === 2, 'another worker')
    for (let i = 0; i < 4; i++) expect((await send(url)).status).toBe(200)

    const all = workers()
    child.kill('SIGTERM')
    expect(await endOf(child, 5000)).toBe(0)
    expect(all.filter(isRunning)).toEqual([])
  })

  test('share what a key may use', async () => {
    const url = await serve(
      `keys:\n  - { name: me, hash: "sha256:${hashKey('k-1')}", rate: 5/hour }\n`,
    )
    const statuses: number[] = []
    for (let i = 0; i < 8; i++) {
      const headers = { authorization: 'Bearer k-1' }
      const body = ask('openai-chat', { model: 'demo' })
      statuses.push((await fetchRaw(url + PATHS['openai-chat'], { body, headers })).status)
      await sleep(30)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
  })

  test('share what a key may spend in a day, also with one that starts later', async () => {
    const budget = 'budget: { tokens: 1, per: day }'
    const url = await serve(
      `keys:\n  - { name: me, hash: "sha256:${hashKey('k-1')}", ${budget} }\n`,
    )
    const statusOf = async (): Promise<number> => {
      const body = ask('openai-chat', { model: 'demo' })
      return (await fetchRaw(url + PATHS['openai-chat'], { body, headers: ME })).status
    }
    expect(await statusOf()).toBe(200)
    await sleep(50)
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([429, 429, 429])
    await replaceOne()
    for (let i = 0; i < 4; i++) expect(await statusOf()).toBe(429)
  })

  test('know each other’s stored answers, also one that starts later', async () => {
    const upstream = await startUpstream()
    const chat = await startUpstream()
    try {
      const json = { 'content-type': 'application/json' }
      chat.always({ body: JSON.stringify(CHAT.plain), headers: json })
      const body = JSON.stringify({ ...RESPONSES.plain, id: 'resp_1' })
      upstream.always({ body, headers: json })
      const url = await serve(
        `keys:\n  - { name: me, hash: "sha256:${hashKey('k-1')}" }\nupstreams:\n` +
          `  up: { wire: openai-responses, baseUrl: "${upstream.url}", apiKey: sk-ours }\n` +
          `  chat: { wire: openai-chat, baseUrl: "${chat.url}", apiKey: sk-ours }\n` +
          'routes:\n  - { model: "chat-*", to: chat }\n  - { model: "*", to: up }\n',
      )
      const headers = ME
      const made = await fetchRaw(url + PATHS['openai-responses'], {
        body: ask('openai-responses'),
        headers,
      })
      expect(made.status).toBe(200)
      // Of a Chat upstream, which keeps nothing: the workers do.
      const say = async (more: object): Promise<RawAnswer> => {
        const asked = ask('openai-responses', { model: 'chat-1', ...more })
        const answer = await fetchRaw(url + PATHS['openai-responses'], { body: asked, headers })
        await sleep(50)
        return answer
      }
      const first = JSON.parse((await say({ input: 'An owl' })).body.toString()) as { id: string }
      const statuses = async (): Promise<readonly number[]> => {
        const all: number[] = []
        for (let i = 0; i < 4; i++) {
          const at = `${url}/v1/responses/resp_1`
          all.push((await fetchRaw(at, { method: 'GET', headers })).status)
          const next = await say({ previous_response_id: first.id, input: 'Go on' })
          expect([next.status, next.body.toString().includes('error":null')]).toEqual([200, true])
          expect(chat.requests.at(-1)?.body.toString()).toContain('An owl')
        }
        return all
      }
      expect(await statuses()).toEqual([200, 200, 200, 200])
      await replaceOne()
      expect(await statuses()).toEqual([200, 200, 200, 200])
    } finally {
      await upstream.close()
      await chat.close()
    }
  })

  test('show whoever watches one of them what happens on all', async () => {
    const url = await serve('admin: { token: the-admin-token-of-all }\n')
    const response = await fetch(`${url}/api/events`, {
      headers: { authorization: 'Bearer the-admin-token-of-all' },
    })
    let seen = ''
    const reading = (async () => {
      for await (const chunk of response.body ?? []) seen += Buffer.from(chunk).toString()
    })().catch(() => {})
    await until(() => seen.includes('event: state'), 'the first event')
    // The other worker hears a moment later that somebody watches.
    await sleep(300)
    for (let i = 0; i < 6; i++) expect((await send(url)).status).toBe(200)
    const count = (type: string): number => seen.split(`event: ${type}\n`).length - 1
    await until(() => count('finished') === 6 && count('begun') === 6, 'the events of both')
    const gateways = new Set([...seen.matchAll(/"gateway":"([^"]+)"/g)].map(([, name]) => name))
    expect(gateways.size).toBe(2)
    child.kill('SIGKILL')
    await reading
  })

  test.each([
    ['to the first process', false],
    ['to all of them, as a terminal does it', true],
  ])('let their streams finish at a signal %s', async (_, toAll) => {
    const url = await serve(SLOW)
    const body = ask('openai-chat', { model: 'demo-text', stream: true })
    const calls = [1, 2].map(() => sendRequest(url + PATHS['openai-chat'], { body }))
    await Promise.all(calls.map((call) => call.received(1)))
    const all = workers()
    if (toAll) for (const pid of all) process.kill(pid, 'SIGINT')
    child.kill('SIGINT')
    for (const call of calls) {
      const answer = await call.answer
      expect(answer.end).toBe('whole')
      expect(answer.body.toString()).toMatch(/\[DONE\]\n\n$/)
    }
    expect(await endOf(child, 5000)).toBe(0)
    expect(all.filter(isRunning)).toEqual([])
  })

  test('end at once at the second signal', async () => {
    const url = await serve(SLOW)
    const body = ask('openai-chat', { model: 'demo-text', stream: true })
    const call = sendRequest(url + PATHS['openai-chat'], { body })
    await call.received(1)
    const all = workers()
    child.kill('SIGTERM')
    await sleep(100)
    child.kill('SIGTERM')
    expect(await endOf(child, 2000)).toBe(130)
    expect((await call.answer).end).toBe('cut')
    await until(() => !all.some(isRunning), 'the end of all workers')
  })

  test('do not outlive a first process that was killed', async () => {
    const url = await serve('')
    expect((await send(url)).status).toBe(200)
    const all = workers()
    child.kill('SIGKILL')
    await until(() => !all.some(isRunning), 'the end of all workers')
  })
})
