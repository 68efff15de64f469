/**
 * Policies without sense: for each block a verdict by lot, at once, later or never. Whoever drives them says when the next of
 * those that take their time is there, in any order. Neighbours: `gated.ts`, `marked-answers.ts`.
 */
import fc from 'fast-check'
import type { StreamBlock } from '../../src/event/block.ts'
import { install } from '../../src/policy/installed.ts'
import type { Decision, HeldType, Installed, Policy } from '../../src/policy/policy.ts'
import { ask, deny, halt, pass, replace, rewrite, type Verdict } from '../../src/policy/verdict.ts'
import { marksIn } from './marked-answers.ts'

const FATES = [
  'pass',
  'pass',
  'pass',
  'deny',
  'deny',
  'replace-0',
  'replace-text',
  'replace-call',
  'replace-many',
  'rewrite',
  'ask-pass',
  'ask-edit',
  'ask-deny',
  'ask-expired',
  'halt',
  'throw',
  'rubbish',
  'cyclic',
] as const
type Fate = (typeof FATES)[number]

export interface GatePlan {
  readonly holds: readonly HeldType[]
  readonly fates: readonly Fate[]
  /** Whether each verdict comes at once. */
  readonly isSync: readonly boolean[]
  readonly isEager: boolean
  readonly onError: 'deny' | 'pass'
}

export const gatePlan: fc.Arbitrary<GatePlan> = fc.record({
  holds: fc.constantFrom<HeldType[][]>(
    ['tool-call'],
    ['tool-call'],
    ['tool-call', 'text'],
    ['text'],
  ),
  fates: fc.array(fc.constantFrom(...FATES), { minLength: 1, maxLength: 8 }),
  isSync: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
  isEager: fc.boolean(),
  onError: fc.constantFrom('deny', 'deny', 'pass'),
})

export interface Gates {
  readonly installed: readonly Installed[]
  ask(): Promise<Decision>
  /** The next verdict is there, by lot; `false` when nobody thinks about any. */
  resolve(lot: number): boolean
  /** Whether every gate that holds such a block has let this one pass. */
  mayLeave(mark: number): boolean
}

/** `typeOf`: what kind of block has that mark. */
export function createGates(plans: readonly GatePlan[], typeOf: (mark: number) => HeldType): Gates {
  const thinking: (() => void)[] = []
  const passed = plans.map(() => new Set<number>())
  let asked: Fate = 'ask-deny'

  function toPolicy(plan: GatePlan, at: number): Policy {
    let count = 0
    return {
      name: `gate-${at}`,
      holds: plan.holds,
      isEager: plan.isEager,
      judge(block) {
        // Texts that follow each other are one on some wires.
        const marks = marksIn(wordsOf(block))
        const [mark = 0] = marks
        const fate = plan.fates[mark % plan.fates.length] ?? 'deny'
        const isSync = plan.isSync[count++ % plan.isSync.length] ?? true
        const isPassing =
          fate === 'pass' || fate === 'ask-pass' || (plan.onError === 'pass' && FAILS.has(fate))
        const give = (): Verdict => {
          if (isPassing) for (const one of marks) passed[at]?.add(one)
          asked = fate
          return toVerdict(fate, block)
        }
        if (isSync) return give()
        return new Promise((resolve, reject) => {
          thinking.push(() => {
            try {
              resolve(give())
            } catch (error) {
              reject(error as Error)
            }
          })
        })
      },
    }
  }

  return {
    installed: plans.map((plan, at) =>
      install(toPolicy(plan, at), { onError: plan.onError, timeoutMs: 60_000 }),
    ),
    ask() {
      const fate = asked
      return new Promise((resolve) => {
        thinking.push(() => resolve(toDecision(fate)))
      })
    },
    resolve(lot) {
      if (thinking.length === 0) return false
      const [one] = thinking.splice(lot % thinking.length, 1)
      one?.()
      return true
    },
    mayLeave: (mark) =>
      plans.every((plan, at) => {
        const isHeld = plan.holds.includes(typeOf(mark))
        return !isHeld || passed[at]?.has(mark) === true
      }),
  }
}

const FAILS: ReadonlySet<Fate> = new Set(['throw', 'rubbish'])

const wordsOf = (block: StreamBlock): string =>
  block.type === 'tool-call' ? block.arguments : 'text' in block ? block.text : ''

function toVerdict(fate: Fate, block: StreamBlock): Verdict {
  const isFree = block.type === 'tool-call' && block.dialect === 'custom'
  const words = { type: 'text', text: 'Something else.' } as const
  const call = { type: 'tool-call', name: 'read', args: { path: 'x' } } as const
  switch (fate) {
    case 'pass':
      return pass()
    case 'deny':
      return deny('This is not allowed', { instead: 'Do nothing' })
    case 'replace-0':
      return replace([])
    case 'replace-text':
      return replace(words)
    case 'replace-call':
      return replace(call)
    case 'replace-many':
      return replace([call, words, { ...call, name: 'run' }])
    case 'rewrite':
      return rewrite(block.type === 'tool-call' && !isFree ? { path: 'safe' } : 'safe')
    case 'ask-pass':
    case 'ask-edit':
    case 'ask-deny':
    case 'ask-expired':
      return ask('May it?')
    case 'halt':
      return halt('Enough')
    case 'throw':
      throw new Error('Broken')
    case 'rubbish':
      return { type: 'replace', blocks: [{ type: 'text', text: 5 }, null] } as unknown as Verdict
    case 'cyclic': {
      const args: Record<string, unknown> = {}
      args['self'] = args
      return replace({ type: 'tool-call', name: 'read', args })
    }
  }
}

function toDecision(fate: Fate): Decision {
  const base = { by: 'somebody', ticket: '7' }
  if (fate === 'ask-edit') return { ...base, type: 'edit', args: { path: 'edited' } }
  if (fate === 'ask-pass') return { ...base, type: 'pass' }
  return { ...base, type: fate === 'ask-expired' ? 'expired' : 'deny' }
}
