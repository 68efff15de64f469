import { afterAll, beforeAll, expect, test } from 'vitest'
import { httpUpstream } from '../../test/support/gateway.ts'
import { startUpstream, type TestUpstream } from '../../test/support/upstream.ts'
import { createHttpUpstream } from './http.ts'

let server: TestUpstream
beforeAll(async () => {
  server = await startUpstream()
  server.always({ body: '{}' })
})
afterAll(() => server.close())

/** The query that arrives. */
async function sent(query: string, own: Readonly<Record<string, string>>): Promise<string> {
  const upstream = createHttpUpstream(httpUpstream(`${server.url}/v1`, { query: own }))
  const before = server.requests.length
  await new Promise<void>((onEnd) => {
    upstream.send(
      { method: 'GET', wire: 'openai-chat', path: '/models', query, headers: {}, body: undefined },
      { onHead() {}, onData() {}, onEnd, onError: () => onEnd() },
    )
  })
  await upstream.close()
  return server.requests[before]?.path ?? 'nothing came'
}

const ODD = '?a=%20&a=+&b&&c=%c3%a9&include[]=x%2Cy&=z'

test.each([
  ['', {}, ''],
  [ODD, {}, ODD],
  ['', { v: '1' }, '?v=1'],
  ['?', { v: '1' }, '?v=1'],
  [ODD, { v: '1 2', w: 'é' }, `${ODD}&v=1+2&w=%C3%A9`],
  ['?v=0&a=1&v=2&%76=3&v', { v: '1' }, '?a=1&v=1'],
  ['?V=0&vv=%2', { v: '1' }, '?V=0&vv=%2&v=1'],
  ['??v=0', { v: '1' }, '??v=0&v=1'],
])('a query %j goes along as it came, under what the config says: %j', async (query, own, all) => {
  expect(await sent(query, own as Readonly<Record<string, string>>)).toBe(`/v1/models${all}`)
})
