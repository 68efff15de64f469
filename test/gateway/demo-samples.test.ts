/** What the page's buttons send to a gateway without a config: each sample shows what it says that it shows. */
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiClient } from '../../src/api/client.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { DEMO_CONFIG } from '../../src/config/demo-config.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { ExchangeReport } from '../../src/exchange/report.ts'
import { DEMO_SAMPLES } from '../../src/upstream/demo/samples.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { lint } from '../support/pipeline.ts'
import { fetchRaw } from '../support/raw-client.ts'
import { stateOf } from '../support/streams.ts'

let gateway: TestGateway
beforeAll(async () => {
  const { upstreams, routes, policies, approvals } = loadConfig({
    env: {},
    cwd: tmpdir(),
  }).settings
  gateway = await startTestGateway({
    upstreams: upstreams.map((one) => ({ ...one, pace: 0 })),
    routes,
    policies,
    approvals,
  })
})
afterAll(() => gateway.close(0))

const sampleOf = (id: string) => {
  const sample = DEMO_SAMPLES.find((one) => one.id === id)
  if (sample === undefined) throw new Error(`There is no sample ${id}`)
  return sample
}

async function send(id: string, body: JsonObject = sampleOf(id).body) {
  const at = gateway.reports.length
  const { wire, path } = sampleOf(id)
  const answer = await fetchRaw(gateway.url + path, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const report = await gateway.report(at)
  if (answer.status !== 200 || body['stream'] !== true) return { answer, report, blocks: [] }
  if (report.outcome === 'done') expect(lint(wire, answer.body)).toEqual([])
  return { answer, report, blocks: stateOf(wire, answer.body).blocks }
}

const verdictsOf = ({ verdicts }: ExchangeReport) =>
  verdicts
    .filter(({ type }) => type !== 'pass')
    .map(({ policy, type, isShadow }) => [policy, type, isShadow])

test('each has a name of its own, a title and a sentence', () => {
  expect(new Set(DEMO_SAMPLES.map(({ id }) => id)).size).toBe(DEMO_SAMPLES.length)
  for (const { title, says } of DEMO_SAMPLES) {
    expect(title).toMatch(/^[A-Z]/)
    expect(says).toMatch(/\.$/)
  }
  expect(new Set(DEMO_SAMPLES.map(({ wire }) => wire)).size).toBe(3)
})

describe('what passes', () => {
  test.each([
    ['text', ['text']],
    ['thinking', ['thinking', 'text']],
    ['tool', ['text', 'tool-call']],
    ['tools', ['text', 'tool-call', 'tool-call', 'tool-call']],
    ['edit', ['text', 'tool-call']],
    ['translated', ['text', 'tool-call']],
    ['chat', ['thinking', 'text']],
    ['responses', ['thinking', 'text']],
    ['refusal', ['refusal']],
    ['length', ['text']],
    ['long', ['text']],
  ])('%s: %j', async (id, types) => {
    const { report, blocks } = await send(id)
    expect([report.status, report.outcome]).toEqual([200, 'done'])
    expect(blocks.map(({ type }) => type)).toEqual(types)
    expect(verdictsOf(report)).toEqual([])
  })

  test('one is translated, and one is no stream', async () => {
    const { report } = await send('translated')
    expect(report.attempts.map(({ upstream }) => upstream)).toEqual(['demo-chat'])
    const { answer } = await send('json')
    expect(answer.headers['content-type']).toContain('application/json')
  })
})

describe('what policies do', () => {
  test('the dangerous call is denied, and the agent reads why', async () => {
    const { report, blocks } = await send('denied')
    expect(verdictsOf(report)).toEqual([['demo-rules', 'deny', false]])
    expect(blocks.map(({ type }) => type)).not.toContain('tool-call')
    expect(blocks.at(-1)).toMatchObject({ text: expect.stringContaining('Delete single files') })
  })

  test('a key in arguments is masked', async () => {
    const { report, answer } = await send('redacted')
    expect(verdictsOf(report)).toMatchObject([['demo-rules', expect.any(String), false]])
    expect(answer.body.toString()).not.toContain('sk-demo')
    expect(answer.body.toString()).toContain('redacted')
  })

  test('a script from the network is delivered, and in shadow it is denied', async () => {
    const { report, answer } = await send('shadow')
    expect(verdictsOf(report)).toEqual([['demo-watch', 'deny', true]])
    expect(answer.body.toString()).toContain('tool_use')
  })

  test('deploy waits for a person, who has a minute and may edit it', async () => {
    const api = createApiClient(() => ({ url: gateway.url, token: gateway.adminToken() }))
    const going = send('approval')
    let ticket = ''
    for (let count = 0; count < 200 && ticket === ''; count++) {
      const { approvals } = await api.approvals()
      ticket = approvals[0]?.ticket ?? ''
      const left = (approvals[0]?.deadlineAt ?? 0) - Date.now()
      if (ticket !== '') expect(left / 1000).toBeCloseTo(60, -1)
      else await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await expect(
      api.decide(ticket, {
        decision: 'edit',
        args: { service: 'checkout', version: 'newest' },
      }),
    ).rejects.toThrow(/version/)
    await api.decide(ticket, {
      decision: 'edit',
      args: { service: 'checkout', version: '2.4.1' },
    })
    const { blocks } = await going
    expect(blocks).toContainEqual(
      expect.objectContaining({ type: 'tool-call', arguments: expect.stringContaining('2.4.1') }),
    )
  })
})

test('an agent works in a loop that comes to its end', async () => {
  const { body, next: goOn } = sampleOf('loop')
  let next = body
  const counts: number[] = []
  for (let turn = 0; turn < 10; turn++) {
    const { blocks } = await send('loop', next)
    const calls = blocks.flatMap((block) => (block.type === 'tool-call' ? [block] : []))
    counts.push(calls.length)
    if (calls.length === 0 || goOn === undefined) break
    next = goOn(
      next,
      calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text })),
    )
  }
  expect(counts).toEqual([1, 1, 1, 0])
})

test.each([
  ['error', 529, 'upstream-error'],
  ['break', 200, 'broken'],
  ['cut', 200, 'broken'],
])('%s fails as often as it is asked, and opens no circuit', async (id, status, outcome) => {
  for (let count = 0; count < 3; count++) {
    const { report } = await send(id)
    expect([report.status, report.outcome]).toEqual([status, outcome])
  }
  expect((await send('text')).report.outcome).toBe('done')
})

test('runs in a browser: nothing but types and its own file is imported', () => {
  for (const name of ['samples', 'sample-bodies']) {
    const source = readFileSync(
      new URL(`../../src/upstream/demo/${name}.ts`, import.meta.url),
      'utf8',
    )
    const imports = [...source.matchAll(/^import (?!type )[^']*'([^']+)'/gm)].map(
      ([, from]) => from,
    )
    expect(imports.filter((from) => from !== './sample-bodies.ts')).toEqual([])
  }
})

test('the guide shows the config that holds without one', () => {
  const guide = readFileSync(new URL('../../docs/reference/demo.md', import.meta.url), 'utf8')
  expect(guide).toContain(DEMO_CONFIG)
})
