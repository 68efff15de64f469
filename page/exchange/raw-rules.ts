/** What a rule of lint means, in the words of `docs/reference/lint.md`. Neighbours: each wire's `rules.ts` has them. */
import type { Rule, WireName } from '../../src/index.ts'
import { RULES as MESSAGES } from '../../src/wire/anthropic-messages/rules.ts'
import { RULES as CHAT } from '../../src/wire/openai-chat/rules.ts'
import { RULES as RESPONSES } from '../../src/wire/openai-responses/rules.ts'

const RULES: Readonly<Record<WireName, Readonly<Record<string, Rule>>>> = {
  'anthropic-messages': MESSAGES,
  'openai-chat': CHAT,
  'openai-responses': RESPONSES,
}

export const ruleOf = (wire: WireName, name: string): Rule | undefined => RULES[wire][name]
