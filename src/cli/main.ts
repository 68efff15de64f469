/**
 * The command line: the first word names the command, one file each. Neighbours: `bin/sluice.js` calls
 * it with what was typed. Errors of ours become a sentence on standard error and exit code 2.
 */
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { blocks } from './blocks.ts'
import type { Command } from './command.ts'
import { config } from './config.ts'
import { convert } from './convert.ts'
import { keys } from './keys.ts'
import { lint } from './lint.ts'
import { createOutput, visible } from './output.ts'
import { run } from './run.ts'
import { serve } from './serve.ts'

const COMMANDS: Readonly<Record<string, Command>> = {
  serve,
  run,
  convert,
  blocks,
  lint,
  config,
  keys,
}

const HELP = `sluice: LLM streams as blocks, on three wires

Usage: sluice COMMAND [options] [FILE]

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`)
  .join('\n')}

Wires: anthropic-messages, openai-chat, openai-responses
FILE is SSE, JSON lines (one chunk a line) or a JSON answer; without one, standard input is read.
"sluice COMMAND --help" says more.

Try:
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
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    if (command === undefined) throw unknownCommand(name)
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
