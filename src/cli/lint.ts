/**
 * `sluice lint`: a stream against the grammar of its wire. Neighbours: `input.ts` opens it, each wire's
 * `grammar.ts` judges it.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { Finding } from '../wire/grammar.ts'
import { WIRES } from '../wire/wires.ts'
import { readArguments, readWire } from './arguments.ts'
import type { Command } from './command.ts'
import { openInput } from './input.ts'
import { visible, type Output } from './output.ts'

export const lint: Command = {
  help: `sluice lint [--wire WIRE] [--strict] [--json] [FILE]

Checks a stream against the grammar of its wire and says what is wrong where, and
which client cares. An error is something that an official client breaks on or
misreads; a warning is odd, but they all live with it.

  --wire WIRE   the wire of the stream; guessed if not given
  --strict      exit 1 on warnings too
  --json        print one JSON object: {"wire","findings":[…],"errors","warnings"}

Exit 0 when it is right, 1 when not.
`,
  async run(argv, { out }) {
    const { values, file } = readArguments(argv, {
      wire: { type: 'string' },
      strict: { type: 'boolean' },
      json: { type: 'boolean' },
    })
    const input = await openInput(
      file,
      values.wire === undefined ? undefined : readWire('--wire', values.wire),
    )
    if (input.type !== 'stream')
      throw new SluiceError(
        'not-a-stream',
        'Only a stream can be linted, and this is one JSON body',
      )
    const grammar = WIRES[input.wire].createGrammar()
    const findings: Finding[] = []
    const counts = new Map<string, number>()
    const take = async (found: readonly Finding[]): Promise<void> => {
      findings.push(...found)
      for (const finding of found) {
        const said = (counts.get(finding.rule) ?? 0) + 1
        counts.set(finding.rule, said)
        if (values.json !== true && said <= SHOWN) await out.line(toLine(finding, out))
      }
    }
    for await (const frames of input.frames) {
      for (const frame of frames) await take(grammar.push(frame))
      if (out.isGone) break
    }
    await take(grammar.end())
    const errors = findings.filter(({ severity }) => severity === 'error').length
    const warnings = findings.length - errors
    if (values.json !== true)
      for (const [rule, said] of counts)
        if (said > SHOWN) await out.line(`… and ${said - SHOWN} more of ${rule}`)
    if (values.json === true)
      await out.line(JSON.stringify({ wire: input.wire, findings, errors, warnings }))
    else await out.line(`${input.wire}: ${count(errors, 'error')}, ${count(warnings, 'warning')}`)
    return errors > 0 || (values.strict === true && warnings > 0) ? 1 : 0
  },
}

/** How often one rule is shown: a server that breaks it does so on every frame. */
const SHOWN = 3

function toLine({ frame, rule, severity, message, client }: Finding, out: Output): string {
  const word = out.style(severity === 'error' ? 'red' : 'yellow', severity.padEnd(7))
  return `frame ${String(frame).padStart(4)}  ${word}  ${out.style('bold', rule.padEnd(10))}  ${visible(message)} ${out.style('dim', `(${client})`)}`
}

const count = (number: number, word: string): string =>
  `${number} ${word}${number === 1 ? '' : 's'}`
