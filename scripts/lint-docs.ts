/**
 * Writes `docs/reference/lint.md` from the rules, so that the page and the code cannot part ways:
 * `npm run docs`. A test compares the two.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RULES as ANTHROPIC } from '../src/wire/anthropic-messages/rules.ts'
import type { Rule } from '../src/wire/grammar.ts'
import { RULES as CHAT } from '../src/wire/openai-chat/rules.ts'
import { RULES as RESPONSES } from '../src/wire/openai-responses/rules.ts'

export const LINT_PAGE = join(import.meta.dirname, '../docs/reference/lint.md')

const HEAD = `# The rules of lint

\`sluice lint\` checks a stream against the grammar of its wire, frame by frame. An **error** is something that an official
client breaks on or misreads; a **warning** is odd, but they all live with it. What a client does was tried: with
\`@anthropic-ai/sdk\` 1.8 and 0.130, \`openai\` 6.49 and 7.53. Where only another client is named, it is from its source.

A stream that ends with the wire's own error event is legal: the client throws, and is right to.

What our own encoders write passes \`--strict\`, with two exceptions that are the client's or the model's choice: custom
tools on Chat (B23), where they were asked for, and arguments that are no JSON (B11-json), which pass as they are.

This page is written from the rules by \`npm run docs\`.
`

export function lintPage(): string {
  const tables = Object.entries({
    'anthropic-messages': ANTHROPIC,
    'openai-chat': CHAT,
    'openai-responses': RESPONSES,
  }).map(([wire, rules]) => `\n## ${wire}\n\n${table(rules)}\n`)
  return HEAD + tables.join('')
}

function table(rules: Readonly<Record<string, Rule>>): string {
  const rows = Object.entries(rules).map(
    ([id, { severity, says, client }]) => `| ${id} | ${severity} | ${says} | ${client} |`,
  )
  return ['| rule | severity | what must hold | who cares |', '|---|---|---|---|', ...rows].join(
    '\n',
  )
}

if (process.argv[1] === import.meta.filename) {
  const page = lintPage()
  if (readOr(LINT_PAGE) !== page) writeFileSync(LINT_PAGE, page)
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
