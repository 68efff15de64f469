import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createHmac } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { question } from '../../test/support/questions.ts'
import { createApprovals, type OwnApprovals } from './approvals.ts'
import { APPROVALS, type WebhookSettings } from './settings.ts'
import type { Ticket } from './ticket.ts'

interface Received {
  readonly headers: IncomingMessage['headers']
  readonly text: string
  readonly body: { type: string; approval: Ticket; decide?: { url: string; token: string } }
}

const SECRET = 'a-secret-of-the-hook'
const LIMITS = { timeoutMs: 150, pausesMs: [5, 5] }

let server: Server | undefined
let approvals: OwnApprovals | undefined
let warnings: string[] = []
afterEach(() => {
  approvals?.close()
  server?.closeAllConnections()
  server?.close()
  warnings = []
})

/** A webhook that answers in turn as said, and the last way from then on. `hang`: not at all. */
async function hook(...answers: readonly (string | number)[]): Promise<{
  url: string
  received: Received[]
  count(number: number): Promise<void>
}> {
  const received: Received[] = []
  let wake = (): void => {}
  server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => (text += piece))
    request.on('end', () => {
      const answer = answers[Math.min(received.length, answers.length - 1)]
      received.push({ headers: request.headers, text, body: JSON.parse(text) as Received['body'] })
      wake()
      if (answer === 'hang') return
      const elsewhere = answer === 302 ? { location: '/elsewhere' } : {}
      response.writeHead(typeof answer === 'number' ? answer : 200, elsewhere)
      response.end(typeof answer === 'string' ? answer : '')
    })
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    async count(number) {
      while (received.length < number) await new Promise<void>((resolve) => (wake = resolve))
    },
  }
}

function start(webhook: Partial<WebhookSettings> & { url: string }, deadline = 5000): OwnApprovals {
  const webhooks = [{ secret: SECRET, decides: false, ...webhook }]
  approvals = createApprovals({
    settings: () => ({ ...APPROVALS, deadline, webhooks }),
    url: () => 'https://gateway.example',
    webhookLimits: LIMITS,
    onWarning: (message) => void warnings.push(message),
  })
  return approvals
}

async function warned(words: RegExp): Promise<void> {
  for (let i = 0; i < 200 && warnings.length === 0; i++)
    await new Promise((resolve) => setTimeout(resolve, 10))
  expect(warnings.join('\n')).toMatch(words)
}

test('a webhook hears what is asked and what was decided, signed', async () => {
  const { url, received, count } = await hook('')
  const one = start({ url })
  const decision = one.ask(question())
  await count(1)
  const [asked] = received
  const { ticket } = asked?.body.approval ?? { ticket: '' }
  expect(asked?.body).toMatchObject({
    type: 'asked',
    approval: { status: 'pending', call: { name: 'Bash', content: '{"command":"ls"}' } },
    decide: {
      url: expect.stringContaining(`https://gateway.example/api/approvals/${ticket}?token=`),
    },
  })
  expect(one.desk.isToken(ticket, asked?.body.decide?.token ?? '')).toBe(true)
  const stamp = String(asked?.headers['x-sluice-timestamp'])
  const mac = createHmac('sha256', SECRET).update(`${stamp}.${asked?.text}`).digest('hex')
  expect(asked?.headers['x-sluice-signature']).toBe(`sha256=${mac}`)
  expect(Math.abs(Number(stamp) - Date.now() / 1000)).toBeLessThan(5)
  await one.decide(ticket, { type: 'pass', by: 'ann' })
  await count(2)
  expect(received[1]?.body).toMatchObject({
    type: 'decided',
    approval: { decision: { by: 'ann' } },
  })
  expect(received[1]?.body.decide).toBeUndefined()
  expect((await decision).type).toBe('pass')
})

test('a webhook that may decide does so in its answer', async () => {
  const { url } = await hook('{"decision":"edit","args":{"command":"pwd"},"by":"bot"}')
  const decision = await start({ url, decides: true }).ask(question())
  expect(decision).toMatchObject({ type: 'edit', args: { command: 'pwd' }, by: 'bot' })
})

test('a webhook that does not say who it is goes by its host', async () => {
  const { url } = await hook('{"decision":"deny","reason":"no"}')
  const decision = await start({ url, decides: true }).ask(question())
  expect(decision).toMatchObject({ type: 'deny', by: expect.stringMatching(/^webhook 127/) })
})

test('the answer of a webhook that may not decide is not read', async () => {
  const { url } = await hook('{"decision":"pass"}')
  expect((await start({ url }, 100).ask(question())).type).toBe('expired')
})

test.each([
  ['nonsense', 'yes, by all means, pass'],
  ['nothing', ''],
  ['a list', '["pass"]'],
])('an answer that is %s decides nothing: the call expires', async (_, answer) => {
  const { url } = await hook(answer)
  expect((await start({ url, decides: true }, 100).ask(question())).type).toBe('expired')
})

test.each([
  ['another word', '{"decision":"yes"}'],
  ['an edit without arguments', '{"decision":"edit"}'],
  ['an edit with the wrong kind of arguments', '{"decision":"edit","args":"ls"}'],
  ['too long a reason', JSON.stringify({ decision: 'pass', reason: 'x'.repeat(5000) })],
])('a decision that is %s is not taken, and told', async (_, answer) => {
  const { url } = await hook(answer)
  const decision = start({ url, decides: true }, 300).ask(question())
  await warned(/decision was not taken/)
  expect((await decision).type).toBe('expired')
})

test('a webhook that fails is asked again, with the same delivery', async () => {
  const { url, received, count } = await hook(503, '{"decision":"pass"}')
  const decision = await start({ url, decides: true }).ask(question())
  await count(2)
  expect(decision.type).toBe('pass')
  const ids = received.slice(0, 2).map(({ headers }) => headers['x-sluice-delivery'])
  expect(ids[0]).toBe(ids[1])
})

test.each([
  ['hangs', 'hang', /did not answer within/],
  ['goes on failing', 500, /status 500/],
  ['refuses', 403, /status 403/],
  ['sends elsewhere', 302, /status 302/],
] as const)('a webhook that %s is given up and told', async (_, answer, words) => {
  const { url, received } = await hook(answer)
  const decision = start({ url, decides: true }, 1500).ask(question())
  await warned(words)
  expect(received.length).toBe(answer === 403 || answer === 302 ? 1 : 3)
  expect(warnings.join()).not.toContain('/hook')
  approvals?.desk.list().forEach(({ ticket }) => approvals?.desk.decide(ticket, { type: 'deny' }))
  expect((await decision).type).toBe('deny')
})

test('a webhook that nobody listens at is given up', async () => {
  const decision = start({ url: 'http://127.0.0.1:1/' }, 300).ask(question())
  await warned(/could not be reached/)
  expect((await decision).type).toBe('expired')
})
