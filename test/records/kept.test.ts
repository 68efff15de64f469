/** A gateway that is alone with its file: what was spent and halted outlives a restart. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { hashKey } from '../../src/config/keys.ts'
import { withStore } from '../../src/config/records.ts'
import { demoSettings } from '../../src/config/load.ts'
import { ask, key, PATHS, startTestGateway, type TestGateway } from '../support/gateway.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-kept-'))
afterAll(() => rmSync(folder, { recursive: true }))

const start = (): Promise<TestGateway> => {
  const budget = { tokens: 1, per: 'day' } as const
  const place = { type: 'sqlite', file: join(folder, 'records.db') } as const
  const { records, store } = withStore(demoSettings(), place)
  return startTestGateway({ keys: [key('me', hashKey('k-1'), { budget })], records, store })
}

const statusOf = async ({ url }: TestGateway): Promise<number> => {
  const response = await fetch(url + PATHS['openai-chat'], {
    method: 'POST',
    headers: { authorization: 'Bearer k-1', 'content-type': 'application/json' },
    body: ask('openai-chat', { model: 'demo' }),
  })
  await response.text()
  return response.status
}

const halt = async (gateway: TestGateway, order?: object): Promise<unknown> => {
  const response = await fetch(`${gateway.url}/api/policies/halt`, {
    headers: { authorization: `Bearer ${gateway.adminToken()}` },
    ...(order === undefined ? {} : { method: 'POST', body: JSON.stringify(order) }),
  })
  return ((await response.json()) as { halted: unknown }).halted
}

test('a budget that is spent and a switch that is on stay so', async () => {
  const first = await start()
  expect(await statusOf(first)).toBe(200)
  expect(await statusOf(first)).toBe(429)
  await halt(first, { halted: true, by: 'ann' })
  await first.close()

  const second = await start()
  expect(await statusOf(second)).toBe(429)
  expect(await halt(second)).toBe(true)
  expect(second.lines.join('')).toContain('as they were when this gateway was stopped')
  await halt(second, { halted: false })
  await second.close()

  const third = await start()
  expect(await halt(third)).toBe(false)
  await third.close()
})
