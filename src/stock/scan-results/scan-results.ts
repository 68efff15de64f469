/**
 * Looks at what tools brought back before the model sees it: text that was written to take over, and credentials.
 * Neighbours: `scan-text.ts` finds, `mend-text.ts` changes, `seen.ts` remembers; `config/policy-scan-results.ts` reads
 * the options. Knows no wire.
 *
 * What was refused once could never be sent again, and the conversation would be lost. So only a result that the model
 * has not seen yet is refused; the same in the history is cut out.
 */
import { SluiceError } from '../../base/sluice-error.ts'
import { definePolicy, type Policy } from '../../policy/policy.ts'
import { change, deny } from '../../policy/verdict.ts'
import { toPattern } from '../pattern.ts'
import { toToolFilter, type ToolFilter, type ToolName } from '../tool-globs.ts'
import { createSeen } from './seen.ts'
import { scoreOf, type Finding, type Kind } from './finding.ts'
import { redactText, tagText } from './mend-text.ts'
import { changeResults, type ResultText } from './results.ts'
import { scanText, type ScanOptions } from './scan-text.ts'

export type ScanAction = 'tag' | 'redact' | 'refuse'

export interface ScanPattern {
  readonly name: string
  /** RE2. */
  readonly pattern: string
  readonly ignoreCase?: boolean
  /** 1 to 10; default 3, which is enough by itself. */
  readonly score?: number
}

export interface ScanForTools {
  /** Names of tools, `*` stands for any characters. */
  readonly tools: readonly string[]
  readonly action?: ScanAction | 'off'
  readonly threshold?: number
}

export interface ScanResultsOptions {
  /** What happens to a result that reaches the threshold. Default tag. */
  readonly action?: ScanAction
  /** Default 3: one clear sign, or several weak ones. */
  readonly threshold?: number
  /** By kind of finding. Default: hidden characters and secrets are redacted, the others as `action` says. */
  readonly kinds?: Readonly<Partial<Record<Kind, ScanAction | 'off'>>>
  /** Other settings for some tools; the first that takes a tool wins. */
  readonly for?: readonly ScanForTools[]
  readonly patterns?: readonly ScanPattern[]
  /** How many texts are remembered. Default 5000. */
  readonly remember?: number
  readonly name?: string
}

const THRESHOLD = 3
const REMEMBERED = 5000

/** What is to be done with the results of one tool. */
interface Rule {
  readonly takes: ToolFilter
  readonly action: ScanAction | 'off'
  readonly threshold: number
}

export function scanResults(options: ScanResultsOptions = {}): Policy {
  const action = options.action ?? 'tag'
  const threshold = options.threshold ?? THRESHOLD
  const kinds = { hidden: 'redact', secret: 'redact', ...options.kinds } as const
  const rules: readonly Rule[] = [
    ...(options.for ?? []).map((one) => ({
      takes: toToolFilter(one.tools),
      action: one.action ?? action,
      threshold: one.threshold ?? threshold,
    })),
    { takes: () => true, action, threshold },
  ]
  const scan = toScan(options, kinds)
  const seen = createSeen(options.remember ?? REMEMBERED)
  const judgeText = (text: string, tool: ToolName | undefined): Judged | undefined => {
    const rule = rules.find(({ takes }) => takes(tool ?? NO_TOOL))
    if (rule === undefined || rule.action === 'off') return undefined
    return weigh(seen.of(text, scan), rule, kinds)
  }
  return definePolicy({
    name: options.name ?? 'scan-results',
    holds: [],
    onRequest(request) {
      const report = createReport()
      const turns = changeResults(request.turns, (result) => {
        const judged = judgeText(result.text, result.tool)
        if (judged === undefined) return result.text
        report.add(result, judged)
        return mend(result, judged)
      })
      const refused = report.refused()
      if (refused !== undefined)
        return deny(refused, {
          instead: 'Leave that result out, or look at it yourself first.',
          ...report.remarks(),
        })
      if (turns === request.turns) return undefined
      return change({ ...request, turns }, { reason: report.says(), ...report.remarks() })
    },
  })
}

const NO_TOOL: ToolName = { name: '' }

function toScan(
  { patterns = [] }: ScanResultsOptions,
  kinds: Readonly<Partial<Record<Kind, string>>>,
): (text: string) => readonly Finding[] {
  const options: ScanOptions = {
    own: patterns.map(({ name, pattern, score = THRESHOLD, ignoreCase }) => {
      const made = toPattern(pattern, { ignoreCase })
      if (!made.ok)
        throw new SluiceError('wrong-use', `Cannot scan for the pattern "${name}": ${made.message}`)
      return { name, pattern: made.pattern, score }
    }),
    off: new Set((Object.keys(kinds) as Kind[]).filter((kind) => kinds[kind] === 'off')),
  }
  return (text) => scanText(text, options)
}

/** What is to be done with one text. */
interface Judged {
  readonly score: number
  readonly tag: readonly Finding[]
  readonly redact: readonly Finding[]
  readonly refuse: readonly Finding[]
}

function weigh(
  all: readonly Finding[],
  { action, threshold }: Rule,
  kinds: Readonly<Partial<Record<Kind, ScanAction | 'off'>>>,
): Judged | undefined {
  if (all.length === 0) return undefined
  const score = scoreOf(all)
  // A credential is one whatever else stands there.
  const found = score >= threshold ? all : all.filter(({ kind }) => kind === 'secret')
  if (found.length === 0) return undefined
  const by = (which: ScanAction | 'off'): readonly Finding[] =>
    found.filter(({ kind }) => (kinds[kind] ?? action) === which)
  return { score, tag: by('tag'), redact: by('redact'), refuse: by('refuse') }
}

function mend({ text, isNew }: ResultText, { tag, redact, refuse }: Judged): string {
  const cut = isNew ? redact : [...redact, ...refuse]
  const left = cut.length === 0 ? text : redactText(text, cut)
  return tag.length === 0 ? left : tagText(left, tag)
}

/** What was found in a request, in words without content. */
function createReport() {
  const kinds = new Set<Kind>()
  let results = 0
  let fresh = 0
  let score = 0
  let refused: string | undefined
  return {
    add({ tool, callId, isNew }: ResultText, judged: Judged): void {
      results += 1
      if (isNew) fresh += 1
      score = Math.max(score, judged.score)
      for (const { kind } of [...judged.tag, ...judged.redact, ...judged.refuse]) kinds.add(kind)
      if (!isNew || judged.refuse.length === 0) return
      const where = judged.refuse
        .slice(0, 5)
        .map(({ kind, name, start, end }) => `${kind} (${name}) at characters ${start} to ${end}`)
      refused ??= `The result of ${tool === undefined ? 'a tool' : `"${tool.name}"`} (call "${callId}") is not passed on to the model: ${where.join(', ')}`
    },
    refused: () => refused,
    says: () =>
      `${results} tool ${results === 1 ? 'result was' : 'results were'} changed: ${[...kinds].join(', ')}`,
    remarks: () => ({
      tags: [...kinds].map((kind) => `scan:${kind}`),
      details: { results, new: fresh, score },
    }),
  }
}
