/**
 * Policies made of policies. Neighbours: authors use it; `engine.ts` sees one policy.
 */
import type { HeldType, Policy, PolicyContext } from './policy.ts'
import { deny, pass, strictest, type Verdict } from './verdict.ts'

/** All are asked at once, and the strictest decides: halt > deny > ask > replace > rewrite > pass. */
export function all(name: string, ...gates: readonly Policy[]): Policy {
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
      const verdicts = await Promise.all(
        gates.map(async (gate, at): Promise<Verdict> => {
          if (gate.judge === undefined || !holdsType(gate, block.type)) return pass()
          try {
            return await gate.judge(block, of(ctx, at))
          } catch {
            return deny(`Policy "${gate.name}" could not decide: it failed`)
          }
        }),
      )
      return strictest(verdicts)
    },
  }
}

const holdsType = ({ holds = ['tool-call'] }: Policy, type: HeldType): boolean =>
  holds.includes(type)

/** The context of one of them: all share what is not their own. */
function of(ctx: PolicyContext, at: number): PolicyContext {
  const { state, memory } = ctx as PolicyContext<readonly unknown[], readonly unknown[]>
  return Object.create(ctx, {
    state: { value: state[at] },
    memory: { value: memory[at] },
  }) as PolicyContext
}
