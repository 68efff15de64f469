import { expect, test } from 'vitest'
import { parseBody } from './body-form.ts'

const many = (one: string, count: number): Uint8Array =>
  Buffer.from(`{"messages":[${`${one},`.repeat(count)}${one}]}`)

test('a body of more objects than a conversation has is not read: that would take a gigabyte', () => {
  expect(parseBody(many('{}', 1_100_000))).toBeUndefined()
  expect(parseBody(many('[]', 1_100_000))).toBeUndefined()
})

test('a long body is read', () => {
  const long = parseBody(many(`{"content":"${'x'.repeat(2000)}"}`, 4000))
  expect(long).toMatchObject({ messages: { length: 4001 } })
})
