/**
 * Further SDKs as clients, on the newer Node that they need: other releases of the official ones, the AI
 * SDK, LangChain and OpenAI's Agents SDK. The same flows and the same demands as for the official SDKs.
 */
import { afterAll, beforeAll, test } from 'vitest'
import { startSdkBench, type SdkBench } from '../support/sdk-bench.ts'
import { checkSdk } from '../support/sdk-checks.ts'
import { noChild, startSdkChild } from '../support/sdk-child.ts'

const child = await startSdkChild()
let bench: SdkBench

beforeAll(async () => {
  bench = await startSdkBench()
})
afterAll(async () => {
  child?.close()
  await bench.close()
})

for (const { name, wire, flows } of child?.sdks ?? [])
  checkSdk(
    {
      name,
      wire,
      flows,
      run: (flow, place) =>
        child?.run(name, flow, place) ?? Promise.reject(new Error('There is no child')),
      // LangChain waits by its own clock, and the Agents SDK is the official one underneath.
      retries: !/^(?:LangChain|Agents)/.test(name),
    },
    () => bench,
  )

test.skipIf(child !== undefined)(`further SDKs are not tried: ${noChild}`, (context) => {
  context.skip()
})
