/**
 * A plan → a request to the gateway and what came of it: clients that read, that read slowly, and that leave. Neighbours:
 * `plan.ts` says what to do, `judge.ts` looks at the answer, `../support/raw-client.ts` has the socket.
 */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WireName } from '../../src/event/event.ts'
import { PATHS } from '../support/gateway.ts'
import { sendRequest, type RawCall } from '../support/raw-client.ts'
import { judge, type Outcome } from './judge.ts'
import type { Manner, Plan } from './plan.ts'

export interface Asked extends Outcome {
  readonly plan: Plan
  readonly status: number
  /** Whether the gateway must have had the whole request. */
  readonly isSurelySent: boolean
  readonly ms: number
}

export interface Begun {
  readonly call: RawCall
  readonly asked: Promise<Asked>
  leave(): void
}

export interface Clients {
  ask(plan: Plan): Promise<Asked>
  /** The same, in two steps: it has begun, and a hand on it. */
  begin(plan: Plan): Begun
  /** Lets go of the connections that are kept. */
  closeIdle(): void
}

/** Longer than everything that the gateway may wait for. */
const STUCK_MS = 90_000

export function createClients(url: string, run: string): Clients {
  let agent = new Agent({ keepAlive: true })

  function begin(plan: Plan): Begun {
    const { manner } = plan
    const startedAt = performance.now()
    const call = sendRequest(url + PATHS[plan.from], {
      headers: { 'content-type': 'application/json', 'x-request-id': `${run}-${plan.number}` },
      body: bodyFor(plan),
      ...(plan.isKept ? { agent } : {}),
      ...(manner.type === 'leaves' && manner.after === 'request' ? { leaveAfter: 0 } : {}),
    })
    let hasLeft = manner.type === 'leaves' && manner.after === 'request'
    const leave = (): void => {
      hasLeft = true
      call.leave()
    }
    let isStuck = false
    const stuck = setTimeout(() => {
      isStuck = true
      call.leave()
    }, STUCK_MS)
    const timer = behave(manner, call, leave)
    const asked = call.answer.then((answer): Asked => {
      clearTimeout(stuck)
      clearTimeout(timer)
      // All of it may have come before the client went, and not all of it been read.
      const outcome: Outcome = isStuck
        ? { came: 'wrong', why: `it was stuck for ${STUCK_MS / 1000} s` }
        : hasLeft
          ? { came: 'left' }
          : judge(plan, answer)
      return {
        ...outcome,
        plan,
        status: answer.status,
        isSurelySent: outcome.came !== 'left' || answer.status !== 0,
        ms: performance.now() - startedAt,
      }
    })
    return { call, asked, leave }
  }

  return {
    begin,
    ask: (plan) => begin(plan).asked,
    closeIdle() {
      agent.destroy()
      agent = new Agent({ keepAlive: true })
    },
  }
}

/** What a client does beside reading; gives back what it waits for. */
function behave(manner: Manner, call: RawCall, leave: () => void): NodeJS.Timeout | undefined {
  if (manner.type === 'slow') void readSlowly(call, manner.ms)
  if (manner.type !== 'leaves') return undefined
  if (manner.after === 'time') return setTimeout(leave, manner.amount)
  if (manner.after === 'bytes') void call.received(manner.amount).then(leave)
  return undefined
}

/** So much lies in the buffers between that less would be over before anybody waits. */
const UNREAD_BYTES = 20_000

async function readSlowly(call: RawCall, ms: number): Promise<void> {
  for (const bytes of [1, UNREAD_BYTES]) {
    await call.received(bytes)
    call.pause()
    await sleep(ms)
    call.resume()
  }
}

const schema = { type: 'object', properties: { query: { type: 'string' } } }
const TOOLS = ['look_up', 'run_command']

/** A small request with that model; with tools where the answer calls them. */
function bodyFor({ from, model, isStream, answer, number }: Plan): string {
  const say = `Number ${number}: say it again`
  const common = { model, stream: isStream }
  const messages = [{ role: 'user', content: say }]
  const tools = answer.calls > 0 ? { tools: TOOLS.map((name) => TOOL[from](name)) } : {}
  switch (from) {
    case 'anthropic-messages':
      return JSON.stringify({ ...common, max_tokens: 4096, messages, ...tools })
    case 'openai-chat': {
      const usage = isStream ? { stream_options: { include_usage: true } } : {}
      return JSON.stringify({ ...common, ...usage, messages, ...tools })
    }
    case 'openai-responses':
      return JSON.stringify({ ...common, input: say, ...tools })
  }
}

const TOOL: Readonly<Record<WireName, (name: string) => object>> = {
  'anthropic-messages': (name) => ({ name, input_schema: schema }),
  'openai-chat': (name) => ({ type: 'function', function: { name, parameters: schema } }),
  'openai-responses': (name) => ({ type: 'function', name, parameters: schema, strict: false }),
}
