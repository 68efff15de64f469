/** The end of a gateway: what is under way may finish, nothing new begins, and nobody waits for ever. */
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { install } from '../../src/policy/installed.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { endOf, start } from '../support/command.ts'
import { ask, PATHS } from '../support/gateway.ts'
import { fetchRaw, sendRequest } from '../support/raw-client.ts'
import { SMALL } from '../support/small-streams.ts'
import { begunOf, startPair, withPair } from '../support/connections.ts'

/** How long that took, in milliseconds. */
async function timed(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work
  return performance.now() - startedAt
}

describe('a gateway that closes', () => {
  test.each(WIRE_NAMES)(
    'lets its streams finish, and takes no new connection: %s',
    async (wire) => {
      const pair = await startPair()
      const body = SMALL[wire]
      pair.upstream.next({ body, cuts: [begunOf(wire).length], pace: 500 })
      const agent = new Agent({ keepAlive: true })
      const call = pair.post(wire, { stream: true }, { agent })
      await call.received(1)
      const closing = timed(pair.gateway.close(5000))
      await sleep(50)
      expect((await pair.post(wire).answer).end).toBe('failed')
      const answer = await call.answer
      expect([answer.end, answer.body.toString()]).toEqual(['whole', body])
      // The connection could be used again, and is closed all the same.
      const took = await closing
      expect(took).toBeGreaterThan(350)
      expect(took).toBeLessThan(3000)
      expect(pair.gateway.reports.at(-1)).toMatchObject({ outcome: 'done' })
      agent.destroy()
      await pair.upstream.close()
    },
  )

  test('closes connections that nobody uses, and those that never said a word', async () => {
    await withPair({}, async (pair) => {
      const agent = new Agent({ keepAlive: true })
      await fetchRaw(`${pair.gateway.url}/health`, { method: 'GET', agent })
      const silent = connect(pair.gateway.port, '127.0.0.1')
      silent.on('error', () => {})
      await new Promise((resolve) => silent.on('connect', resolve))
      await sleep(20)
      expect(await timed(pair.gateway.close(5000))).toBeLessThan(2000)
      agent.destroy()
      silent.destroy()
    })
  })

  test('ends what takes longer than it may', async () => {
    await withPair({}, async (pair) => {
      pair.upstream.always({ body: begunOf('openai-chat'), ending: 'hang' })
      const call = pair.post('openai-chat')
      await call.received(1)
      const took = await timed(pair.gateway.close(300))
      expect(took).toBeGreaterThan(250)
      expect(took).toBeLessThan(2500)
      expect((await call.answer).end).toBe('cut')
      expect(pair.gateway.reports.length).toBe(1)
      const request = await pair.upstream.request(0)
      await request.over
      expect(request.aborted).toBe(true)
    })
  })

  test('does not wait for somebody who acts on an answer and never comes back', async () => {
    const policies = [install({ name: 'test', onChunk: () => new Promise(() => {}) })]
    await withPair({ options: { policies } }, async (pair) => {
      pair.upstream.next({ body: SMALL['openai-chat'] })
      const call = pair.post('openai-chat')
      await pair.upstream.request(0)
      await sleep(50)
      expect(await timed(pair.gateway.close(100))).toBeLessThan(2000)
      expect((await call.answer).end).toBe('cut')
    })
  })

  test('lets a client that reads slowly read to the end', async () => {
    await withPair({}, async (pair) => {
      const content = 'x'.repeat(12_000_000)
      pair.upstream.next({
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          object: 'chat.completion',
          choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
        }),
      })
      const agent = new Agent({ keepAlive: true })
      const call = pair.post('openai-chat', {}, { agent })
      call.pause()
      await pair.gateway.report(0)
      const closing = pair.gateway.close(10_000)
      await sleep(800)
      call.resume()
      const answer = await call.answer
      expect(answer.end).toBe('whole')
      expect(answer.body.length).toBeGreaterThan(content.length)
      await closing
      agent.destroy()
    })
  })
})

describe('the command', () => {
  const PORT = /http:\/\/127\.0\.0\.1:\d+/

  async function serve(...args: readonly string[]) {
    const child = start('serve', '--port', '0', ...args)
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const url = await new Promise<string>((resolve, reject) => {
      child.on('exit', () => reject(new Error(`The command ended: ${said}`)))
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString()
        const found = PORT.exec(said)?.[0]
        if (found !== undefined) resolve(found)
      })
    })
    return { child, url }
  }

  /** The demo's slow script takes some seconds. */
  const slow = (url: string) =>
    sendRequest(url + PATHS['openai-chat'], {
      body: ask('openai-chat', { model: 'slow', stream: true }),
    })

  test.each(['SIGTERM', 'SIGINT'] as const)('lets streams finish at a %s', async (signal) => {
    const { child, url } = await serve()
    const call = slow(url)
    await call.received(1)
    child.kill(signal)
    await sleep(100)
    expect((await fetchRaw(`${url}/health`, { method: 'GET' })).end).toBe('failed')
    const answer = await call.answer
    expect(answer.end).toBe('whole')
    expect(answer.body.toString()).toMatch(/\[DONE\]\n\n$/)
    expect(await endOf(child, 3000)).toBe(0)
  })

  test('ends at once at the second signal', async () => {
    const { child, url } = await serve()
    const call = slow(url)
    await call.received(1)
    child.kill('SIGTERM')
    await sleep(100)
    const took = timed(endOf(child, 5000))
    child.kill('SIGTERM')
    expect(await took).toBeLessThan(2000)
    expect(child.exitCode).toBe(130)
    expect((await call.answer).end).toBe('cut')
  })

  test('ends at once when nothing is under way', async () => {
    const { child, url } = await serve()
    const agent = new Agent({ keepAlive: true })
    await fetchRaw(`${url}/health`, { method: 'GET', agent })
    child.kill('SIGTERM')
    expect(await timed(endOf(child, 5000))).toBeLessThan(2500)
    expect(child.exitCode).toBe(0)
    agent.destroy()
  })
})
