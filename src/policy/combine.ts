/**
 * Policies made of policies. Neighbours: authors use it; `engine.ts` sees one policy.
 */
import { SluiceError } from '../base/sluice-error.ts'
import { isVerdict } from './check-verdict.ts'
import type {
  HeldType,
  ModelCall,
  ModelReply,
  Policy,
  PolicyContext,
  PolicyLog,
  PolicyRequest,
} from './policy.ts'
import { deny, pass, strictest, type Verdict } from './verdict.ts'

/**
 * All are asked at once, and the strictest decides: halt > deny > ask > replace > rewrite > pass. Of each only `judge`
 * counts, with its state, its memory and its end: what sees requests or pieces stands in a row of its own.
 */
export function all(name: string, ...gates: readonly Policy[]): Policy {
  for (const gate of gates)
    if (gate.onChunk !== undefined || gate.onRequest !== undefined || gate.onBlock !== undefined)
      throw new SluiceError(
        'wrong-use',
        `Policy "${gate.name}" does more than judge: it cannot be one of several that are asked at once`,
      )
  const judges = gates.filter(({ judge }) => judge !== undefined)
  const holds = [...new Set(judges.flatMap((gate) => gate.holds ?? (['tool-call'] as const)))]
  return {
    name,
    version: gates.map((gate) => `${gate.name}@${gate.version ?? ''}`).join('+'),
    holds,
    isEager: judges.some(({ isEager }) => isEager === true),
    state: () => gates.map((gate) => gate.state?.()),
    memory: () => gates.map((gate) => gate.memory?.()),
    async judge(block, ctx) {
      const asked = gates.map((gate, at): Promise<Verdict> => {
        if (gate.judge === undefined || !holdsType(gate, block.type)) return Promise.resolve(pass())
        return askOne(gate, block, new Part(ctx, at))
      })
      return strictest(await Promise.all(asked))
    },
    async onFinish(state, ctx) {
      await Promise.all(gates.map(async (gate, at) => gate.onFinish?.(state, new Part(ctx, at))))
    },
    close(ctx) {
      gates.forEach((gate, at) => gate.close?.(new Part(ctx, at)))
    },
  }
}

/** One that fails denies: the others may not have seen what it would have. */
async function askOne(
  gate: Policy,
  block: Parameters<NonNullable<Policy['judge']>>[0],
  ctx: PolicyContext,
): Promise<Verdict> {
  try {
    const verdict: unknown = await gate.judge?.(block, ctx)
    return isVerdict(verdict) ? verdict : deny(couldNot(gate, 'it gave no verdict'))
  } catch {
    return deny(couldNot(gate, 'it failed'))
  }
}

const couldNot = ({ name }: Policy, why: string): string =>
  `Policy "${name}" could not decide: ${why}`

const holdsType = ({ holds = ['tool-call'] }: Policy, type: HeldType): boolean =>
  holds.includes(type)

/** The context of one of them: all share what is not their own. */
class Part implements PolicyContext {
  readonly state: unknown
  readonly memory: unknown
  private readonly whole: PolicyContext

  constructor(whole: PolicyContext, at: number) {
    this.whole = whole
    this.state = (whole.state as readonly unknown[])[at]
    this.memory = (whole.memory as readonly unknown[])[at]
  }

  get exchangeId(): string {
    return this.whole.exchangeId
  }
  get client(): PolicyContext['client'] {
    return this.whole.client
  }
  get request(): PolicyRequest {
    return this.whole.request
  }
  get signal(): AbortSignal {
    return this.whole.signal
  }
  get log(): PolicyLog {
    return this.whole.log
  }
  now(): number {
    return this.whole.now()
  }
  callModel(call: ModelCall): Promise<ModelReply> {
    return this.whole.callModel(call)
  }
}
