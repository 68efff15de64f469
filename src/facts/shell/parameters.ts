/**
 * `$X`, `${X:-y}`, `${X/a/b}` and their kin → what they can be. Neighbours: `words.ts`. A variable that nobody in the
 * script has set stays as it was written, but for a few that every shell has.
 */
import type { ParameterExpansionPart, ParameterOperation, SimpleExpansionPart, Word } from 'unbash'
import type { Value } from './fields.ts'
import { toField, toUnknown, type Field, type Machine } from './machine.ts'
import { createMatcher } from './names.ts'
import type { Possible } from './scope.ts'

/** Longer values are not cut and replaced in: the work would be out of proportion. */
const MAX_WORKED_ON = 512

/** Set by the system or the shell: not known, and of no use to hide a command in. */
const HARMLESS = new Set(
  (
    'USER LOGNAME HOSTNAME TMPDIR LANG TERM SHLVL RANDOM SECONDS UID EUID PPID LINENO OSTYPE COLUMNS LINES ' +
    'EPOCHSECONDS BASHPID BASH_VERSION CI ? $ ! # -'
  ).split(' '),
)

export function readParameter(
  machine: Machine,
  part: SimpleExpansionPart | ParameterExpansionPart,
  how: { readonly isGuess: boolean; readonly readInner: (word: Word) => readonly Field[] },
): readonly Value[] {
  const { isGuess, readInner } = how
  const name = part.type === 'SimpleExpansion' ? part.text.slice(1) : part.parameter
  const found = lookUp(machine, name)
  if (part.type === 'SimpleExpansion') {
    if (found !== undefined) return found.map((fields) => toValue(name, fields))
    return [unset(machine, part.text, name, isGuess)]
  }
  const { operation, index, prefix } = part
  if (prefix === '!' && operation?.type !== 'Names') return indirect(machine, part, found, isGuess)
  if (prefix === '#') return [toScalar(toField(part.text))]
  const picked = found?.map((fields) => pick(fields, index))
  if (operation === undefined) {
    if (picked === undefined) return [unset(machine, part.text, name, isGuess)]
    return picked.map((fields) => toValue(index?.value ?? '', fields))
  }
  // Whatever comes of it, commands that stand in there run.
  const inner = wordsIn(operation).map((word) => (isPlain(word) ? [] : readInner(word)))
  return operate({ machine, part, isGuess, found: picked, inner: inner[0] ?? [] }, operation)
}

const toScalar = (field: Field): Value => ({ fields: [field], isSplit: true })

/** `$@` is a word for each, anything else the first. */
function toValue(name: string, fields: readonly Field[]): Value {
  if (name === '@' || name === '*') return { fields, isSplit: true }
  const [first] = fields
  return first === undefined ? { fields: [toField('')], isSplit: true } : toScalar(first)
}

function pick(fields: readonly Field[], index: Word | undefined): readonly Field[] {
  if (index === undefined) return fields.slice(0, 1)
  if (index.value === '@' || index.value === '*') return fields
  const at = Number(index.value)
  const one = Number.isInteger(at) ? fields.at(at) : undefined
  return one === undefined ? fields.slice(0, 1) : [one]
}

function lookUp(machine: Machine, name: string): Possible | undefined {
  const { scope } = machine
  if (name === '@' || name === '*') return [scope.positional()]
  if (name === '0') return scope.lookUp('0') ?? [[toField('bash')]]
  if (/^\d+$/.test(name)) return [[scope.positional()[Number(name) - 1] ?? toField('')]]
  const found = scope.lookUp(name)
  if (found !== undefined) return found
  const own = OWN[name]
  if (own !== undefined) return [[toField(own)]]
  if (name === 'PWD')
    return scope.folders().map((folder) => [toField(folder === '' ? '.' : folder)])
  return HARMLESS.has(name) ? [[toField(`$${name}`)]] : undefined
}

const OWN: Readonly<Record<string, string | undefined>> = {
  __proto__: null as unknown as undefined,
  IFS: ' \t\n',
  HOME: '~',
  SHELL: '/bin/sh',
  BASH: '/bin/bash',
}

/** A variable that nobody has set. Where a guess is asked for it is empty, and it is said that this is a guess. */
function unset(machine: Machine, written: string, name: string, isGuess: boolean): Value {
  if (isGuess && /^\w+$/.test(name)) {
    machine.findings.markOpaque()
    return toScalar(toField(''))
  }
  return toScalar(toUnknown(written))
}

function indirect(
  machine: Machine,
  part: ParameterExpansionPart,
  found: Possible | undefined,
  isGuess: boolean,
): readonly Value[] {
  const names = found?.map(([first]) => first?.text ?? '') ?? []
  const values = names.flatMap((name) => lookUp(machine, name) ?? [])
  if (values.length === 0) return [unset(machine, part.text, part.parameter, isGuess)]
  return values.map((fields) => toValue('', fields))
}

interface Looked {
  readonly machine: Machine
  readonly part: ParameterExpansionPart
  readonly isGuess: boolean
  readonly found: Possible | undefined
  /** What the first word of the operation can be, where something is put into that. */
  readonly inner: readonly Field[]
}

function wordsIn(operation: ParameterOperation): readonly Word[] {
  switch (operation.type) {
    case 'Default':
    case 'Remove':
    case 'Transform':
      return [operation.operand]
    case 'Replace':
      return [operation.pattern, operation.replacement]
    case 'Slice':
      return operation.length === undefined
        ? [operation.offset]
        : [operation.offset, operation.length]
    case 'CaseModification':
      return operation.operand === undefined ? [] : [operation.operand]
    case 'Names':
    case 'Unknown':
      return []
  }
}

function operate(looked: Looked, operation: ParameterOperation): readonly Value[] {
  const { machine, part, isGuess, found } = looked
  if (operation.type === 'Default') return byDefault(looked, operation)
  // The first letter of a path is all that is cut out of these.
  if (operation.type === 'Slice' && ROOTED.has(part.parameter) && isFirst(operation))
    return [toScalar(toField('/'))]
  if (found === undefined) return [unset(machine, part.text, part.parameter, isGuess)]
  if (operation.type === 'Slice' && found.some((fields) => fields.length > 1))
    return found.map((fields) => ({ fields: sliceList(fields, operation), isSplit: true }))
  return found.map(([first]) => {
    const text = first === undefined ? '' : first.isKnown ? first.text : undefined
    const result =
      text === undefined || text.length > MAX_WORKED_ON ? undefined : work(text, operation)
    return toScalar(result === undefined ? toUnknown(part.text) : toField(result))
  })
}

const ROOTED = new Set(['HOME', 'PWD', 'PATH', 'OLDPWD', 'SHELL', 'BASH'])

const isFirst = (slice: Extract<ParameterOperation, { type: 'Slice' }>): boolean =>
  Number(slice.offset.value) === 0 && Number(slice.length?.value) === 1

function byDefault(
  { machine, part, isGuess, found, inner }: Looked,
  operation: Extract<ParameterOperation, { type: 'Default' }>,
): readonly Value[] {
  const { operator, operand } = operation
  const isSet = found?.every(([first]) => first !== undefined && first.text !== '') === true
  const isOther = operator === '+' || operator === ':+'
  if (operator === '?' || operator === ':?')
    return (
      found?.map((fields) => toValue('', fields)) ?? [
        unset(machine, part.text, part.parameter, isGuess),
      ]
    )
  if (isOther ? found !== undefined && !isSet : isSet)
    return isOther ? [toScalar(toField(''))] : (found ?? []).map((fields) => toValue('', fields))
  const value = isPlain(operand) ? toField(operand.value) : (inner[0] ?? toField(''))
  if (operator === '=' || operator === ':=') machine.scope.assign(part.parameter, [[value]])
  return [toScalar(value)]
}

function sliceList(
  fields: readonly Field[],
  slice: Extract<ParameterOperation, { type: 'Slice' }>,
): readonly Field[] {
  const offset = Number(slice.offset.value)
  const length = slice.length === undefined ? undefined : Number(slice.length.value)
  return fields.slice(offset, length === undefined ? undefined : offset + length)
}

/** The value after the operation; `undefined` where that takes more than letters. */
function work(text: string, operation: ParameterOperation): string | undefined {
  switch (operation.type) {
    case 'Remove':
      return isPlain(operation.operand)
        ? remove(text, operation.operator, operation.operand.value)
        : undefined
    case 'Replace':
      return isPlain(operation.pattern) && isPlain(operation.replacement)
        ? substitute(text, operation.operator, operation.pattern.value, operation.replacement.value)
        : undefined
    case 'Slice':
      return slice(text, Number(operation.offset.value), operation.length?.value)
    case 'CaseModification':
      return operation.operand === undefined ? toCase(text, operation.operator) : undefined
    case 'Transform':
      return transform(text, operation.operand.value)
    case 'Default':
    case 'Names':
    case 'Unknown':
      return undefined
  }
}

const isPlain = (word: Word): boolean => !/[$`]/.test(word.text)

function remove(text: string, operator: '#' | '##' | '%' | '%%', pattern: string): string {
  const matches = createMatcher(pattern)
  const isFront = operator.startsWith('#')
  const isLong = operator.length === 2
  for (let step = 0; step <= text.length; step++) {
    const length = isLong ? text.length - step : step
    const piece = isFront ? text.slice(0, length) : text.slice(text.length - length)
    if (matches(piece)) return isFront ? text.slice(length) : text.slice(0, text.length - length)
  }
  return text
}

function substitute(
  text: string,
  operator: string,
  pattern: string,
  by: string,
): string | undefined {
  if (/[*?[]/.test(pattern) || by.length > MAX_WORKED_ON) return undefined
  if (pattern === '') return text
  if (operator === '//') return text.replaceAll(pattern, () => by)
  if (operator === '/#') return text.startsWith(pattern) ? by + text.slice(pattern.length) : text
  if (operator === '/%') return text.endsWith(pattern) ? text.slice(0, -pattern.length) + by : text
  return text.replace(pattern, () => by)
}

function slice(text: string, offset: number, length: string | undefined): string | undefined {
  const count = length === undefined ? undefined : Number(length)
  if (!Number.isInteger(offset) || (count !== undefined && !Number.isInteger(count)))
    return undefined
  const rest = text.slice(offset)
  return count === undefined ? rest : rest.slice(0, count)
}

function toCase(text: string, operator: '^' | '^^' | ',' | ',,'): string {
  if (operator === '^^') return text.toUpperCase()
  if (operator === ',,') return text.toLowerCase()
  const first = text.slice(0, 1)
  return (operator === '^' ? first.toUpperCase() : first.toLowerCase()) + text.slice(1)
}

function transform(text: string, how: string): string | undefined {
  if (how === 'U') return text.toUpperCase()
  if (how === 'L') return text.toLowerCase()
  return how === 'Q' || how === 'P' ? text : undefined
}
