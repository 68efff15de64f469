/**
 * The pieces of a script → runs of simple commands: lists, pipelines, branches, loops, groups. Neighbours:
 * `walk.ts` calls it with a machine; `simple.ts` runs what is no compound. What a list puts out is the output of its
 * commands, as long as all of them are known.
 */
import type {
  AndOr,
  CommandNode,
  CompoundCommand,
  For,
  Pipeline,
  PipelineNode,
  Redirected,
  Select,
  Statement,
  TestExpression,
} from 'unbash'
import { MAX_TEXT } from '../findings.ts'
import {
  SILENCE,
  UNKNOWN,
  toField,
  toUnknown,
  type Field,
  type FunctionBody,
  type Machine,
  type Stream,
  type Surroundings,
} from './machine.ts'
import { MAX_POSSIBLE } from './scope.ts'
import { readRedirects } from './redirects.ts'
import { runSimple } from './simple.ts'
import { readArithmetic, readWord } from './words.ts'

const MAX_NAMES = 16

export function runList(
  machine: Machine,
  statements: readonly Statement[],
  around: Surroundings,
): Stream {
  const [only] = statements
  if (statements.length === 1 && only !== undefined) return runStatement(machine, only, around)
  return joinStreams(statements.map((statement) => runStatement(machine, statement, around)))
}

export const runBody = (machine: Machine, body: FunctionBody, around: Surroundings): Stream =>
  body.type === 'CompoundList'
    ? runList(machine, body.commands, around)
    : runNode(machine, body, around)

function joinStreams(streams: readonly Stream[]): Stream {
  const from = streams.flatMap((stream) => stream.from).slice(0, MAX_NAMES)
  const length = streams.reduce((sum, { text }) => sum + (text?.length ?? Infinity), 0)
  return {
    text: length <= MAX_TEXT ? streams.map(({ text }) => text).join('') : undefined,
    isKnown: length <= MAX_TEXT && streams.every(({ isKnown }) => isKnown),
    from,
  }
}

function runStatement(
  machine: Machine,
  { command, background }: Statement,
  around: Surroundings,
): Stream {
  if (background === true) return machine.apart(() => runCommand(machine, command, around))
  return runCommand(machine, command, around)
}

const runCommand = (
  machine: Machine,
  command: PipelineNode | AndOr,
  around: Surroundings,
): Stream =>
  command.type === 'AndOr' ? runChain(machine, command, around) : runPiped(machine, command, around)

/** The first runs for sure; of the others it is not known whether they do. */
function runChain(machine: Machine, { commands }: AndOr, around: Surroundings): Stream {
  const [first, ...others] = commands
  if (first === undefined) return SILENCE
  const said = runPiped(machine, first, around)
  const more = machine.perhaps(() => others.map((command) => runPiped(machine, command, around)))
  return joinStreams([said, ...more])
}

const runPiped = (machine: Machine, node: PipelineNode, around: Surroundings): Stream =>
  node.type === 'Pipeline' ? runPipeline(machine, node, around) : runNode(machine, node, around)

function runPipeline(machine: Machine, { commands }: Pipeline, around: Surroundings): Stream {
  const [only] = commands
  if (commands.length === 1 && only !== undefined) return runNode(machine, only, around)
  let names: readonly string[] = []
  let stdin = around.stdin
  let said = SILENCE
  for (const command of commands) {
    const input = { ...around, stdin }
    said = machine.apart(() => runNode(machine, command, input))
    names = [...names, ...said.from].slice(0, MAX_NAMES)
    stdin = { ...said, from: names }
  }
  machine.findings.pipe(names)
  return { ...said, from: names }
}

function runNode(
  machine: Machine,
  node: CommandNode | CompoundCommand | Redirected,
  around: Surroundings,
): Stream {
  if (machine.findings.isSpent()) {
    machine.findings.markUnread()
    return UNKNOWN
  }
  switch (node.type) {
    case 'Command':
      return runSimple(machine, node, around)
    case 'Redirected':
      return runRedirected(machine, node, around)
    case 'Subshell':
      return machine.apart(() => runList(machine, node.body.commands, around))
    case 'BraceGroup':
      return runList(machine, node.body.commands, around)
    case 'Function':
      machine.define(node.name.value, node.body)
      return SILENCE
    case 'Coproc':
      return machine.apart(() => runBody(machine, toBody(node.body), around))
    case 'If':
      return machine.perhaps(() =>
        toAny(
          [
            node.clause,
            node.then,
            ...node.elif.flatMap((branch) => [branch.clause, branch.then]),
            node.else,
          ].map((list) => (list === undefined ? SILENCE : runList(machine, list.commands, around))),
        ),
      )
    case 'While':
      return machine.perhaps(() =>
        toAny([node.clause, node.body].map((list) => runList(machine, list.commands, around))),
      )
    case 'For':
    case 'Select':
      return runFor(machine, node, around)
    case 'ArithmeticFor':
      for (const expression of [node.initialize, node.test, node.update])
        readArithmetic(machine, expression)
      return machine.perhaps(() => toAny([runList(machine, node.body.commands, around)]))
    case 'Case':
      readWord(machine, node.word)
      return machine.perhaps(() =>
        toAny(node.items.map((item) => runList(machine, item.body.commands, around))),
      )
    case 'TestCommand':
      readTest(machine, node.expression)
      return SILENCE
    case 'ArithmeticCommand':
      readArithmetic(machine, node.expression)
      return SILENCE
  }
}

/** Which of them run is not known, so what they put out is not either. */
const toAny = (streams: readonly Stream[]): Stream => {
  const said = joinStreams(streams)
  return said.text === '' ? said : { ...UNKNOWN, from: said.from }
}

type CoprocBody = Extract<CommandNode, { type: 'Coproc' }>['body']

/** A plain command as the body of a group of one. */
const toBody = (body: CoprocBody): FunctionBody =>
  body.type === 'Command'
    ? {
        type: 'CompoundList',
        pos: body.pos,
        end: body.end,
        commands: [
          { type: 'Statement', pos: body.pos, end: body.end, command: body, background: undefined },
        ],
      }
    : body

function runRedirected(machine: Machine, node: Redirected, around: Surroundings): Stream {
  const { stdin, finish } = readRedirects(machine, node.redirects, around.stdin)
  const said = runNode(machine, node.command, { ...around, stdin })
  return finish(said)
}

/** The body runs once, with the variable being any of the words. */
function runFor(machine: Machine, node: For | Select, around: Surroundings): Stream {
  const { scope } = machine
  const name = node.name.value
  const words: readonly Field[] =
    node.wordlist === undefined
      ? scope.positional()
      : node.wordlist.flatMap((word) => readWord(machine, word).flat())
  const possible = words.slice(0, MAX_POSSIBLE).map((field) => [field])
  if (words.length > MAX_POSSIBLE) possible[MAX_POSSIBLE - 1] = [toUnknown(`$${name}`)]
  return machine.perhaps(() => {
    // What it was before is not possible inside of the loop.
    scope.setCertain(true)
    scope.assign(name, possible.length === 0 ? [[toField('')]] : possible)
    scope.setCertain(false)
    return toAny([runList(machine, node.body.commands, around)])
  })
}

function readTest(machine: Machine, test: TestExpression): void {
  switch (test.type) {
    case 'TestUnary':
      readWord(machine, test.operand)
      return
    case 'TestBinary':
      readWord(machine, test.left)
      readWord(machine, test.right)
      return
    case 'TestLogical':
      for (const operand of test.operands) readTest(machine, operand)
      return
    case 'TestNot':
      return readTest(machine, test.operand)
    case 'TestGroup':
      return readTest(machine, test.expression)
  }
}
