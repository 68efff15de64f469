/**
 * The long proof of several gateways on one Postgres, with real processes: `npm run build`, then
 * `npx tsx bench/several-gateways.ts [SECONDS WITHOUT POSTGRES]`. Says what was tried, ends with 1 where something was
 * not as it should be. Neighbours: `test/records/shared.test.ts` is the short form.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { CHAT } from '../test/support/json-answers.ts'
import { startPostgres } from '../test/support/postgres.ts'
import {
  approvalsOf,
  startReal,
  toolRequest,
  until,
  type GatewayConfig,
  type RealGateway,
} from '../test/support/several-gateways.ts'
import { startUpstream } from '../test/support/upstream.ts'

const AWAY_MS = Number(process.argv[2] ?? 60) * 1000
const KILLS = 10
const CHAT_PATH = '/v1/chat/completions'
const TALK = [{ role: 'user', content: 'Hello' }]

let failures = 0
function check(what: string, isSo: boolean, more = ''): void {
  if (!isSo) failures += 1
  console.log(`${isSo ? 'ok  ' : 'NOT '} ${what}${more === '' ? '' : ` (${more})`}`)
}

const server = await startPostgres()
if (server === undefined) throw new Error('There is no Postgres for this platform')
const chat = await startUpstream()
chat.always({ body: JSON.stringify(CHAT.plain), headers: { 'content-type': 'application/json' } })
const config: GatewayConfig = { database: await server.createDatabase(), chat: chat.url }
const start = (...args: readonly string[]): Promise<RealGateway> => startReal(config, ...args)

const [a, b, c] = (await Promise.all([start(), start(), start()])) as [
  RealGateway,
  RealGateway,
  RealGateway,
]
const all = [a, b, c]
const recorded = async (gateway: RealGateway): Promise<number> => {
  let count = 0
  let cursor = ''
  for (;;) {
    const { json } = await gateway.api(`/exchanges?limit=1000${cursor}`)
    count += (json['items'] as readonly unknown[]).length
    if (typeof json['next'] !== 'string') return count
    cursor = `&cursor=${encodeURIComponent(json['next'])}`
  }
}
const pendingAt = async (gateway: RealGateway): Promise<string | undefined> =>
  (await approvalsOf(gateway)).find(({ status }) => status === 'pending')?.ticket

async function conversations(): Promise<void> {
  const times: number[] = []
  let isWhole = true
  for (let i = 0; i < 20; i++) {
    const say = async (to: RealGateway, more: object): Promise<string> => {
      const response = await to.post('/v1/responses', { model: 'chat-1', ...more })
      const { id } = (await response.json()) as { id?: string }
      isWhole &&= response.status === 200 && id !== undefined
      return id ?? ''
    }
    const first = await say(a, { input: `Number ${i} of the talks` })
    const from = performance.now()
    await say(b, { previous_response_id: first, input: 'Go on' })
    times.push(performance.now() - from)
    isWhole &&= chat.requests.at(-1)?.body.toString().includes(`Number ${i} of`) === true
  }
  const median = times.toSorted((one, other) => one - other)[10] ?? 0
  check('20 conversations go on at once on another', isWhole, `median ${Math.round(median)} ms`)
}

async function away(): Promise<void> {
  const before = await recorded(b)
  console.log(`     Postgres goes away for ${AWAY_MS / 1000} s`)
  const streams: Promise<string>[] = []
  const stream = async (to: RealGateway): Promise<string> => {
    const response = await to.post(CHAT_PATH, { model: 'slow-1', stream: true, messages: TALK })
    return `${response.status} ${(await response.text()).slice(-200)}`
  }
  streams.push(...all.map(stream))
  await sleep(500)
  await server?.halt()
  const end = Date.now() + AWAY_MS
  const asked = a.post(CHAT_PATH, toolRequest('away')).then((response) => response.text())
  const ticket = await until(() => pendingAt(a), 'the ticket without Postgres')
  await a.api(`/approvals/${ticket}`, { decision: 'pass' })
  check('a call is decided where it was asked', (await asked).includes('get_weather'))
  await c.api('/policies/halt', { halted: true, reason: 'meanwhile' })
  while (Date.now() < end) {
    streams.push(...all.map(stream))
    await sleep(Math.min(2000, Math.max(0, end - Date.now())))
  }
  await server?.resume()
  const texts = await Promise.all(streams)
  // The switch ends what is under way where it is turned.
  const isWhole = (text: string): boolean =>
    /^200 .*(?:\[DONE\]|stopped by the operator.*)\s*$/s.test(text)
  const whole = texts.filter(isWhole).length
  for (const text of texts) if (!isWhole(text)) console.log(`     not whole: ${text}`)
  check('all streams went on', whole === streams.length, `${whole} of ${streams.length}`)
  await until(
    async () => (await a.api('/policies/halt')).json['halted'] === true,
    'the switch that was turned meanwhile',
    15_000,
  )
  check('what was turned meanwhile holds on all', true)
  await c.api('/policies/halt', { halted: false })
  const expected = before + streams.length + 1
  const found = await until(
    async () => {
      const count = await recorded(b)
      return count >= expected && count
    },
    `${expected} records`,
    30_000,
  ).catch(() => recorded(b))
  check('every exchange is recorded', found === expected, `${found} of ${expected}`)
  for (const gateway of all) {
    const alone = gateway.said().split('goes on alone').length - 1
    const again = gateway.said().split('is there again').length - 1
    check('the log says once that it is alone and once that it is not', alone === 1 && again === 1)
  }
}

async function kills(): Promise<void> {
  let one = await start()
  const starts: number[] = []
  const before = (await approvalsOf(b)).length
  for (let i = 0; i < KILLS; i++) {
    const lost = one
      .post(CHAT_PATH, toolRequest(`kill ${i}`))
      .then((response) => response.text())
      .catch(() => '')
    const isAsked = async (): Promise<boolean> => (await approvalsOf(b)).length > before + i
    await until(isAsked, 'its ticket')
    await sleep(50 * i)
    one.kill()
    await lost
    const from = performance.now()
    one = await start()
    starts.push(performance.now() - from)
  }
  await one.stop()
  await until(async () => (await pendingAt(b)) === undefined, 'the end of all tickets', 30_000)
  const list = await approvalsOf(b)
  const gone = list.filter(({ note }) => note?.includes('is gone')).length
  check(`killed ${KILLS} times, no ticket is stuck`, gone === KILLS, `${gone} shown as gone`)
  const slowest = Math.round(Math.max(...starts))
  console.log(`     it served again after ${slowest} ms at most`)
  const { json } = await b.api('/health')
  console.log(`     health: ${JSON.stringify(json).slice(0, 200)}`)
}

async function workers(): Promise<void> {
  const several = await start('--workers', '2')
  const asked = several.post(CHAT_PATH, toolRequest('workers')).then((one) => one.text())
  const ticket = await until(() => pendingAt(c), 'the ticket of a worker')
  await c.api(`/approvals/${ticket}`, { decision: 'pass' })
  check('a call of a worker is decided on another gateway', (await asked).includes('get_weather'))
  await several.api('/policies/halt', { halted: true })
  await until(async () => (await a.api('/policies/halt')).json['halted'] === true, 'the switch')
  check('halted at a worker is halted on all', true)
  await a.api('/policies/halt', { halted: false })
  await several.stop()
}

try {
  await conversations()
  await workers()
  await away()
  await conversations()
  await kills()
} finally {
  for (const gateway of all) await gateway.stop()
  await chat.close()
  await server.stop()
}
console.log(failures === 0 ? 'All is as it should be.' : `${failures} things are not right.`)
process.exitCode = failures === 0 ? 0 : 1
