/**
 * The official SDKs as clients, over real sockets: through the gateway everything is as without it, but
 * for answers that break off, which are errors through the gateway and would not always be without.
 */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { startSdkBench, withoutClocks, type SdkBench } from '../support/sdk-bench.ts'
import { chatFlows } from '../support/sdk-chat.ts'
import { checkSdk } from '../support/sdk-checks.ts'
import { runFlow, type Flow, type Flows } from '../support/sdk-flow.ts'
import { messagesFlows } from '../support/sdk-messages.ts'
import { responsesFlows } from '../support/sdk-responses.ts'

const SDKS: readonly { name: string; wire: WireName; flows: Flows }[] = [
  { name: '@anthropic-ai/sdk 1.8', wire: 'anthropic-messages', flows: messagesFlows(Anthropic) },
  { name: 'openai 6.49 chat', wire: 'openai-chat', flows: chatFlows(OpenAI) },
  { name: 'openai 6.49 responses', wire: 'openai-responses', flows: responsesFlows(OpenAI) },
]

const refuse: Flow = () => Promise.reject(new Error('There is no such flow'))

let bench: SdkBench
let demo: TestGateway

beforeAll(async () => {
  bench = await startSdkBench()
  demo = await startTestGateway()
})
afterAll(async () => {
  await demo.close(0)
  await bench.close()
})

for (const { name, wire, flows } of SDKS)
  checkSdk(
    {
      name,
      wire,
      flows: Object.keys(flows),
      run: (flow, place) => runFlow(flows[flow] ?? refuse, place),
      retries: true,
    },
    () => bench,
  )

describe('the demo inside the gateway', () => {
  for (const { name, wire, flows } of SDKS) {
    const told = Object.entries(flows).filter(([flow]) =>
      /^(?:text|tool|parallel|think)/.test(flow),
    )
    test.each(told)(`answers ${name} as the demo behind HTTP: %s`, async (_, flow) => {
      const direct = bench.direct(wire)
      const baseUrl = wire === 'anthropic-messages' ? demo.url : `${demo.url}/v1`
      const inside = await runFlow(flow, { ...direct, baseUrl })
      expect(withoutClocks(inside)).toEqual(withoutClocks(await runFlow(flow, direct)))
      expect(inside.type).not.toBe('thrown')
    })
  }
})

test('openai 6.49 takes a response that was cut off for an answer when there is no gateway', async () => {
  // Why the gateway's error matters: see "eof by stream" above.
  const flow = responsesFlows(OpenAI)['eof by stream'] ?? refuse
  const outcome = await runFlow(flow, bench.direct('openai-responses'))
  expect(outcome).toMatchObject({ type: 'said', said: { finish: 'in_progress' } })
})
