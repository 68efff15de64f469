/**
 * The text of a new policy and of its test. Neighbours: `policy-new.ts` writes them; `test/cli/policy.test.ts` sees that
 * they run as they are.
 */

export type Language = 'ts' | 'js'

/** Path and text of each file, the policy first. */
export const toFiles = (
  name: string,
  language: Language,
): readonly (readonly [path: string, text: string])[] =>
  language === 'ts'
    ? [
        [`${name}.ts`, toPolicy(name, TS)],
        [`${name}.test.ts`, toTest(name, VITEST)],
      ]
    : [
        // `.mjs` is a module wherever it lies, whatever the package around it says.
        [`${name}.mjs`, toPolicy(name, JS)],
        [`${name}.test.mjs`, toTest(name, NODE_TEST)],
      ]

interface Dialect {
  readonly ending: string
  /** What stands before the function, and how its options are typed. */
  readonly options: string
  readonly parameter: string
}

const TS: Dialect = {
  ending: 'ts',
  options: `/** What sluice.yaml may say beside \`use\`. */
interface Options {
  /** Programs that no agent is to run. */
  readonly programs?: readonly string[]
}
`,
  parameter: `({ programs = ['rm', 'shred'] }: Options = {})`,
}

const JS: Dialect = {
  ending: 'mjs',
  options: `/**
 * What sluice.yaml may say beside \`use\`.
 * @typedef {{ programs?: readonly string[] }} Options programs that no agent is to run
 */

/** @param {Options} options */
`.trimEnd(),
  parameter: `({ programs = ['rm', 'shred'] } = {})`,
}

const toPolicy = (name: string, { ending, options, parameter }: Dialect): string => `/**
 * ${name}: agents run none of these programs.
 *
 * Try it:  sluice policy test policies/${name}.${ending}
 * What a policy can see and decide: docs/reference/policies.md
 */
import { definePolicy, deny, factsOf, pass } from 'sluice/policy'

${options}
export default ${parameter} =>
  definePolicy({
    name: '${name}',

    // These blocks wait for the verdict. Everything else streams on.
    holds: ['tool-call'],

    judge(block, ctx) {
      // What would the call do? The same for Claude Code's Bash, Codex's exec and every other shell tool, also for
      // what stands inside of "bash -c", "sudo" or "$(…)".
      const { shell } = factsOf(block, ctx)

      const found = shell.commands.find((command) => programs.includes(command.name))
      if (found === undefined) return pass()

      // The model reads this as its own words in the next turn: say why, and what it may do instead.
      return deny(\`\${found.name} is not allowed here.\`, {
        instead: 'Say which files should go, and let the user delete them.',
      })
    },
  })
`

interface Runner {
  readonly ending: string
  readonly imports: string
  readonly equal: (given: string, expected: string) => string
}

const VITEST: Runner = {
  ending: 'ts',
  imports: `import { testPolicy } from 'sluice/policy'
import { expect, test } from 'vitest'`,
  equal: (given, expected) => `expect(${given}).toEqual(${expected})`,
}

const NODE_TEST: Runner = {
  ending: 'mjs',
  imports: `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testPolicy } from 'sluice/policy'`,
  equal: (given, expected) => `assert.deepEqual(${given}, ${expected})`,
}

const toTest = (name: string, { ending, imports, equal }: Runner): string => `${imports}
import create from './${name}.${ending}'

test('keeps a program from running, however it is called', async () => {
  for (const command of ['rm -rf build', 'sudo rm notes.txt', 'bash -c "cd /tmp && rm *"']) {
    const result = await testPolicy(create()).onToolCall('Bash', { command })
    ${equal('result.verdict', "'deny'")}
    // No call is left for the client to run, and what it gets is legal on every wire.
    ${equal('result.calls', '[]')}
    ${equal('result.findings()', '[]')}
  }
})

test('lets everything else pass as it came', async () => {
  const result = await testPolicy(create()).onToolCall('Bash', { command: 'grep rm notes.txt' })
  ${equal('result.verdict', "'pass'")}
  ${equal('result.isUntouched', 'true')}
})

test('takes other programs from its options', async () => {
  const policy = create({ programs: ['curl'] })
  const result = await testPolicy(policy).onToolCall('exec_command', { cmd: 'curl example.com' })
  ${equal('result.reason', "'curl is not allowed here.'")}
})
`
