/**
 * How many verdicts of each kind there were, and what that means for whoever asked. Neighbours: `policy-test.ts`.
 */
import type { Output } from './output.ts'
import type { Report, Row } from './policy-report.ts'

export interface Counts {
  answers: number
  blocks: number
  illegal: number
  readonly verdicts: Map<Row['verdict'], number>
  add(report: Report): void
}

export function createCounts(): Counts {
  const counts: Counts = {
    answers: 0,
    blocks: 0,
    illegal: 0,
    verdicts: new Map(),
    add({ rows, illegal }) {
      counts.answers += 1
      counts.blocks += rows.filter(({ index }) => index >= 0).length
      counts.illegal += illegal.length
      for (const { verdict } of rows)
        counts.verdicts.set(verdict, (counts.verdicts.get(verdict) ?? 0) + 1)
    },
  }
  return counts
}

const ORDER: readonly Row['verdict'][] = [
  'pass',
  'change',
  'changed',
  'rewrite',
  'replace',
  'ask',
  'deny',
  'halt',
  'error',
  '-',
]

export function summary({ answers, verdicts, illegal }: Counts, out: Output): string {
  const words = ORDER.flatMap((verdict) => {
    const count = verdicts.get(verdict)
    return count === undefined ? [] : [`${count} ${verdict === '-' ? 'not held' : verdict}`]
  })
  const all = `${answers} ${answers === 1 ? 'answer' : 'answers'}: ${words.join(', ') || 'nothing in them'}`
  return illegal === 0 ? all : `${all}, ${out.style('red', `${illegal} not legal`)}`
}

/** 1 when a policy failed, when what it makes is not legal, or when something else was expected; says which. */
export async function toExit(
  { verdicts, illegal }: Counts,
  expected: ReadonlySet<string> | undefined,
  err: Output,
): Promise<number> {
  const say = async (text: string): Promise<number> => {
    await err.line(`${err.style('red', 'sluice:')} ${text}`)
    return 1
  }
  if (illegal > 0) return await say('What a client would get is not legal on its wire')
  const judged = [...verdicts.keys()].filter((verdict) => verdict !== '-' && verdict !== 'changed')
  if (expected === undefined)
    return verdicts.has('error') ? await say('A policy failed: see "error" above') : 0
  if (judged.length === 0)
    return await say(`Expected ${[...expected].join(' or ')}, and nothing was judged at all`)
  const others = judged.filter((verdict) => !expected.has(verdict))
  return others.length === 0
    ? 0
    : await say(`Expected only ${[...expected].join(' or ')}, and there is ${others.join(', ')}`)
}
