/**
 * A rule as a person writes it, in YAML or TypeScript: when, and what then. Neighbours: `compile.ts` makes rules that
 * run of them, `config/policy-rules.ts` reads them from a file. Knows no expression: what stands in `when` is text.
 */

export const RULE_ACTIONS = ['deny', 'ask', 'rewrite', 'redact', 'tag', 'allow'] as const
export type RuleAction = (typeof RULE_ACTIONS)[number]

export const RULE_SUBJECTS = ['tool-call', 'text'] as const
/** What a rule is about. */
export type RuleSubject = (typeof RULE_SUBJECTS)[number]

/** What may stand in `set`: a text is an expression, anything else stands for itself. */
type SetValue = string | number | boolean | null

interface RuleBase {
  /** What it is called in records; without, its place: `deny[0]`. */
  readonly name?: string
  /** A CEL expression. May be left out where `tools` or `patterns` say enough. */
  readonly when?: string
  /** Only for tools of these names; `*` stands for any characters. */
  readonly tools?: readonly string[]
  /** Default: tool calls. */
  readonly on?: RuleSubject
  readonly reason?: string
  readonly tags?: readonly string[]
  /** Counts its matches in this conversation: `counters.name`. */
  readonly count?: string
}

interface Reasoned extends RuleBase {
  /** Why, in words for model and person. */
  readonly reason: string
}

/** The call does not happen. `instead`: what is allowed. */
export interface DenyRule extends Reasoned {
  readonly instead?: string
}

/** A person decides. */
export type AskRule = Reasoned

/** The call happens with other arguments. */
export interface RewriteRule extends RuleBase {
  readonly set: Readonly<Record<string, SetValue>>
}

/** What matches the patterns is masked. */
export interface RedactRule extends RuleBase {
  /** RE2. */
  readonly patterns: readonly string[]
  /** What stands there instead. Default `[redacted]`. */
  readonly with?: string
}

/** Only noted: the rules after it are asked too. */
export interface TagRule extends RuleBase {
  readonly tags: readonly string[]
}

/** Passes, and no rule after it is asked. */
export type AllowRule = RuleBase

export type Rule =
  | (DenyRule & { readonly action: 'deny' })
  | (AskRule & { readonly action: 'ask' })
  | (RewriteRule & { readonly action: 'rewrite' })
  | (RedactRule & { readonly action: 'redact' })
  | (TagRule & { readonly action: 'tag' })
  | (AllowRule & { readonly action: 'allow' })

/** Rules by what they do, or in one list. They are asked in the order in which they stand here. */
export interface RuleLists {
  readonly deny?: readonly DenyRule[]
  readonly ask?: readonly AskRule[]
  readonly rewrite?: readonly RewriteRule[]
  readonly redact?: readonly RedactRule[]
  readonly tag?: readonly TagRule[]
  readonly allow?: readonly AllowRule[]
  readonly rules?: readonly Rule[]
}

/** Any rule, with all that one may have: what comes from a file is checked and not typed. */
export interface LooseRule extends RuleBase {
  readonly instead?: string
  readonly set?: Readonly<Record<string, SetValue>>
  readonly patterns?: readonly string[]
  readonly with?: string
}

/** A rule and where it stands: the list and its place in it. */
export interface PlacedRule {
  readonly action: RuleAction
  readonly list: keyof RuleLists
  readonly at: number
  readonly rule: LooseRule
}

/** All rules in the order in which they are asked. */
export function toPlacedRules(lists: RuleLists): readonly PlacedRule[] {
  return Object.entries(lists).flatMap(([key, rules]): PlacedRule[] => {
    const list = toListName(key)
    if (list === undefined || !Array.isArray(rules)) return []
    return (rules as readonly (LooseRule & { readonly action?: RuleAction })[]).map((rule, at) => ({
      action: list === 'rules' ? (rule.action ?? 'deny') : list,
      list,
      at,
      rule,
    }))
  })
}

const toListName = (key: string): keyof RuleLists | undefined =>
  key === 'rules' ? key : RULE_ACTIONS.find((action) => action === key)
