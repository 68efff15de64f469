/**
 * What a client got → what came of its exchange, and whether that may be. Neighbours: `proper.ts` says what may be,
 * `client.ts` asked. Reads with the library's own decoders.
 */
import { parseObject } from '../../src/base/json.ts'
import type { StreamState } from '../../src/block/state.ts'
import {
  faultyContent,
  type FaultyContent,
  type Saying,
} from '../../src/testkit/faulty-upstream-answer.ts'
import { toSteps } from '../../src/testkit/faulty-upstream-faults.ts'
import { WIRES } from '../../src/wire/wires.ts'
import { assemble, lint, readEvents } from '../support/pipeline.ts'
import type { RawAnswer } from '../support/raw-client.ts'
import type { Plan } from './plan.ts'
import { properFor, type Proper } from './proper.ts'

/** `left`: the client went before it was over. `wrong`: none of what is proper; `why` says what is wrong. */
export interface Outcome {
  readonly came: Proper | 'left' | 'wrong'
  readonly why?: string
}

export function judge(plan: Plan, answer: RawAnswer): Outcome {
  if (answer.end === 'left') return { came: 'left' }
  const outcome = lookAt(plan, answer)
  const proper = properFor(plan)
  if (outcome.came === 'wrong' || proper.includes(outcome.came as Proper)) return outcome
  return wrong(`it is ${outcome.came} where ${proper.join(' or ')} is proper`)
}

function lookAt(plan: Plan, answer: RawAnswer): Outcome {
  const { status, body, end, error } = answer
  if (end !== 'whole') return wrong(`the connection ${end}: ${error?.message ?? 'no reason'}`)
  if (status !== 200) return lookAtError(plan, answer)
  if (!plan.isStream) return lookAtJson(plan, body)
  return lookAtStream(plan, body)
}

const RIGHT: Outcome = { came: 'right' }

const wrong = (why: string): Outcome => ({ came: 'wrong', why })

function lookAtError({ from }: Plan, { status, headers, body }: RawAnswer): Outcome {
  const json = parseObject(body.toString())
  const isJson = headers['content-type']?.startsWith('application/json') === true
  if (!isJson || json === undefined) return wrong(`status ${status} without JSON: ${short(body)}`)
  if (WIRES[from].recognise(json) !== 'error')
    return wrong(`status ${status} in no words of ${from}: ${short(body)}`)
  return { came: status }
}

function lookAtJson(plan: Plan, body: Buffer): Outcome {
  if (passesUntouched(plan))
    return body.equals(sentTo(plan)) ? RIGHT : wrong(`other JSON than was sent: ${short(body)}`)
  const json = parseObject(body.toString())
  if (json === undefined) return wrong(`no JSON: ${short(body)}`)
  return whole(plan, assemble(WIRES[plan.from].readAnswer(json)))
}

function lookAtStream(plan: Plan, body: Buffer): Outcome {
  const sent = passesUntouched(plan) ? sentTo(plan) : undefined
  if (sent?.equals(body) === true && properFor(plan).includes('right')) return RIGHT
  const state = assemble(readEvents(plan.from, [body]))
  if (state.error === undefined)
    return sent === undefined
      ? whole(plan, state, body)
      : wrong(`other bytes than were sent: ${differenceOf(body, sent)}`)
  if (sent !== undefined && plan.answer.fault !== 'error-event') {
    const behind = body.subarray(frameStart(body, commonLength(body, sent))).toString()
    if (!behind.includes('"error"'))
      return wrong(`other bytes than were sent, and no error: ${behind.slice(0, 200)}`)
  }
  return broken(plan, state, body)
}

/** Whether nobody has reason to change a byte. */
const passesUntouched = (plan: Plan): boolean => plan.from === plan.to && !hasDenied(plan)

/** Every second call is one that the gate denies. */
const hasDenied = ({ isGated, answer }: Plan): boolean => isGated && answer.calls > 1

/** The body that the upstream sent, as far as it was HTTP. */
export function sentTo({ answer, to, isStream, model }: Plan): Buffer {
  const said: Saying = { wire: to, isStream, model, includeUsage: true }
  const isOver = answer.times > 0
  const pieces: Uint8Array[] = []
  for (const step of toSteps(isOver ? { ...answer, fault: 'none' } : answer, said)) {
    // Nobody waits for all of what does not end.
    if (answer.fault === 'huge-frame' && pieces.length > 200) break
    if (step.type === 'write') pieces.push(step.bytes)
  }
  return Buffer.concat(pieces)
}

function whole(plan: Plan, state: StreamState, body?: Buffer): Outcome {
  const problem =
    contentProblem(plan, state, faultyContent(plan.answer)) ??
    (state.isStopped && state.finishReason !== undefined ? undefined : 'it has no finish') ??
    (body === undefined ? undefined : grammarProblem(plan, body))
  return problem === undefined ? RIGHT : wrong(problem)
}

/** What came before the error is the beginning of what was said. */
function broken(plan: Plan, state: StreamState, body: Buffer): Outcome {
  const { text } = faultyContent(plan.answer)
  const said = textOf(state)
  if (
    !text.startsWith(said.slice(0, text.length)) ||
    (said.length > text.length && !hasDenied(plan))
  )
    return wrong(`it broke off after another text: ${said.slice(0, 200)}`)
  const problem = plan.answer.fault === 'not-json' ? undefined : grammarProblem(plan, body)
  return problem === undefined ? { came: 'broken' } : wrong(problem)
}

const textOf = (state: StreamState): string =>
  state.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')

const DENIED = 'run_command'

/** The text, and the calls that no policy denies; in the place of those a word about it. */
function contentProblem(
  plan: Plan,
  state: StreamState,
  { text, calls }: FaultyContent,
): string | undefined {
  const said = textOf(state)
  const isDenied = hasDenied(plan)
  if (isDenied ? !said.startsWith(text) : said !== text)
    return `another text: ${differenceOf(said, text)}`
  if (isDenied && !said.slice(text.length).includes(`"${DENIED}" was not allowed`))
    return `nothing is said of the call that was denied: ${said.slice(text.length, 200)}`
  const wanted = isDenied ? calls.filter(({ name }) => name !== DENIED) : calls
  const got = state.blocks.flatMap((block) =>
    block.type === 'tool-call' ? [{ name: block.name, args: parseObject(block.arguments) }] : [],
  )
  return JSON.stringify(got) === JSON.stringify(wanted)
    ? undefined
    : `other calls of ${plan.from}: ${JSON.stringify(got).slice(0, 300)}`
}

function grammarProblem({ from, answer }: Plan, body: Buffer): string | undefined {
  // On its own wire a frame that nobody understands passes as it came.
  if (answer.fault === 'odd-frame' || answer.fault === 'bad-frame') return undefined
  const [first] = lint(from, body).filter(({ severity }) => severity === 'error')
  return first === undefined ? undefined : `illegal frames: ${first.rule} ${first.message}`
}

function commonLength(a: Uint8Array, b: Uint8Array): number {
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1
  return at
}

/** Where the frame begins that the byte at `at` belongs to. */
function frameStart(body: Buffer, at: number): number {
  const end = body.lastIndexOf('\n\n', Math.max(0, at - 1))
  return end === -1 ? 0 : Math.min(end + 2, at)
}

function differenceOf(got: Buffer | string, wanted: Buffer | string): string {
  const [a, b] = [Buffer.from(got), Buffer.from(wanted)]
  const at = commonLength(a, b)
  const near = (bytes: Buffer): string =>
    JSON.stringify(bytes.subarray(Math.max(0, at - 20), at + 60).toString())
  return `at ${at} of ${b.length}, length ${a.length}: ${near(a)} for ${near(b)}`
}

const short = (body: Buffer): string => body.toString().slice(0, 200)
