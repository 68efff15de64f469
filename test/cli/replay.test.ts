/** `sluice replay` as a process: recordings in place of a provider. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { endOf, sluice, start } from '../support/command.ts'
import { ask } from '../support/gateway.ts'
import { fetchRaw } from '../support/raw-client.ts'
import { SMALL } from '../support/small-streams.ts'

const WIRE = 'openai-chat'
let folder = ''
const running = new Set<ChildProcessWithoutNullStreams>()

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-replay-'))
  writeFileSync(join(folder, 'a.sse'), SMALL[WIRE])
  const request = JSON.parse(ask(WIRE, { stream: true })) as object
  const meta = { id: 'rec-a', wire: WIRE, endpoint: '/v1/chat/completions', request }
  writeFileSync(join(folder, 'a.json'), JSON.stringify(meta))
})
afterEach(async () => {
  for (const child of running) {
    child.kill('SIGTERM')
    await endOf(child, 5000)
  }
  running.clear()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function replay(...args: readonly string[]): Promise<{
  readonly child: ChildProcessWithoutNullStreams
  readonly url: string
  readonly said: () => string
}> {
  const child = start('replay', '--port', '0', ...args)
  running.add(child)
  let said = ''
  await new Promise<void>((resolve, reject) => {
    const hear = (piece: Buffer): void => {
      said += piece.toString()
      if (said.includes('OpenAI SDK')) resolve()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.on('exit', (code) => reject(new Error(`It ended with ${code}: ${said}`)))
  })
  return { child, url: / on (http\S+)/.exec(said)?.[1] ?? '', said: () => said }
}

const post = (url: string, content = 'Hello'): ReturnType<typeof fetchRaw> =>
  fetchRaw(`${url}/v1/chat/completions`, {
    headers: { 'content-type': 'application/json' },
    body: ask(WIRE, { stream: true, messages: [{ role: 'user', content }] }),
  })

test('it says where it is, what there is, and what was asked and found', async () => {
  const { child, url, said } = await replay(folder, '--speed', 'instant')
  expect(said()).toContain('Replaying 1 answer of')
  expect((await post(url)).body.toString()).toBe(SMALL[WIRE])
  child.kill('SIGINT')
  expect(await endOf(child)).toBe(0)
  expect(said()).toContain('→ rec-a (the same request)')
  expect(said()).toContain('1 answer given, 0 not asked for, 0 requests not known')
})

describe('--once', () => {
  test('ends with 0 when all was given', async () => {
    const { child, url } = await replay(folder, '--speed', '10', '--once')
    await post(url)
    expect(await endOf(child)).toBe(0)
  })

  test('ends with 1 when something was asked that was not recorded', async () => {
    const { child, url, said } = await replay(folder, '--speed', 'instant', '--once')
    expect((await post(url, 'Another')).status).toBe(404)
    await post(url)
    expect(await endOf(child)).toBe(1)
    expect(said()).toContain('none was the answer to such a request')
  })
})

test('what cannot be replayed is wrong use', async () => {
  const { code, stderr } = await sluice(['replay', 'an-id', '--store', 'no-such.db'])
  expect(code).toBe(2)
  expect(stderr).toContain('There are no records in')
})
