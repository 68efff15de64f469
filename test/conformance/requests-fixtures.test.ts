/**
 * What real clients send, to every upstream: no problem anywhere, and nothing that its API would refuse.
 */
import { describe, expect, test } from 'vitest'
import { validateAnthropic } from '../support/api-rules-anthropic.ts'
import { validateChat } from '../support/api-rules-chat.ts'
import { validateResponses } from '../support/api-rules-responses.ts'
import {
  itemsOf,
  judge,
  nameOf,
  read,
  REQUESTS,
  targetsFrom,
  TARGETS,
  write,
  type RequestFixture,
} from '../support/requests.ts'

describe.each(REQUESTS.map((fixture) => [fixture.name, fixture] as const))('%s', (_, fixture) => {
  test('is legal on its own wire', () => {
    expect(judgeClient(fixture)).toEqual([])
  })

  test.each(targetsFrom(fixture.wire).map((to) => [nameOf(to), to] as const))(
    'gives a legal request for %s',
    (__, to) => {
      const written = write(read(fixture.wire, fixture.body), to)
      expect(judge(written, to)).toEqual([])
      expect(written.body['model']).toBe(to.model)
      // What a server keeps is looked up by the exchange before; here it is left alone.
      if (fixture.needs !== undefined)
        expect(JSON.stringify(written.body)).not.toContain(fixture.needs)
    },
  )

  test('says the same twice', () => {
    for (const to of targetsFrom(fixture.wire)) {
      const once = write(read(fixture.wire, fixture.body), to)
      const again = write(read(fixture.wire, structuredClone(fixture.body)), to)
      expect(JSON.stringify(again.body)).toBe(JSON.stringify(once.body))
    }
  })

  test('stays what it is on its own wire', () => {
    const to = TARGETS.find(({ wire }) => wire === fixture.wire)
    if (to === undefined) return
    const { body } = write(read(fixture.wire, fixture.body), {
      ...to,
      model: fixture.body['model'] as string,
    })
    expect(body).toEqual(fixture.body)
  })
})

describe('the turns of Claude Code', () => {
  const [before, after] = ['claude-code-opus-5', 'claude-code-opus-5-next'].map((name) =>
    REQUESTS.find((fixture) => fixture.name === name),
  ) as [RequestFixture, RequestFixture]

  test.each(targetsFrom('anthropic-messages').map((to) => [nameOf(to), to] as const))(
    'keep their beginning on %s, although marks move and the billing line changes',
    (_, to) => {
      const first = write(read(before.wire, before.body), to)
      const second = write(read(after.wire, after.body), to)
      const items = withoutMarks(itemsOf(to.wire, first.body))
      expect(withoutMarks(itemsOf(to.wire, second.body)).slice(0, items.length)).toEqual(items)
      expect(second.body['instructions']).toEqual(first.body['instructions'])
      expect(JSON.stringify(second.body)).not.toContain('x-anthropic-billing-header')
    },
  )
})

const withoutMarks = (items: readonly unknown[]): unknown[] =>
  JSON.parse(
    JSON.stringify(items, (key, value: unknown) =>
      key === 'prompt_cache_breakpoint' ? undefined : value,
    ),
  ) as unknown[]

function judgeClient({ wire, body, headers }: RequestFixture): unknown[] {
  if (wire === 'anthropic-messages') return validateAnthropic(body, { headers: headers ?? {} })
  return wire === 'openai-chat' ? validateChat(body, { vendor: 'client' }) : validateResponses(body)
}
