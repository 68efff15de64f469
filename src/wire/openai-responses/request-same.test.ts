import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { toProfile } from '../../request/profile.ts'
import { seal } from '../envelope.ts'
import { readRequest } from './request-read.ts'
import { writeRequest } from './request-write.ts'

function again(items: readonly JsonObject[], issuer?: string): unknown {
  const read = readRequest({ model: 'theirs', input: items })
  if (!read.ok) throw new Error(read.problem.message)
  const profile = toProfile({ wire: 'openai-responses', model: 'gpt-5.5' })
  const result = writeRequest(read.request, { model: 'gpt-5.5', isStream: true, profile, issuer })
  return result.ok ? result.body['input'] : result.problem
}

const user = { role: 'user', content: 'Hi' }
const said = { role: 'assistant', content: 'Yes' }
const own = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' }
const foreign = {
  type: 'reasoning',
  id: 'rs_2',
  summary: [],
  encrypted_content: seal({ wire: 'anthropic-messages', text: 'Hm', signature: 's' }),
}

describe('thinking in a request of the same wire', () => {
  test('of the vendor’s own stays as it is', () => {
    expect(again([user, own, said])).toEqual([user, own, said])
  })

  test('of another wire goes, and so does what stood before it', () => {
    expect(again([user, foreign, said])).toEqual([user, said])
    expect(again([user, own, foreign, said])).toEqual([user, said])
    expect(again([user, foreign, own, said])).toEqual([user, own, said])
  })

  test('that came in an envelope goes back to the upstream that sealed it, and to no other', () => {
    const wrapped = {
      ...foreign,
      encrypted_content: seal({ wire: 'openai-responses', issuer: 'a', text: '', item: own }),
    }
    expect(again([user, wrapped, said], 'a')).toEqual([user, own, said])
    expect(again([user, wrapped, said], 'b')).toEqual([user, said])
  })
})
