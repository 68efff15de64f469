/**
 * When the first frame of an answer is enough: from an upstream whose answers have always come to their content, where no
 * other could be asked (`src/exchange/trust.ts`). Until then, and after one that broke, an error before the content is a status.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import {
  expectBroken,
  expectStatus,
  framesOf,
  post,
  startPair,
  type Pair,
} from '../support/connections.ts'
import { allTo, httpUpstream, startTestGateway, type TestGateway } from '../support/gateway.ts'
import type { RawAnswer } from '../support/raw-client.ts'
import { SMALL } from '../support/small-streams.ts'
import { startUpstream, type TestUpstream } from '../support/upstream.ts'
import type { Reply } from '../support/upstream-reply.ts'

const PACE_MS = 200
const AUTO = { settings: { commit: 'auto' as const } }

const ERROR: Readonly<Record<WireName, string>> = {
  'anthropic-messages':
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
  'openai-chat':
    'data: {"error":{"message":"Overloaded","type":"server_error","code":"server_is_overloaded"}}\n\n',
  'openai-responses':
    'event: error\ndata: {"type":"error","code":"server_is_overloaded","message":"Overloaded","param":null,"sequence_number":1}\n\n',
}

/** The first frame, a pause, and the rest. */
const slowly = (wire: WireName): Reply => ({
  body: SMALL[wire],
  cuts: [framesOf(wire)[0]?.length ?? 0],
  pace: PACE_MS,
})

/** The first frame, and behind a pause an error. */
const failing = (wire: WireName, pace = PACE_MS): Reply => {
  const [first = ''] = framesOf(wire)
  return { body: first + ERROR[wire], cuts: pace === 0 ? [] : [first.length], pace }
}

const waited = ({ pieces, startedAt }: RawAnswer): number => (pieces[0]?.at ?? 0) - startedAt

async function earn({ upstream, post: ask }: Pair, wire: WireName, times = 100): Promise<void> {
  for (let time = 0; time < times; time++) {
    upstream.next({ body: SMALL[wire] })
    await ask(wire).answer
  }
}

describe.each(WIRE_NAMES)('an upstream of %s', (wire) => {
  let pair: Pair
  beforeEach(async () => {
    pair = await startPair(AUTO)
  })
  afterEach(() => pair.close())

  const ask = (reply: Reply): Promise<RawAnswer> => {
    pair.upstream.next(reply)
    return pair.post(wire).answer
  }

  test('waits for its content, until a hundred answers have come to theirs', async () => {
    await earn(pair, wire, 99)
    expect(waited(await ask(slowly(wire)))).toBeGreaterThanOrEqual(PACE_MS - 20)
    const trusted = await ask(slowly(wire))
    expect(waited(trusted)).toBeLessThan(PACE_MS / 2)
    expect(trusted.body.toString()).toBe(SMALL[wire])
  })

  test('loses its trust with an answer that breaks before its content', async () => {
    await earn(pair, wire)
    // What has left cannot become a status any more.
    expect(expectBroken(wire, await ask(failing(wire)))).toContain('Overloaded')
    const answer = await ask(failing(wire))
    expect(expectStatus(wire, answer, answer.status)).toContain('Overloaded')
    expect(waited(await ask(slowly(wire)))).toBeGreaterThanOrEqual(PACE_MS - 20)
  })

  test('loses it with one that is cut off, too', async () => {
    await earn(pair, wire)
    const [first = ''] = framesOf(wire)
    expectBroken(wire, await ask({ body: first, ending: 'destroy', pace: 20 }))
    expectStatus(wire, await ask({ body: first, ending: 'destroy', pace: 20 }), 502)
  })

  test('says its error by status when it comes with the first frame', async () => {
    await earn(pair, wire)
    const answer = await ask(failing(wire, 0))
    expect(expectStatus(wire, answer, answer.status)).toContain('Overloaded')
  })

  test('keeps its trust when a client leaves before the content', async () => {
    await earn(pair, wire)
    pair.upstream.next({ ...slowly(wire), pace: 2000 })
    const call = pair.post(wire)
    const { closedAt } = await leaveEarly(call, pair.upstream)
    expect(closedAt).toBeDefined()
    expect(waited(await ask(slowly(wire)))).toBeLessThan(PACE_MS / 2)
  })
})

async function leaveEarly(
  call: ReturnType<typeof post>,
  upstream: TestUpstream,
): Promise<{ closedAt: number | undefined }> {
  const request = await upstream.request(upstream.requests.length)
  await new Promise((resolve) => setTimeout(resolve, 50))
  call.leave()
  await call.answer
  await request.over
  return request
}

describe('a client of another wire', () => {
  const CROSSED = WIRE_NAMES.flatMap((client) =>
    WIRE_NAMES.filter((wire) => wire !== client).map((wire) => [client, wire] as const),
  )

  test.each(CROSSED)('%s on %s is answered with the first frame', async (client, wire) => {
    const upstream = await startUpstream()
    const gateway = await startTestGateway({
      ...allTo(httpUpstream(upstream.url, { wires: [wire] })),
      commit: 'auto',
    })
    try {
      upstream.always({ body: SMALL[wire] })
      for (let time = 0; time < 100; time++) await post(gateway, client).answer
      upstream.always(slowly(wire))
      const answer = await post(gateway, client).answer
      expect([answer.status, answer.end]).toEqual([200, 'whole'])
      expect(waited(answer)).toBeLessThan(PACE_MS / 2)
      upstream.always(failing(wire))
      expect(expectBroken(client, await post(gateway, client).answer)).toContain('Overloaded')
      const told = await post(gateway, client).answer
      expect(expectStatus(client, told, told.status)).toContain('Overloaded')
    } finally {
      await gateway.close(0)
      await upstream.close()
    }
  })
})

describe('where another upstream could be asked', () => {
  const WIRE = 'anthropic-messages'
  let first: TestUpstream
  let second: TestUpstream
  let gateway: TestGateway
  beforeAll(async () => {
    first = await startUpstream()
    second = await startUpstream()
    gateway = await startTestGateway({
      ...allTo(
        httpUpstream(first.url, { name: 'first' }),
        httpUpstream(second.url, { name: 'second' }),
      ),
      commit: 'auto',
    })
    first.always({ body: SMALL[WIRE] })
    for (let time = 0; time < 120; time++) await post(gateway, WIRE).answer
  })
  afterAll(async () => {
    await gateway.close(0)
    await first.close()
    await second.close()
  })

  test('an answer waits for its content, and falls back before it', async () => {
    first.next(slowly(WIRE))
    expect(waited(await post(gateway, WIRE).answer)).toBeGreaterThanOrEqual(PACE_MS - 20)
    first.next(failing(WIRE))
    second.next({ body: SMALL[WIRE] })
    const answer = await post(gateway, WIRE).answer
    expect([answer.status, answer.body.toString()]).toEqual([200, SMALL[WIRE]])
    expect(second.requests).toHaveLength(1)
  })
})

test('a time that is said is kept, however good the upstream is', async () => {
  const pair = await startPair({ settings: { commit: 8000 } })
  try {
    await earn(pair, 'openai-chat', 120)
    pair.upstream.next(slowly('openai-chat'))
    expect(waited(await pair.post('openai-chat').answer)).toBeGreaterThanOrEqual(PACE_MS - 20)
  } finally {
    await pair.close()
  }
})
