/**
 * The policies of one exchange: which apply, what they may ask of the gateway, and what is kept of their verdicts.
 * Neighbours: `policy/engine.ts` runs them on the answer, `policy/requests.ts` on the request; `exchange.ts` asks for both.
 */
import type { JsonObject } from '../base/json.ts'
import { stringifyExact } from '../base/json-exact.ts'
import { patchJson } from '../base/json-patch.ts'
import type { WireName } from '../event/event.ts'
import { Contexts, createEngine, HALT_GATE, type Engine, type EngineOut } from '../policy/engine.ts'
import { canAct, holdsCalls } from '../policy/installed.ts'
import type { Memories } from '../policy/memories.ts'
import type {
  Decision,
  Installed,
  Policy,
  PolicyLog,
  Question,
  VerdictRecord,
} from '../policy/policy.ts'
import { judgeRequest, wantsRequest } from '../policy/requests.ts'
import type { Tool } from '../request/tool.ts'
import type { Wire } from '../wire/wire.ts'
import { WIRES } from '../wire/wires.ts'
import type { CallModel } from './call-model.ts'
import { writeChanged } from './changed-request.ts'
import type { Tape } from '../store/tape.ts'
import type { Departure } from './departure.ts'
import type { ExchangeInput } from './exchange.ts'
import { toStatus } from './fault-status.ts'
import { withoutOrphans } from './orphaned-reasoning.ts'
import { bodyOf } from './way.ts'
import type { Plan, Refusal } from './plan.ts'
import { ExchangeHost, type HostParts } from './policy-host.ts'
import { AskedRequest } from './policy-request.ts'
import { readRequest } from './request.ts'
import { Body } from './request-bytes.ts'
import type { Route } from './route.ts'

/** What all exchanges share of the policies of one configuration. */
export interface PolicyRoom {
  /** Those that apply, in order; the same empty list where there are none. */
  select(of: {
    readonly route: Route | undefined
    readonly key: string | undefined
    readonly model: string
  }): readonly Installed[]
  /** Whether there is any policy at all. */
  readonly hasAny: boolean
  /** Why no tool call may pass at all, while the switch is thrown. */
  haltedBy(): string | undefined
  /** Called when the switch is thrown; gives back how to stop that. */
  onHalt(callback: () => void): () => void
  ask(question: Question): Promise<Decision>
  checkArguments(tool: Tool, args: unknown): string | undefined
  callModel: CallModel
  log(policy: Policy, exchangeId: string): PolicyLog
  readonly memories: Memories
  /** Told of each verdict when it is there: one in shadow may come after its exchange. */
  onVerdict(record: VerdictRecord): void
  now(): number
}

export interface ExchangePolicies {
  /** Before any upstream is asked: the plan with what they changed, or why it is refused. */
  onRequest(plan: Plan): Promise<Plan | Refusal>
  createEngine(out: EngineOut): Engine
  /** The exchange is over: who was never shown an answer is told that too. */
  close(): void
  /** What goes on behind the answer is over; `undefined` when nothing does. Bounded. */
  settled(): Promise<void> | undefined
  /** Who answers is known now. */
  servedBy(upstream: string, model: string | undefined): void
  readonly verdicts: readonly VerdictRecord[]
  /** The same for all exchanges of one agent session, as far as they show it. */
  conversationId(): string
  /** Whether some of them can change an answer. */
  readonly canChange: boolean
  /** Whether every tool call waits for one of them, so that the switch is asked before it leaves. */
  readonly holdsCalls: boolean
}

/** `undefined` where no policy applies: then nothing of all this is paid for. */
export function findPolicies(
  input: ExchangeInput,
  plan: Plan,
  client: Departure,
  tape: Tape | undefined,
): ExchangePolicies | undefined {
  const room = input.room.policies
  const { facts, installed } = plan
  const isHalted = room.haltedBy() !== undefined
  if (facts === undefined || (installed.length === 0 && !isHalted)) return undefined
  return new Policies(input, plan, {
    room,
    client,
    tape,
    installed: isHalted ? [HALT_GATE, ...installed] : installed,
  })
}

interface Given extends HostParts {
  readonly installed: readonly Installed[]
}

/** A class, and not functions around what they share: every exchange with policies has one, for as long as it takes. */
class Policies implements ExchangePolicies {
  readonly verdicts: readonly VerdictRecord[]
  readonly canChange: boolean
  readonly holdsCalls: boolean
  private readonly installed: readonly Installed[]
  private readonly wire: Wire
  private readonly request: AskedRequest
  private readonly host: ExchangeHost
  private readonly contexts: Contexts

  constructor(input: ExchangeInput, plan: Plan, given: Given) {
    const { installed } = given
    this.installed = installed
    this.wire = WIRES[input.endpoint.wire]
    this.request = new AskedRequest(input, plan, this.wire)
    this.host = new ExchangeHost(input, plan, given, this.request)
    this.verdicts = this.host.verdicts
    this.contexts = new Contexts(this.host)
    this.canChange = installed.some(canAct)
    this.holdsCalls = installed.some(holdsCalls)
    // If one cannot be had, nothing is asked: there is to be no answer that it did not see.
    for (const one of installed) this.contexts.of(one)
  }

  conversationId(): string {
    return this.request.conversationId
  }

  servedBy(upstream: string, model: string | undefined): void {
    this.request.upstream = upstream
    this.request.upstreamModel = model
  }

  /** A field: it is handed on alone. */
  readonly createEngine = (out: EngineOut): Engine => {
    const { installed, host, contexts, wire } = this
    const leavesTogether = wire.name === 'anthropic-messages'
    return createEngine({ installed, host, contexts, leavesTogether }, out)
  }

  close(): void {
    this.contexts.close()
  }

  settled(): Promise<void> | undefined {
    return this.contexts.settled()
  }

  async onRequest(asked: Plan): Promise<Plan | Refusal> {
    const { wire, request, installed } = this
    const repaired = this.canChange ? repair(asked, wire) : asked
    if (repaired !== asked) request.use(bodyOf(repaired))
    if (!wantsRequest(installed)) return repaired
    const canonical = request.read()
    if (canonical === undefined) return unreadable(wire, bodyOf(repaired))
    const outcome = await judgeRequest(canonical, installed, this.host, this.contexts)
    if (outcome.type === 'deny') return refuse(wire.name, outcome.reason)
    if (!outcome.isChanged) return repaired
    const written = writeChanged(wire, canonical, outcome.request)
    if (written === undefined)
      return {
        status: 400,
        fault: { kind: 'invalid-request', message: 'What a policy changed cannot be sent' },
      }
    request.change(outcome.request)
    return withBody(repaired, wire, { before: canonical.source.body, after: written })
  }
}

/** What the upstream gets is what the policies made of it, and nothing of what it was. */
function withBody(
  plan: Plan,
  wire: Wire,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
): Plan | Refusal {
  const { body, expanded, facts } = plan
  const isOwn = expanded === undefined && body !== undefined
  const plain = Buffer.from(
    isOwn ? patchJson(body.plain.toString('utf8'), before, after) : stringifyExact(after),
  )
  if (isOwn && plain.equals(body.plain)) return plan
  const written = new Body([plain])
  const read = readRequest(wire.name, written)
  if (!read.ok) return { status: 400, fault: { kind: 'invalid-request', message: read.message } }
  return {
    ...plan,
    facts: read.facts,
    body: written,
    expanded: expanded === undefined ? undefined : { ...expanded, body: after },
    asked: plan.asked ?? facts?.json(),
  }
}

/** Thinking whose follower was denied in an earlier turn is refused by its vendor. */
function repair(plan: Plan, wire: Wire): Plan {
  if (wire.name !== 'openai-responses') return plan
  const before = bodyOf(plan)
  const after = withoutOrphans(before)
  if (after === undefined) return plan
  const repaired = withBody(plan, wire, { before, after })
  return 'fault' in repaired ? plan : repaired
}

function unreadable(wire: Wire, body: JsonObject): Refusal {
  const read = wire.readRequest(body)
  const message = read.ok ? 'The request cannot be read' : read.problem.message
  return { status: 400, fault: { kind: 'invalid-request', message } }
}

const refuse = (wire: WireName, reason: string): Refusal => ({
  status: toStatus('permission', wire),
  fault: { kind: 'permission', message: `A policy of this gateway refused the request: ${reason}` },
})
