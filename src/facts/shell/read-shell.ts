/**
 * The command of a tool call → findings. Neighbours: `../read-facts.ts` comes here with a text or a list of words;
 * `walk.ts` reads shells, `windows.ts` the others. Never throws: what breaks a reader is marked as not read.
 */
import type { Findings } from '../findings.ts'
import { PLAIN, toField } from './machine.ts'
import { createMachine } from './walk.ts'
import { isCmd, isPowerShell, readCmd, readPowerShell } from './windows.ts'

export type ShellInput =
  | {
      readonly type: 'text'
      readonly text: string
      readonly isKnown?: boolean
      readonly kind?: 'powershell' | 'cmd'
    }
  | { readonly type: 'words'; readonly words: readonly string[]; readonly isKnown?: boolean }

export function readShell(findings: Findings, folder: string, input: ShellInput): void {
  try {
    const machine = createMachine(findings, folder)
    if (input.isKnown === false) findings.markOpaque()
    if (input.type === 'words') machine.runWords(input.words.map(toField), PLAIN)
    else if (input.kind === 'powershell' || isPowerShell(input.text))
      readPowerShell(machine, toField(input.text), PLAIN)
    else if (input.kind === 'cmd' || isCmd(input.text)) readCmd(machine, toField(input.text), PLAIN)
    else machine.runText(toField(input.text), 'sh', PLAIN)
    machine.runUncalled()
  } catch {
    // The stack is the only limit that is not counted: a text that gets there is no honest one.
    findings.markUnread()
  }
}
