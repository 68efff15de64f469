/**
 * Writes `docs/policies/evasions.md` from the table of evasions, so that the page and what was tried cannot part ways:
 * `npx tsx scripts/evasion-docs.ts`. A test compares the two, and each row with what the policy says.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EVASIONS, type Evasions } from '../test/policies/evasions.ts'

export const EVASIONS_PAGE = join(import.meta.dirname, '../docs/policies/evasions.md')

const HEAD = `# What coding-agent sees through, and what not

Ways to say a harmful command so that a guard may miss it, and what [\`coding-agent\`](coding-agent.md) makes of each, at
its levels \`careful\` and \`strict\`. The agent works in \`/home/me/project\`. **deny** and **ask** are the guard's word;
**pass** means that the call would run.

This page is written from a table that is tried in every test run (\`test/policies/evasions.test.ts\`), so it says what
is so, also where that is not what one would like.

The counts are no rate of detection. The list was written together with the rules, and rules were mended where the list
showed a hole, so it fits them better than commands that nobody thought of. A few rows pass because they do no harm: a
letter of another script makes another name.
`

const TAIL = `
## What no list can show

- **Programs on disk.** The guard reads calls. \`npm test\`, \`make\` and \`./build.sh\` run whatever stands in files, and an
  agent may have written those in an earlier call, with a file tool, in plain sight. Only \`write and run in one call\` is
  seen.
- **Two calls.** A link made in one call and used in the next, a variable in a shell that stays open, a file copied under
  another name: each call alone is harmless.
- **Links and mounts.** No path is looked up on a disk: \`build\` may be a link to \`/\`.
- **Code.** Inline programs are searched for calls that delete or run things, not understood. Text put together within
  them is not seen; what looks like it is asked about.
- **Names that look alike.** A path or branch in letters of another script is another path or branch. Names of
  commands are compared as they look.

So the guard is a seat belt and no wall. Against an agent that means harm, run it in a container or as a user who may do
little, and keep keys out of its reach.
`

export function evasionsPage(): string {
  return HEAD + summary() + EVASIONS.map(toSection).join('') + TAIL
}

function summary(): string {
  const rows = EVASIONS.flatMap(({ rows: all }) => all)
  const count = (at: 1 | 2, type: string): number => rows.filter((row) => row[at] === type).length
  const line = (level: string, at: 1 | 2): string =>
    `| ${level} | ${count(at, 'deny')} | ${count(at, 'ask')} | ${count(at, 'pass')} |`
  return `
Of ${rows.length} ways:

| level | deny | ask | pass |
| --- | --- | --- | --- |
${line('careful', 1)}
${line('strict', 2)}
`
}

function toSection({ trick, says, rows }: Evasions): string {
  const lines = rows.map(
    ([command, careful, strict]) => `| ${toCode(command)} | ${mark(careful)} | ${mark(strict)} |`,
  )
  const words = says === undefined ? '' : `\n${says}\n`
  return `\n## ${trick}\n${words}\n| command | careful | strict |\n| --- | --- | --- |\n${lines.join('\n')}\n`
}

const mark = (type: string): string => (type === 'pass' ? '**pass**' : type)

/** As code in a table: one line, bars escaped, letters that one does not see by their numbers. */
function toCode(command: string): string {
  const shown = command
    .replaceAll('\n', '⏎')
    .replaceAll('\r', '␍')
    .replaceAll('\t', '⇥')
    .replaceAll(/[\u00a0\u200b-\u200f\u202a-\u202e\u2013]|[\u0400-\u04ff]/g, toNumber)
    .replaceAll('|', '\\|')
  const fence = shown.includes('`') ? '``' : '`'
  const pad = shown.includes('`') ? ' ' : ''
  return `${fence}${pad}${shown}${pad}${fence}`
}

const toNumber = (letter: string): string =>
  `{U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}}`

if (process.argv[1] === import.meta.filename) writeFileSync(EVASIONS_PAGE, evasionsPage())
