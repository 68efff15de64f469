/**
 * What a person may say of a judge, what holds where nothing is said, and what cannot be. Neighbours: `judge.ts`
 * takes it; `config/policy-judge.ts` reads it from YAML and shows these sentences at their place.
 */
import { checkTemplate, DEFAULT_PROMPTS, type JudgedKind } from './template.ts'

export interface JudgeOptions {
  /** What it is called in records. Default: judge. */
  readonly name?: string | undefined
  /** The model that decides; with several, each has a vote. */
  readonly model: string | readonly string[]
  /** Asks this upstream, whatever the routes say. */
  readonly upstream?: string | undefined
  /** What waits for its verdict. Default: tool calls. */
  readonly on?: JudgedKind | undefined
  /** Only calls of these tools are judged; `*` stands for any characters. Default: all. */
  readonly tools?: readonly string[] | undefined
  /** Calls of these tools pass unasked, for those that only read. */
  readonly skip?: readonly string[] | undefined
  /** What is allowed and what is not, in words for the judge. */
  readonly rules?: string | undefined
  /** What the judge is shown, with {{arguments}} and the like in it. */
  readonly prompt?: string | undefined
  /** How many turns of the conversation it is shown at most. Default 10. */
  readonly turns?: number | undefined
  /** How many characters of the conversation at most. Default 8,000. */
  readonly context?: number | undefined
  /** Longer arguments or texts are denied unread: what is not shown cannot be judged. Default 50,000 characters. */
  readonly maxLength?: number | undefined
  /** Denied from this probability of harm on. Default 0.5. */
  readonly denyAt?: number | undefined
  /** A person is asked from this probability on. Default: never. */
  readonly askAt?: number | undefined
  /** Until when there must be a verdict, in milliseconds. Default 15,000. */
  readonly deadline?: number | undefined
  /** How often it is asked again after an error that may pass, or an answer that is none. Default 2. */
  readonly retries?: number | undefined
  /** How often it is asked at once; the majority decides. Default: once per model. */
  readonly votes?: number | undefined
  /** The most that one answer may have. Default 2,048: models that think need room for it. */
  readonly maxTokens?: number | undefined
  /** Default: 0 with one vote, and the model's own with several, which would all say the same. */
  readonly temperature?: number | undefined
  /** How many verdicts are kept, and for how many milliseconds; false: none. Default 1,000 for ten minutes. */
  readonly cache?:
    | false
    | { readonly entries?: number | undefined; readonly ttl?: number | undefined }
    | undefined
  /** What a million tokens cost, so that each verdict says what it cost. */
  readonly price?: { readonly input: number; readonly output: number } | undefined
  /**
   * What happens when the judge cannot be asked in time. `error` leaves it to the policy's `onError`, which denies if
   * nobody said otherwise. An answer that is no verdict is never an `error`: what is judged may have brought it about.
   */
  readonly onFailure?: 'error' | 'deny' | 'ask' | undefined
  /** A name of your own for this version of the rules, for records. */
  readonly version?: string | undefined
}

export interface JudgeSettings {
  readonly models: readonly string[]
  readonly upstream: string | undefined
  readonly on: JudgedKind
  readonly tools: readonly string[]
  readonly skip: readonly string[]
  readonly rules: string
  readonly prompt: string
  readonly turns: number
  readonly context: number
  readonly maxLength: number
  readonly denyAt: number
  readonly askAt: number
  readonly deadline: number
  readonly retries: number
  readonly votes: number
  readonly maxTokens: number
  readonly temperature: number | undefined
  readonly cache: { readonly entries: number; readonly ttl: number }
  readonly price: { readonly input: number; readonly output: number } | undefined
  readonly onFailure: 'error' | 'deny' | 'ask'
}

const DEFAULT_RULES = `- Deny what destroys work that cannot be brought back, sends secrets or private data elsewhere, runs code from strangers, weakens security, or goes beyond what the person asked for.
- Allow the ordinary steps of the task, such as reading, searching, building, testing and editing the project's own files.`

export const MAX_VOTES = 9
export const MAX_PROMPT_CHARS = 20_000

export function toSettings(options: JudgeOptions): JudgeSettings {
  const { on = 'tool-call', cache = {} } = options
  const models = modelsOf(options)
  const votes = options.votes ?? models.length
  return {
    models,
    upstream: options.upstream,
    on,
    tools: options.tools ?? ['*'],
    skip: options.skip ?? [],
    rules: options.rules ?? DEFAULT_RULES,
    prompt: options.prompt ?? DEFAULT_PROMPTS[on],
    turns: options.turns ?? 10,
    context: options.context ?? 8000,
    maxLength: options.maxLength ?? 50_000,
    denyAt: options.denyAt ?? 0.5,
    askAt: options.askAt ?? Number.POSITIVE_INFINITY,
    deadline: options.deadline ?? 15_000,
    retries: options.retries ?? 2,
    votes,
    maxTokens: options.maxTokens ?? 2048,
    temperature: options.temperature ?? (votes === 1 ? 0 : undefined),
    cache:
      cache === false
        ? { entries: 0, ttl: 0 }
        : { entries: cache.entries ?? 1000, ttl: cache.ttl ?? 600_000 },
    price: options.price,
    onFailure: options.onFailure ?? 'error',
  }
}

const modelsOf = ({ model }: JudgeOptions): readonly string[] =>
  typeof model === 'string' ? [model] : model

interface OptionProblem {
  readonly key: keyof JudgeOptions
  readonly message: string
}

/** What cannot be, beyond what a type or a range says. */
export function findProblems(options: JudgeOptions): readonly OptionProblem[] {
  const problems: OptionProblem[] = []
  const { askAt, on = 'tool-call', prompt, votes } = options
  const denyAt = options.denyAt ?? 0.5
  const models = modelsOf(options)
  if (models.length === 0 || models.includes(''))
    problems.push({ key: 'model', message: 'it is empty: name the model that decides' })
  if (models.length > MAX_VOTES)
    problems.push({ key: 'model', message: `it takes ${MAX_VOTES} models at most` })
  if (askAt !== undefined && askAt >= denyAt)
    problems.push({
      key: 'askAt',
      message: `it must be less than denyAt (${denyAt}): from there on it is denied, and nobody would ever be asked`,
    })
  if (votes !== undefined && votes < models.length)
    problems.push({
      key: 'votes',
      message: `it must be ${models.length} at least, so that each model has a vote`,
    })
  if (on === 'text' && options.tools !== undefined)
    problems.push({ key: 'tools', message: 'it is for calls: remove it, or judge "on: tool-call"' })
  if (on === 'text' && options.skip !== undefined)
    problems.push({ key: 'skip', message: 'it is for calls: remove it, or judge "on: tool-call"' })
  const wrong = prompt === undefined ? undefined : checkTemplate(prompt, on)
  if (wrong !== undefined) problems.push({ key: 'prompt', message: wrong })
  return problems
}
