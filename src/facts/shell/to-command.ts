/**
 * A command with its words → the `ShellCommand` that rules see. Neighbours: `commands.ts`. The flags of a few programs
 * are completed, so that a rule need not know every spelling: `rm --recur` has `--recursive` and `-r` too.
 */
import type { ShellCommand } from '../facts.ts'
import type { Call, Field, Machine } from './machine.ts'

export function toCommand(machine: Machine, first: Field, call: Call): ShellCommand {
  const args = call.words.map(({ text }) => text)
  const flags = new Set<string>()
  const paths: string[] = []
  let isOver = false
  for (const text of args) {
    if (isOver || !isFlag(text)) paths.push(...toPaths(machine, text))
    else if (text === '--') isOver = true
    else addFlag(flags, text)
  }
  complete(flags, call.name, args)
  if (couldHideFlag(call)) machine.findings.markOpaque()
  return {
    name: call.name,
    path: first.text,
    args,
    flags: [...flags],
    paths,
    redirects: call.redirects,
    isElevated: call.isElevated,
    text: args.length === 0 ? shown(call, first) : `${shown(call, first)} ${args.join(' ')}`,
  }
}

const shown = (call: Call, first: Field): string => (call.name === '' ? first.text : call.name)

const isFlag = (text: string): boolean => text.length > 1 && text.startsWith('-')

function addFlag(flags: Set<string>, text: string): void {
  flags.add(text)
  if (text.startsWith('--')) {
    const at = text.indexOf('=')
    if (at > 2) flags.add(text.slice(0, at))
    return
  }
  // Letters up to the first sign that is none: `-n5` is `-n`, `-I/usr` is `-I`.
  for (const letter of /^-([A-Za-z]+)/.exec(text)?.[1]?.slice(0, 64) ?? '') flags.add(`-${letter}`)
}

/** A word that is no flag, seen from where the script stands; of `of=/dev/sda` what follows the sign. */
function toPaths(machine: Machine, text: string): readonly string[] {
  const assigned = /^[A-Za-z_][\w-]{0,30}=(?=.)/.exec(text)
  return machine.scope.resolve(assigned === null ? text : text.slice(assigned[0].length))
}

/** Long spellings with their short ones; a beginning of the long one that is long enough does as well. */
const SPELLINGS: Readonly<
  Record<string, readonly (readonly [string, string, number])[] | undefined>
> = {
  __proto__: null as never,
  rm: [
    ['--recursive', '-r', 3],
    ['--force', '-f', 3],
    ['--no-preserve-root', '--no-preserve-root', 6],
  ],
  chmod: [['--recursive', '-R', 5]],
  chown: [['--recursive', '-R', 5]],
  cp: [
    ['--recursive', '-r', 5],
    ['--force', '-f', 3],
  ],
  git: [['--force', '-f', 7]],
}

function complete(flags: Set<string>, name: string, args: readonly string[]): void {
  const spellings = SPELLINGS[name]
  if (spellings === undefined || flags.size === 0) return
  if (name === 'rm' && flags.has('-R')) flags.add('-r')
  if (name === 'git' && !args.includes('push')) return
  for (const [long, short, least] of spellings) {
    const isSaid = [...flags].some((flag) => flag.length >= least && long.startsWith(flag))
    if (!isSaid && !flags.has(short)) continue
    flags.add(long)
    flags.add(short)
  }
}

/** Programs that a single flag makes dangerous: a word that could turn out to be one leaves them half known. */
const ON_FLAGS = new Set(['rm', 'chmod', 'chown', 'dd', 'find', 'shred'])

function couldHideFlag({ name, words }: Call): boolean {
  if (!ON_FLAGS.has(name)) return false
  for (const { text, startsKnown } of words) {
    if (text === '--') return false
    if (!startsKnown) return true
  }
  return false
}
