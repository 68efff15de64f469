/**
 * A word as written → the words that a command would get: quotes taken off, variables and substitutions put in,
 * braces and blanks split. Where several outcomes are possible, all are given back. Neighbours: `parameters.ts` does
 * `${…}`; `commands.ts` and `walk.ts` ask. A part that is not known stands as it was written.
 */
import {
  parse,
  type ArithmeticExpression,
  type ParsedScript,
  type Word,
  type WordPart,
} from 'unbash'
import { expandBraces } from './braces.ts'
import {
  PLAIN,
  UNKNOWN,
  toField,
  toUnknown,
  type Field,
  type Machine,
  type Stream,
  type Surroundings,
} from './machine.ts'
import { combine, createBuilder, joinFields, type Value } from './fields.ts'
import { readParameter } from './parameters.ts'
import type { Possible } from './scope.ts'

/**
 * What one word can become. `isGuess`: a variable that nobody has set counts as empty, as it most likely is; asked
 * for where a wrong reading would hide a command or a flag.
 */
export function readWord(machine: Machine, word: Word, isGuess = false): Possible {
  const { parts } = word
  if (parts === undefined) return [[toField(word.value)]]
  if (parts.some(({ type }) => type === 'BraceExpansion')) return readBraces(machine, word, isGuess)
  return readParts(machine, parts, isGuess)
}

function readParts(machine: Machine, parts: readonly WordPart[], isGuess: boolean): Possible {
  const builder = createBuilder(machine)
  for (const part of parts) builder.add(readPart(machine, part, isGuess))
  return builder.finish()
}

/** A word in a place that takes one text only: an assignment, a redirect, a here-document. */
export function readText(
  machine: Machine,
  parts: readonly WordPart[] | undefined,
  plain: string,
): readonly Field[] {
  if (parts === undefined) return [toField(plain)]
  const builder = createBuilder(machine)
  for (const part of parts) builder.add(readPart(machine, part, false).map(toWhole))
  return builder.finish().map(joinFields)
}

/** As in quotes: blanks end no word. */
const toWhole = ({ fields }: Value): Value => ({ fields, isSplit: false })

const one = (field: Field, isSplit = false): readonly Value[] => [{ fields: [field], isSplit }]

function readPart(machine: Machine, part: WordPart, isGuess: boolean): readonly Value[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return one(toField(part.value))
    case 'DoubleQuoted':
    case 'LocaleString':
      return readQuoted(machine, part.parts, isGuess)
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      return readParameter(machine, part, {
        isGuess,
        readInner: (word) => readText(machine, word.parts, word.value),
      })
    case 'CommandExpansion': {
      const said = runInside(machine, part.script)
      return one(toOutput(part.text, said), true)
    }
    case 'ProcessSubstitution': {
      // What is written to `>(…)` comes in there.
      const around = part.operator === '<' ? PLAIN : { ...PLAIN, stdin: UNKNOWN }
      const said = runInside(machine, part.script, around)
      if (said !== undefined) machine.scope.write(part.text, said)
      return one(toField(part.text))
    }
    case 'ArithmeticExpansion':
      readArithmetic(machine, part.expression)
      return one(toField(part.text))
    case 'Glob':
    case 'ExtendedGlob':
      return one({ ...toField(part.text), isGlob: true })
    case 'BraceExpansion':
      return one(toField(part.text))
  }
}

function readQuoted(
  machine: Machine,
  parts: readonly WordPart[],
  isGuess: boolean,
): readonly Value[] {
  const [only] = parts
  if (only !== undefined && parts.length === 1) {
    // "$@" without any words is no word at all, where it stands alone.
    const values = readPart(machine, only, isGuess).map(toWhole)
    if (values.every(({ fields }) => fields.length === 1)) return values
    if (values.every(({ fields }) => fields.length === 0)) return [{ fields: [], isSplit: false }]
    return values
  }
  const builder = createBuilder(machine, toField(''))
  for (const part of parts) builder.add(readPart(machine, part, isGuess).map(toWhole))
  return builder.finish().map((fields) => ({ fields, isSplit: false }))
}

/** What a substitution becomes: its output without the last line ends. */
function toOutput(written: string, said: Stream | undefined): Field {
  if (said?.text === undefined || !said.isKnown) return toUnknown(written, said?.from)
  let end = said.text.length
  while (end > 0 && said.text[end - 1] === '\n') end--
  return toField(said.text.slice(0, end))
}

/** Runs the commands in an arithmetic expression, which is otherwise of no interest. */
export function readArithmetic(
  machine: Machine,
  expression: ArithmeticExpression | undefined,
): void {
  switch (expression?.type) {
    case 'ArithmeticBinary':
      readArithmetic(machine, expression.left)
      return readArithmetic(machine, expression.right)
    case 'ArithmeticUnary':
      return readArithmetic(machine, expression.operand)
    case 'ArithmeticTernary':
      readArithmetic(machine, expression.test)
      readArithmetic(machine, expression.consequent)
      return readArithmetic(machine, expression.alternate)
    case 'ArithmeticGroup':
      return readArithmetic(machine, expression.expression)
    case 'ArithmeticWord':
      for (const part of expression.parts ?? []) readPart(machine, part, false)
      return
    case 'ArithmeticCommandExpansion':
      runInside(machine, expression.script)
      return
    case undefined:
      return
  }
}

/** Runs a substitution: what it does to variables and folders stays in it. */
const runInside = (
  machine: Machine,
  script: ParsedScript | undefined,
  around: Surroundings = PLAIN,
): Stream | undefined =>
  script === undefined ? undefined : machine.apart(() => machine.runScript(script, around))

function readBraces(machine: Machine, word: Word, isGuess: boolean): Possible {
  const all = expandBraces(word.text)
  const text = all === undefined ? '' : `_ ${all.join(' ')}`
  if (all === undefined || !machine.findings.spendText(text.length)) {
    machine.findings.markOpaque()
    return [[{ ...toField(word.text), isKnown: false }]]
  }
  const [statement] = parse(text).commands
  const command = statement?.command
  if (command?.type !== 'Command') return [[toField(word.text)]]
  const words = command.args.filter((arg): arg is Word => arg.type === 'Word')
  return combine(
    machine,
    words.map((arg) => readOpened(machine, arg, isGuess)),
  )
}

/** What is left in braces after all groups were opened stays as it is. */
const readOpened = (machine: Machine, word: Word, isGuess: boolean): Possible =>
  word.parts === undefined ? [[toField(word.value)]] : readParts(machine, word.parts, isGuess)
