/**
 * `sluice policy test`: a policy on recordings, or on what agents say every day, block by block. Neighbours:
 * `policy-load.ts` finds the policy, `policy-inputs.ts` the answers, `testkit/` runs the engine of the gateway, and
 * `policy-report.ts` says what came of it.
 */
import { readFileSync } from 'node:fs'
import { nearest } from '../base/nearest.ts'
import { parseObject } from '../base/json.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { readBody, type TestSetting } from '../testkit/setting.ts'
import { testPolicy } from '../testkit/test-policy.ts'
import type { TestVerdict } from '../testkit/result.ts'
import { readArguments, readWire } from './arguments.ts'
import type { Streams } from './command.ts'
import { visible } from './output.ts'
import { createCounts, summary, toExit, type Counts } from './policy-counts.ts'
import { readInputs, type PolicyInput } from './policy-inputs.ts'
import { loadPolicies, type LoadedPolicy } from './policy-load.ts'
import { toLines, toReport, type Report } from './policy-report.ts'

export const TEST_HELP = `sluice policy test FILE|NAME [--on PATH]… [--config FILE] [--options JSON]
                   [--request FILE] [--wire WIRE] [--expect VERDICTS] [--json]

Tries a policy and prints for each block what it decides, why, and how long that
took. It runs as in the gateway, but nobody is asked: a question stays one, and
there is no model that a policy could call.

FILE is a policy file, NAME a stock policy, or with --config a policy of that file;
with --config alone all of them are tried, in their order.

  --on PATH          a recording (SSE, JSON lines or a JSON answer) or a folder of
                     them, of any wire; may be given several times. Without it: a
                     dozen answers as agents get them, harmless ones and others
  --options JSON     what sluice.yaml would say beside "use"
  --request FILE     a request body: what policies see of tools and conversation
  --wire WIRE        the wire of the recordings; guessed if not given
  --expect VERDICTS  exit 1 if a block that is judged gets another verdict than
                     these: pass, deny, ask, rewrite, replace, halt, error (a,b)
  --json             print one JSON object: {"policies":[…],"answers":[…],"counts"}

Exit 0 when it is done, whatever was decided; 1 when a policy failed, when what it
makes is not legal, or when --expect says so; 2 when something cannot be read.
`

interface Options {
  readonly setting: TestSetting
  readonly expected: ReadonlySet<string> | undefined
  readonly isJson: boolean
}

export async function testCommand(argv: readonly string[], streams: Streams): Promise<number> {
  const { values, file } = readArguments(argv, {
    on: { type: 'string', multiple: true },
    config: { type: 'string' },
    options: { type: 'string' },
    request: { type: 'string' },
    wire: { type: 'string' },
    expect: { type: 'string' },
    json: { type: 'boolean' },
  })
  const wire = values.wire === undefined ? undefined : readWire('--wire', values.wire)
  const expected = values.expect === undefined ? undefined : readExpected(values.expect)
  const setting = values.request === undefined ? {} : readRequest(values.request)
  const { config, options } = values
  const policies = await loadPolicies({ name: file, config, options })
  const inputs = readInputs(values.on ?? [], wire)
  return await tryAll(policies, inputs, streams, {
    setting,
    expected,
    isJson: values.json === true,
  })
}

async function tryAll(
  policies: readonly LoadedPolicy[],
  inputs: AsyncIterable<PolicyInput>,
  { out, err }: Streams,
  { setting, expected, isJson }: Options,
): Promise<number> {
  const reports: Report[] = []
  const counts = createCounts()
  for await (const input of inputs) {
    if (out.isGone) break
    if (input.type === 'skipped') {
      await err.line(`${err.style('yellow', 'skipped')}  ${visible(input.why)}`)
      continue
    }
    const report = await tryOne(policies, input, setting)
    counts.add(report)
    // What has been printed is not kept: there may be thousands.
    if (isJson) reports.push(report)
    else for (const line of toLines(report, out, policies.length > 1)) await out.line(line)
  }
  if (isJson) await out.line(JSON.stringify(toJson(policies, reports, counts)))
  else await out.line(summary(counts, out))
  return await toExit(counts, expected, err)
}

const NO_MODEL = new SluiceError(
  'upstream-refused',
  'no model is asked here: try it on a gateway, in shadow',
)

/** Each answer is of its own conversation: none sees what another left. */
async function tryOne(
  policies: readonly LoadedPolicy[],
  input: Extract<PolicyInput, { type: 'answer' }>,
  setting: TestSetting,
): Promise<Report> {
  const tested = testPolicy(
    policies.map(({ installed }) => installed),
    { replies: NO_MODEL },
  )
  const wire = input.wire === undefined ? {} : { wire: input.wire }
  const result = await tested.onStream(input.events, { ...setting, ...wire })
  const asked = new Map(
    tested.questions.map(({ policy, block, question }) => [`${policy}\n${block.id}`, question]),
  )
  return toReport(input, result, asked)
}

function toJson(
  policies: readonly LoadedPolicy[],
  answers: readonly Report[],
  { verdicts }: Counts,
): object {
  return {
    policies: policies.map(({ name, use, version }) => ({ name, use, version })),
    answers: answers.map(({ rows, ...report }) => ({
      ...report,
      blocks: rows.map(({ content: _content, ...row }) => row),
    })),
    counts: Object.fromEntries([...verdicts].filter(([verdict]) => verdict !== '-')),
  }
}

const VERDICTS = [
  'pass',
  'deny',
  'ask',
  'rewrite',
  'replace',
  'halt',
  'change',
  'error',
] as const satisfies readonly TestVerdict[]

function readExpected(text: string): ReadonlySet<string> {
  const words = text.split(',').map((word) => word.trim())
  const wrong = words.find((word) => !VERDICTS.some((verdict) => verdict === word))
  if (wrong === undefined) return new Set(words)
  const near = nearest(wrong, VERDICTS)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  throw new SluiceError(
    'wrong-use',
    `--expect ${wrong} is no verdict: it takes ${VERDICTS.join(', ')}${hint}`,
  )
}

/** What policies see of the request. */
function readRequest(path: string): TestSetting {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new SluiceError('wrong-use', `Cannot read "${path}": there is no such file`, { cause })
  }
  const body = parseObject(text)
  if (body === undefined)
    throw new SluiceError('wrong-use', `"${path}" is no request: it is not a JSON object`)
  const { model, system, turns, tools } = readBody(body, undefined)
  const words = system.map((part) => part.text).join('\n\n')
  return { model, turns, tools, ...(words === '' ? {} : { system: words }) }
}
