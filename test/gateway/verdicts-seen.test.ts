/**
 * What an operator sees of policies: in the log, in the metrics, and nothing of what a call was about.
 */
import { expect, test } from 'vitest'
import { install } from '../../src/policy/installed.ts'
import { definePolicy } from '../../src/policy/policy.ts'
import { deny, pass } from '../../src/policy/verdict.ts'
import { ask, PATHS, startTestGateway } from '../support/gateway.ts'
import { fetchRaw } from '../support/raw-client.ts'

/** The demo calls three tools at once. */
const counted = (policy: string, type: string, shadow: boolean): string =>
  `sluice_verdicts_total{policy="${policy}",type="${type}",shadow="${shadow}"} 3`

test('verdicts are in the log line and the metrics, those in shadow too when they come late', async () => {
  let answerLate = (): void => {}
  const late = new Promise<void>((resolve) => (answerLate = resolve))
  const gate = definePolicy({ name: 'gate', judge: () => deny('Because of weather') })
  const watcher = definePolicy({
    name: 'watcher',
    async judge() {
      await late
      return pass()
    },
  })
  const gateway = await startTestGateway(
    {},
    { policies: [install(watcher, { isShadow: true }), install(gate)] },
  )
  try {
    const body = ask('anthropic-messages', { model: 'demo-tools', stream: true })
    const answer = await fetchRaw(gateway.url + PATHS['anthropic-messages'], { body })
    expect(answer.body.toString()).toContain('[Sluice]')
    const read = async (): Promise<string> => (await fetch(`${gateway.url}/metrics`)).text()
    expect(await read()).toContain(counted('gate', 'deny', false))
    expect(await read()).not.toContain('watcher')
    answerLate()
    await gateway.report(0)
    expect(await read()).toContain(counted('watcher', 'pass', true))
    const line = gateway.lines.find((one) => one.includes('"msg":"exchange"')) ?? ''
    expect(JSON.parse(line)).toMatchObject({ verdicts: ['deny gate ×3', 'would pass watcher ×3'] })
    expect(line).not.toContain('weather')
  } finally {
    await gateway.close(0)
  }
})
