import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchRaw, type RawAnswer } from '../../test/support/raw-client.ts'
import { demoSettings } from '../config/load.ts'
import { allowOrigin, answerPreflight } from './origin.ts'

const settings = { ...demoSettings(), origins: ['https://tools.example'] }
const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  if (answerPreflight(request, response, settings)) return
  allowOrigin(request, response, settings)
  response.end('served')
})
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => server.close())

const send = (method: string, headers: Record<string, string>): Promise<RawAnswer> =>
  fetchRaw(url, { method, headers })

test('a page that is named is answered before it asks', async () => {
  const answer = await send('OPTIONS', {
    origin: 'https://tools.example',
    'access-control-request-headers': 'x-api-key',
  })
  expect([answer.status, answer.body.toString()]).toEqual([204, ''])
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': 'https://tools.example',
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': 'x-api-key',
  })
})

test.each([{}, { origin: 'https://other.example' }, { origin: 'null' }])(
  'nobody else is: %j',
  async (headers: Record<string, string>) => {
    for (const method of ['OPTIONS', 'GET']) {
      const answer = await send(method, headers)
      expect(answer.body.toString()).toBe('served')
      expect(JSON.stringify(answer.headers)).not.toContain('access-control')
    }
  },
)

test('a named page may read its answer, and caches keep it apart', async () => {
  const { headers } = await send('POST', { origin: 'https://tools.example' })
  expect(headers).toMatchObject({
    'access-control-allow-origin': 'https://tools.example',
    'access-control-expose-headers': '*',
    vary: 'origin',
  })
})
