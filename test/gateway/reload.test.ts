/** A running gateway whose config changes: what is under way goes on, what begins follows the new one. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { endOf, start } from '../support/command.ts'
import { allTo, httpUpstream } from '../support/gateway.ts'
import { fetchRaw } from '../support/raw-client.ts'
import { SMALL } from '../support/small-streams.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'
import { begunOf, LIMITS, post, withPair } from '../support/connections.ts'

const WIRE = 'anthropic-messages'
const BODY = SMALL[WIRE]
const SLOWLY = { body: BODY, cuts: [begunOf(WIRE).length], pace: 1500 }

describe('new settings', () => {
  let other: TestUpstream
  beforeEach(async () => {
    other = await startUpstream()
    other.always({ body: BODY })
  })
  afterEach(() => other.close())

  test('hold for what begins, and streams under way go on', async () => {
    await withPair({}, async (pair) => {
      pair.upstream.next({ ...SLOWLY, pace: 300 })
      const call = pair.post(WIRE)
      await call.received(1)
      pair.gateway.reload({ ...pair.gateway.settings, ...allTo(httpUpstream(other.url)) })
      expect((await pair.post(WIRE).answer).status).toBe(200)
      expect([pair.upstream.requests.length, other.requests.length]).toEqual([1, 1])
      expect((await call.answer).body.toString()).toBe(BODY)
      // The connections to an upstream that is gone are closed behind the last of its streams.
      for (let i = 0; i < 50 && pair.upstream.connections > 0; i++) await sleep(20)
      expect(pair.upstream.connections).toBe(0)
    })
  })

  test('do not take the upstream from a request that is still being sent', async () => {
    await withPair({}, async (pair) => {
      pair.upstream.next({ body: BODY })
      const pieces = ['{"model":"m","max_tokens":9,"stream":true,', '"messages":[]}']
      const call = post(pair.gateway, WIRE, {}, { body: pieces, pace: 200 })
      await sleep(50)
      pair.gateway.reload({ ...pair.gateway.settings, ...allTo(httpUpstream(other.url)) })
      expect((await call.answer).body.toString()).toBe(BODY)
      expect(pair.upstream.requests.length).toBe(1)
    })
  })

  test('do not take the upstream from a request that is tried again, over two reloads', async () => {
    const retry = { attempts: 2, backoff: 300, maxBackoff: 300, maxRetryAfter: 1000 }
    await withPair({ up: { retry } }, async (pair) => {
      pair.upstream.next({ status: 503, body: '{}' }, { body: BODY })
      const call = pair.post(WIRE)
      await pair.upstream.request(0)
      await sleep(30)
      pair.gateway.reload({ ...pair.gateway.settings, keepalive: 5000 })
      pair.gateway.reload({ ...pair.gateway.settings, ...allTo(httpUpstream(other.url)) })
      expect((await call.answer).body.toString()).toBe(BODY)
      expect(pair.upstream.requests.length).toBe(2)
    })
  })

  test('keep the circuit and the connections of an upstream that did not change', async () => {
    const up = { breaker: { failures: 1, cooldown: 60_000 }, limits: LIMITS }
    await withPair({ up }, async (pair) => {
      pair.upstream.next({ status: 503, body: '{}' })
      expect((await pair.post(WIRE).answer).status).toBe(503)
      pair.gateway.reload({ ...pair.gateway.settings, keepalive: 5000 })
      expect((await pair.post(WIRE).answer).status).toBe(529)
      expect(pair.upstream.requests.length).toBe(1)
    })
  })
})

describe('the config file of the command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-reload-'))
  const file = join(folder, 'sluice.yaml')
  let first: TestUpstream
  let second: TestUpstream
  beforeAll(async () => {
    first = await startUpstream()
    second = await startUpstream()
    second.always({ body: BODY })
  })
  afterAll(async () => {
    await Promise.all([first.close(), second.close()])
    rmSync(folder, { recursive: true })
  })

  const configFor = (url: string): string =>
    `upstreams:\n  up: { wire: ${WIRE}, baseUrl: "${url}" }\nlog: { level: info, format: json }\n`

  test('is read again when it changes, and a bad one changes nothing', async () => {
    writeFileSync(file, configFor(first.url))
    const child = start('serve', '--port', '0', '--config', file)
    let said = ''
    let wake = (): void => {}
    const hear = (chunk: Buffer): void => {
      said += chunk.toString()
      wake()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    const heard = async (words: RegExp): Promise<RegExpExecArray> => {
      for (;;) {
        const found = words.exec(said)
        if (found !== null) return found
        await new Promise<void>((resolve) => (wake = resolve))
      }
    }
    const [url] = await heard(/http:\/\/127\.0\.0\.1:\d+/)
    first.next(SLOWLY)
    const call = post({ url }, WIRE)
    await call.received(1)

    // As editors do it: another file takes its place.
    writeFileSync(`${file}.new`, configFor(second.url))
    renameSync(`${file}.new`, file)
    await heard(/read again and is in force/)
    expect((await post({ url }, WIRE).answer).body.toString()).toBe(BODY)
    expect([first.requests.length, second.requests.length]).toEqual([1, 1])

    writeFileSync(file, configFor(first.url).replace('baseUrl', 'bseUrl'))
    await heard(/old one stays in force/)
    expect(said).toMatch(/bseUrl/)
    expect((await post({ url }, WIRE).answer).status).toBe(200)
    expect(second.requests.length).toBe(2)

    // What was under way all the time has not noticed.
    expect((await call.answer).body.toString()).toBe(BODY)
    const metrics = await fetchRaw(`${url}/metrics`, { method: 'GET' })
    expect(metrics.body.toString()).toMatch(/reload/)
    child.kill('SIGTERM')
    expect(await endOf(child, 5000)).toBe(0)
  })
})
