/**
 * `> file`, `< file`, `<<EOF`, `<<<` → what a command reads, where its output goes, and the files of both. Neighbours:
 * `nodes.ts` and `simple.ts`. Descriptors are no files: `2>&1` is none.
 */
import type { HereDoc, Redirect, Redirection } from 'unbash'
import { UNKNOWN, toField, type Field, type Machine, type Stream } from './machine.ts'
import { readText } from './words.ts'

export interface Redirects {
  readonly list: readonly { readonly op: string; readonly path: string }[]
  readonly stdin: Stream | undefined
  /** What is left of the output after it has gone where it is sent. */
  finish(said: Stream): Stream
}

export function readRedirects(
  machine: Machine,
  redirections: readonly Redirection[],
  outer: Stream | undefined,
): Redirects {
  if (redirections.length === 0) return { list: [], stdin: outer, finish: (said) => said }
  const list: { op: string; path: string }[] = []
  const outputs: string[] = []
  let stdin = outer
  for (const redirection of redirections) {
    if (redirection.type === 'HereDoc') stdin = readBody(machine, redirection)
    else if (redirection.type === 'HereString') {
      const { target } = redirection
      const [field = toField('')] =
        target === undefined ? [] : readText(machine, target.parts, target.value)
      stdin = { ...field, text: `${field.text}\n` }
    } else {
      const paths = readTarget(machine, redirection)
      for (const path of paths) list.push({ op: redirection.operator, path })
      if (isInput(redirection))
        stdin = paths.map((path) => machine.scope.contentOf(path) ?? UNKNOWN).at(-1)
      if (isOutput(redirection)) outputs.push(...paths)
    }
  }
  return {
    list,
    stdin,
    finish(said) {
      for (const path of outputs) machine.scope.write(path, said)
      return outputs.length === 0 ? said : { text: '', isKnown: true, from: said.from }
    },
  }
}

function readBody(machine: Machine, { body }: HereDoc): Field {
  const possible = readText(machine, body.parts, body.text)
  if (possible.length > 1) machine.findings.markOpaque()
  return possible[0] ?? toField('')
}

const isInput = ({ operator, descriptor }: Redirect): boolean =>
  (operator === '<' || operator === '<>') && !isOther(descriptor, 0)

/** Only what goes to standard output is the command's output. */
const isOutput = ({ operator, descriptor }: Redirect): boolean =>
  operator !== '<' && operator !== '<&' && !isOther(descriptor, 1)

const isOther = (descriptor: Redirect['descriptor'], usual: number): boolean =>
  descriptor?.type === 'FileDescriptor' && descriptor.value !== usual

/** The files of one redirect; none where it only joins descriptors. */
function readTarget(machine: Machine, { operator, target }: Redirect): readonly string[] {
  if (target === undefined) return []
  const fields = readText(machine, target.parts, target.value)
  if ((operator === '>&' || operator === '<&') && /^(?:\d+-?|-)$/.test(target.value)) return []
  const paths = fields.flatMap(({ text }) => machine.scope.resolve(text))
  if (machine.scope.isRemote()) return paths
  for (const path of paths) {
    if (operator === '<' || operator === '<>') addRead(machine, path)
    if (operator !== '<' && operator !== '<&') machine.findings.file('written', path)
  }
  return paths
}

/** What another command puts out is no file. */
function addRead(machine: Machine, path: string): void {
  if (!path.startsWith('<(')) machine.findings.file('read', path)
}
