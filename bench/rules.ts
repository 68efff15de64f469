/**
 * What a verdict of `rules` and of `coding-agent` costs per call, reading the call included: microseconds for calls
 * that pass. Time of the processor and not of the clock, because these machines are shared; the best of several rounds.
 * `npm run bench:rules` prints a table. As built, and not through a loader: tsx gives every function its name anew each time it is
 * made, which makes some of these twice as slow.
 */
import { makeCall, openExchange } from '../test/support/judge-call.ts'
import { codingAgent } from '../src/stock/coding-agent.ts'
import { rules } from '../src/stock/rules/rules.ts'
import type { Policy } from '../src/policy/policy.ts'

const POLICIES: Readonly<Record<string, Policy>> = {
  'rules, 1 rule on the tool': rules({
    deny: [{ when: 'tool.name == "Bash" && tool.args.command.re("rm\\\\s+-rf")', reason: 'no' }],
  }),
  'rules, 3 rules on commands and files': rules({
    deny: [
      {
        when: 'shell.commands.exists(c, c.name == "rm" && "-r" in c.flags)',
        reason: 'no',
      },
      { when: 'files.written.exists(f, f in files.outside)', reason: 'no' },
      { when: 'shell.pipes.exists(p, p[0] == "curl" && "sh" in p)', reason: 'no' },
    ],
  }),
  'coding-agent': codingAgent(),
}

const CALLS = {
  'Read of a file': makeCall('Read', { file_path: '/home/me/project/src/index.ts', limit: 200 }),
  'Bash, one command': makeCall('Bash', { command: 'npm test', description: 'Run the tests' }),
  'Bash, four commands and a pipe': makeCall('Bash', {
    command: 'cd src && grep -rn "export const" . | head -20 && git status --short',
  }),
}

const ROUNDS = 9
const PER_ROUND = 2000

/** Microseconds for one run. */
function measure(run: () => void): number {
  for (let i = 0; i < 2 * PER_ROUND; i++) run()
  const rounds = Array.from({ length: ROUNDS }, () => {
    const start = process.cpuUsage()
    for (let i = 0; i < PER_ROUND; i++) run()
    const { user, system } = process.cpuUsage(start)
    return (user + system) / PER_ROUND
  })
  return Math.min(...rounds)
}

for (const [policyName, policy] of Object.entries(POLICIES)) {
  const judge = openExchange(policy)
  for (const [callName, block] of Object.entries(CALLS)) {
    const took = measure(() => judge(block)).toFixed(1)
    process.stdout.write(
      `${policyName.padEnd(40)} ${callName.padEnd(34)} ${judge(block).type.padEnd(5)} ${took.padStart(6)} µs\n`,
    )
  }
}
