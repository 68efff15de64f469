/**
 * Writes `docs/reference/policies.md` from the comments of the types, so that the page and the code cannot part ways:
 * `npm run docs`. A test compares the two. Reads the text of the files: what authors see in their editor is what stands
 * here.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

export const POLICIES_PAGE = join(ROOT, 'docs/reference/policies.md')

const HEAD = `# What a policy sees and decides

Everything that an author of policies can name, from \`sluice/policy\`. How to begin: [policies in five
minutes](../guide/policies.md). Where they stand in \`sluice.yaml\`: [policies](../policies/README.md).

This page is written from the comments of the types by \`npm run docs\`.
`

/** A type, where it stands, and how it is shown. */
type Entry =
  | readonly [as: 'table', file: string, name: string, words?: string]
  | readonly [as: 'source', file: string, names: readonly string[], words?: string]

const POLICY = 'src/policy/policy.ts'
const VERDICT = 'src/policy/verdict.ts'
const BLOCK = 'src/event/block.ts'
const FACTS = 'src/facts/facts.ts'

const SECTIONS: Readonly<Record<string, readonly Entry[]>> = {
  'The policy': [
    [
      'table',
      POLICY,
      'Policy',
      '`definePolicy({ … })` finds out the types of `state`, `memory` and of the blocks that are held.',
    ],
    ['table', POLICY, 'Installed', '`install(policy, { … })` gives one, for `startGateway`.'],
  ],
  Verdicts: [
    [
      'source',
      VERDICT,
      ['Verdict', 'NewBlock'],
      'What `judge` gives back. Made with `pass()`, `deny(reason, { instead })`, `replace(block | blocks)`, `rewrite(args)`, `ask(question)` and `halt(reason)`; each takes `reason`, `tags` and `details` as its last argument. Of several, `strictest([…])` is the first in the order halt, deny, ask, replace, rewrite, pass; `all(name, …policies)` asks several at once and decides so.',
    ],
    [
      'source',
      VERDICT,
      ['RequestVerdict'],
      'What `onRequest` gives back: `pass()`, `deny(reason)` or `change(request)`; nothing is a pass.',
    ],
    ['table', VERDICT, 'Remarks', 'On every verdict:'],
  ],
  'The context': [
    [
      'table',
      POLICY,
      'PolicyContext',
      'The last argument of every function of a policy. Do not take functions out of it: `ctx.callModel(…)`.',
    ],
    ['table', POLICY, 'FilterContext', 'The context of `onChunk` has these beside:'],
    ['table', POLICY, 'PolicyRequest', '`ctx.request`:'],
    ['table', POLICY, 'PolicyLog', '`ctx.log`:'],
    ['table', POLICY, 'ModelCall', 'What `ctx.callModel` takes:'],
    ['table', POLICY, 'ModelReply', 'What it gives back:'],
  ],
  Blocks: [
    [
      'source',
      BLOCK,
      ['StreamBlock'],
      'What `judge` and `onBlock` are handed. Which fields there are hangs on `type`.',
    ],
    ['table', BLOCK, 'InfoBase', 'On every block:'],
    ['table', BLOCK, 'Growing', 'And:'],
    ['table', BLOCK, 'WithArguments', 'On `tool-call` and `server-tool`:'],
    ['source', BLOCK, ['ToolDialect', 'ParsedArguments']],
  ],
  'The answer so far': [
    ['table', 'src/block/state.ts', 'StreamState', 'What `onChunk` and `onFinish` are handed:'],
    ['table', 'src/event/answer.ts', 'Answer', 'And:'],
    ['source', 'src/event/event.ts', ['Body', 'Delta'], 'The events that `onChunk` sees:'],
    ['source', 'src/event/finish.ts', ['FinishReason']],
  ],
  'What a call would do': [
    [
      'table',
      FACTS,
      'CallFacts',
      '`factsOf(block, ctx)` gives these, and the expressions of [rules](../policies/rules.md) name them. How they are found: [facts](../policies/facts.md).',
    ],
    ['table', FACTS, 'ShellFacts'],
    ['table', FACTS, 'ShellCommand'],
    ['table', FACTS, 'FileFacts'],
  ],
  Requests: [
    ['table', 'src/request/request.ts', 'ModelRequest', 'What `onRequest` is handed:'],
    ['table', 'src/request/request.ts', 'Turn'],
    ['source', 'src/request/part.ts', ['TextPart', 'ToolCallPart', 'ToolResultPart', 'Part']],
    ['source', 'src/request/tool.ts', ['Tool']],
  ],
  Records: [
    ['table', POLICY, 'VerdictRecord', 'What is kept of each verdict, and what a test gets:'],
    ['table', POLICY, 'Question', 'What a person is asked:'],
    ['source', POLICY, ['Decision']],
  ],
  'The test kit': [
    [
      'table',
      'src/testkit/exchanges.ts',
      'Exchanges',
      '`testPolicy(policy | installed | list, options?)` gives these. Each exchange is the first of its own conversation.',
    ],
    ['table', 'src/testkit/test-policy.ts', 'PolicyTest', 'And:'],
    ['table', 'src/testkit/world.ts', 'World', 'And:'],
    ['table', 'src/testkit/conversation.ts', 'TestConversation', 'A conversation has these too:'],
    ['table', 'src/testkit/test-policy.ts', 'TestOptions', 'The options of `testPolicy`:'],
    ['table', 'src/testkit/world.ts', 'WorldOptions', 'And:'],
    [
      'table',
      'src/testkit/setting.ts',
      'TestSetting',
      'And these, which can also be given to one exchange:',
    ],
    ['table', 'src/testkit/result.ts', 'TestResult', 'What comes of an answer:'],
    ['table', 'src/testkit/result.ts', 'RequestResult', 'What comes of a request:'],
    ['table', 'src/testkit/result.ts', 'Decided', 'Both have:'],
    ['source', 'src/testkit/result.ts', ['SentBlock']],
    ['source', 'src/testkit/made-answer.ts', ['TestBlock']],
    ['source', 'src/testkit/world.ts', ['PersonAnswer', 'ModelAnswer']],
  ],
}

/** Members of the engine's own, which no author sees. */
const INTERNAL: ReadonlySet<string> = new Set(['createHost', 'haltedBy'])

export function policiesPage(): string {
  const sections = Object.entries(SECTIONS).map(
    ([title, entries]) => `\n## ${title}\n${entries.map(toEntry).join('')}`,
  )
  return HEAD + sections.join('')
}

function toEntry(entry: Entry): string {
  const [as, file, , words] = entry
  const source = readFileSync(join(ROOT, file), 'utf8')
  const lead = words === undefined ? '' : `\n${words}\n`
  if (as === 'source') {
    const texts = entry[2].map((name) => declarationOf(source, name, file))
    return `${lead}\n\`\`\`ts\n${texts.join('\n\n')}\n\`\`\`\n`
  }
  const rows = membersOf(source, entry[2], file)
    .filter(({ name }) => !INTERNAL.has(name))
    .map(({ name, type, says }) => `| \`${name}\` | \`${cell(type)}\` | ${cell(says)} |`)
  const head = `| \`${entry[2]}\` | type | |\n|---|---|---|`
  return `${lead}\n${head}\n${rows.join('\n')}\n`
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

/** The text of a type, from its name to the blank line behind it. */
function declarationOf(source: string, name: string, file: string): string {
  const found = new RegExp(
    `^(?:export )?((?:type|interface) ${name}\\b[\\s\\S]*?)\\n(?=\\n|/\\*\\*|$)`,
    'm',
  )
  const text = found.exec(source)?.[1]
  if (text === undefined) throw new Error(`There is no type ${name} in ${file}`)
  return text.replaceAll('readonly ', '')
}

interface Member {
  readonly name: string
  readonly type: string
  readonly says: string
}

/** The members of an interface, with what stands above each. */
function membersOf(source: string, name: string, file: string): readonly Member[] {
  const begin = new RegExp(`^(?:export )?interface ${name}\\b[^{]*\\{$`, 'm').exec(source)
  // The types that it extends may stand on lines of their own.
  if (begin === null) throw new Error(`There is no interface ${name} in ${file}`)
  const lines = source.slice(begin.index + begin[0].length + 1).split('\n')
  const members: Member[] = []
  let says: string[] = []
  let code: string[] = []
  let isComment = false
  for (const [at, line] of lines.entries()) {
    const text = line.trim()
    if (line === '}') break
    if (isComment || text.startsWith('/**')) {
      isComment = !text.endsWith('*/')
      says.push(toWords(text))
      continue
    }
    if (text === '') continue
    code.push(text)
    const goesOn = /^[|&]/.test(lines[at + 1]?.trim() ?? '')
    if (goesOn || !isWhole(code.join(' '))) continue
    members.push(toMember(joinLines(code), says))
    says = []
    code = []
  }
  return members
}

const toWords = (line: string): string =>
  line
    .replace(/^\/\*\*|\*\/$/g, '')
    .replace(/^\* ?/, '')
    .trim()

/** Members of an object on lines of their own become one line. */
const joinLines = (lines: readonly string[]): string =>
  lines.reduce((text, line) => {
    const isOpen = /[{(,|&:]$/.test(text) || /^[})|&]/.test(line)
    return text === '' ? line : `${text}${isOpen ? ' ' : '; '}${line}`
  }, '')

/** Whether all brackets are closed, and the next line does not go on. */
function isWhole(code: string): boolean {
  const depth = Array.from(code).reduce(
    (sum, one) => sum + ('([{'.includes(one) ? 1 : ')]}'.includes(one) ? -1 : 0),
    0,
  )
  return depth === 0 && !code.endsWith(':') && !code.endsWith('|') && !code.endsWith('&')
}

function toMember(code: string, says: readonly string[]): Member {
  const plain = code.replaceAll('readonly ', '').replaceAll(/\s+/g, ' ')
  const [, name = '', isOptional = '', rest = ''] = /^(\w+)(\??)(.*)$/.exec(plain) ?? []
  const type = rest
    .replace(/^: (?:\| )?/, '')
    .replaceAll('( ', '(')
    .replaceAll(', )', ')')
  const words = says.filter((line) => line !== '').join(' ')
  return { name: name + isOptional, type, says: words }
}

if (process.argv[1] === import.meta.filename) {
  const page = policiesPage()
  if (readOr(POLICIES_PAGE) !== page) writeFileSync(POLICIES_PAGE, page)
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
