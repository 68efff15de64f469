import { expect, test } from 'vitest'
import { errors } from 'undici'
import { toFailure } from './failure.ts'

const withCode = (code: string, message = 'connect 10.1.2.3:443') =>
  Object.assign(new Error(message), { code })

test.each([
  ['ECONNREFUSED', 'internal', true, 'it refused the connection'],
  ['ENOTFOUND', 'internal', true, 'its host name is not known'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout', true, 'it did not accept the connection in time'],
  ['ECONNRESET', 'cut', false, 'it closed the connection'],
  ['UND_ERR_SOCKET', 'cut', false, 'it closed the connection'],
  ['UND_ERR_HEADERS_OVERFLOW', 'bad-stream', false, 'its headers are too large'],
  ['HPE_INVALID_HEADER_TOKEN', 'bad-stream', false, 'it does not speak HTTP'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'internal', true, 'its certificate is not trusted'],
  ['CERT_HAS_EXPIRED', 'internal', true, 'its certificate is not trusted'],
  ['SOMETHING_NEW', 'cut', false, 'the connection failed'],
  ['constructor', 'cut', false, 'the connection failed'],
])('%s is told in a sentence', (code, kind, isBeforeRequest, words) => {
  const failure = toFailure('up', withCode(code))
  expect(failure).toMatchObject({ kind, isBeforeRequest })
  expect(failure.message).toContain(`Upstream "up" could not answer: ${words}`)
  expect(failure.message).toContain(`(${code})`)
})

test('no address gets into what is told', () => {
  expect(toFailure('up', withCode('ECONNREFUSED')).message).not.toMatch(/10\.1\.2\.3/)
  expect(toFailure('up', new Error('secret.internal:443')).message).not.toMatch(/secret/)
})

test('finds the code inside of what was thrown', () => {
  const inner = withCode('ECONNREFUSED')
  for (const error of [
    new Error('outer', { cause: inner }),
    new AggregateError([inner, withCode('ENOTFOUND')]),
    new TypeError('fetch failed', { cause: new AggregateError([inner]) }),
  ])
    expect(toFailure('up', error).message).toMatch(/ECONNREFUSED/)
})

test.each([undefined, null, 'text', 7, new AggregateError([])])(
  'says something of %s',
  (thrown) => {
    expect(toFailure('up', thrown)).toMatchObject({
      kind: 'cut',
      message: 'Upstream "up" could not answer: the connection failed',
    })
  },
)

test('a connection is stale that had served before, and was closed before this answer began', () => {
  const closed = (bytesRead: number): Error =>
    Object.assign(new errors.SocketError('other side closed'), { socket: { bytesRead } })
  expect(toFailure('up', closed(500)).isStale).toBe(true)
  expect(toFailure('up', closed(500), true).isStale).toBe(false)
  expect(toFailure('up', closed(0)).isStale).toBe(false)
  expect(toFailure('up', withCode('ECONNREFUSED')).isStale).toBe(false)
})
