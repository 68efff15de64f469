/**
 * An estimate is one of the model that will answer, whatever its client calls it: what is learned from that
 * model's answers is learned under its own name.
 */
import { afterEach, expect, test } from 'vitest'
import { demoSettings } from '../../src/config/load.ts'
import { route, startTestGateway, type TestGateway } from '../support/gateway.ts'

const text = 'Every word of this sentence is counted, and none of it twice. '.repeat(40)

let gateway: TestGateway | undefined
afterEach(() => gateway?.close(0))

test('a model is counted as the one that it is called at its upstream', async () => {
  const upstreams = demoSettings().upstreams.map((demo) => ({
    ...demo,
    wires: ['openai-chat'] as const,
  }))
  const routes = [{ ...route('claude-*', 'demo'), as: { demo: 'gpt-5.5' } }, route('*', 'demo')]
  const { url } = (gateway = await startTestGateway({ upstreams, routes }))
  const count = async (model: string): Promise<unknown> => {
    const answer = await fetch(`${url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: text }] }),
    })
    expect(answer.headers.get('x-sluice-tokens')).toBe('estimate')
    return answer.json()
  }
  expect(await count('claude-opus-5')).toEqual(await count('gpt-5.5'))
})
