/**
 * The command line: the first word names the command, one file each. Neighbours: `bin/sluice.js` calls
 * it with what was typed. Errors of ours become a sentence on standard error and exit code 2.
 */
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { Command } from './command.ts'
import { createOutput, visible } from './output.ts'

interface Entry {
  /** One line for the list of commands. */
  readonly summary: string
  /** Its file is read when it is wanted: a gateway is a lot to load for looking at a stream. */
  load(): Promise<Command>
}

const COMMANDS: Readonly<Record<string, Entry>> = {
  serve: {
    summary: 'Start the gateway: what "sluice" alone does',
    load: async () => (await import('./serve.ts')).serve,
  },
  open: {
    summary: 'Open the page of the running gateway, or print its link',
    load: async () => (await import('./open.ts')).open,
  },
  run: {
    summary: 'Start a client on the gateway: claude, codex, opencode, qwen, or any other',
    load: async () => (await import('./run.ts')).run,
  },
  tail: {
    summary: 'What happens at the gateway, live: exchanges, blocks, verdicts',
    load: async () => (await import('./tail.ts')).tail,
  },
  log: {
    summary: 'Exchanges that were recorded: list them, look for some',
    load: async () => (await import('./log.ts')).log,
  },
  show: {
    summary: 'All of one recorded exchange: request, blocks, verdicts, what was changed',
    load: async () => (await import('./show.ts')).show,
  },
  export: {
    summary: 'Write recorded exchanges as JSON lines, or as .sse recordings',
    load: async () => (await import('./export.ts')).exportCommand,
  },
  records: {
    summary: 'The store of the records: size, verify, delete',
    load: async () => (await import('./records.ts')).records,
  },
  approvals: {
    summary: 'Calls that wait for a person: list, show, pass, deny, edit, watch',
    load: async () => (await import('./approvals.ts')).approvals,
  },
  halt: {
    summary: 'Stop every tool call at the gateway',
    load: async () => (await import('./halt.ts')).halt,
  },
  resume: {
    summary: 'Let tool calls through again after "sluice halt"',
    load: async () => (await import('./halt.ts')).resume,
  },
  convert: {
    summary: 'Write an answer of one wire as one of another',
    load: async () => (await import('./convert.ts')).convert,
  },
  blocks: {
    summary: 'Show the blocks of an answer: text, thinking, tool calls, …',
    load: async () => (await import('./blocks.ts')).blocks,
  },
  lint: {
    summary: 'Check a stream against the grammar of its wire',
    load: async () => (await import('./lint.ts')).lint,
  },
  replay: {
    summary: 'Answer from recordings, with no provider: an exchange, a session, files',
    load: async () => (await import('./replay.ts')).replay,
  },
  backtest: {
    summary: 'What policies would have done to what was recorded',
    load: async () => (await import('./backtest.ts')).backtest,
  },
  policy: {
    summary: 'Write a policy, try one, turn one on: new, test, list, shadow, promote, demote',
    load: async () => (await import('./policy.ts')).policy,
  },
  config: {
    summary: 'Check a config file, or print its JSON Schema',
    load: async () => (await import('./config.ts')).config,
  },
  keys: {
    summary: 'Make a key for a client of the gateway',
    load: async () => (await import('./keys.ts')).keys,
  },
}

const HELP = `sluice: a gateway for LLM streams, and commands that look at them

Usage: sluice COMMAND [options] [FILE]

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(9)} ${summary}`)
  .join('\n')}

Wires: anthropic-messages, openai-chat, openai-responses
FILE is SSE, JSON lines (one chunk a line) or a JSON answer; without one, standard input is read.
"sluice COMMAND --help" says more.

Try:
  sluice
  sluice run claude
  sluice blocks --wire openai-chat recording.sse
  sluice convert --from openai-chat --to anthropic-messages recording.sse
  sluice lint recording.sse
`

/** Runs the command that was typed and gives back the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const out = createOutput(process.stdout)
  const err = createOutput(process.stderr)
  const [name = 'serve', ...rest] = isCommand(argv[0]) ? argv : ['serve', ...argv]
  try {
    if (name === 'help' || name === '--help' || name === '-h') {
      await out.write(HELP)
      return 0
    }
    const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    if (entry === undefined) throw unknownCommand(name)
    const command = await entry.load()
    if (command.ownHelp !== true && (rest.includes('--help') || rest.includes('-h'))) {
      await out.write(command.help)
      return 0
    }
    return await command.run(rest, { out, err })
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    // Only the mistakes of a config come in lines: their sentences put what others wrote in quotes.
    const lines = error.code === 'bad-config' ? error.message.split('\n') : [error.message]
    for (const line of lines) await err.line(`${err.style('red', 'sluice:')} ${visible(line)}`)
    return 2
  } finally {
    // Whoever still writes to us is not waited for.
    process.stdin.destroy()
  }
}

/** Options alone are for `serve`, which is what most people want. */
const isCommand = (word: string | undefined): boolean =>
  word !== undefined && (!word.startsWith('-') || word === '--help' || word === '-h')

function unknownCommand(name: string): SluiceError {
  const names = Object.keys(COMMANDS)
  const near = nearest(name, names)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  return new SluiceError(
    'wrong-use',
    `There is no command "${name}": there are ${names.join(', ')}${hint}`,
  )
}
